package engines

import (
	"fmt"
	"runtime"

	"github.com/lesismal/nbio/nbhttp"

	"wsfanout/internal/units"
)

// commonNotes are the differences that both engines can have.
func commonNotes(o *Options) (notes []string) {
	add := func(when bool, format string, v ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, v...))
		}
	}
	add(o.SendBuffer > 0, "SO_SNDBUF is %s; libraries and examples leave it to the kernel", units.FormatBytes(int64(o.SendBuffer)))
	add(o.UserTimeout > 0, "TCP_USER_TIMEOUT is %v; libraries and examples do not set it", o.UserTimeout)
	add(o.TCPKeepalive.Off, "TCP keepalive is off; Go's listeners set 15s/15s/9")
	add(o.TCPKeepalive.probes(), "TCP keepalive is %v, so that an idle client that is gone is closed after %v; Go's listeners set 15s/15s/9",
		o.TCPKeepalive, o.TCPKeepalive.limit())
	add(o.TCPKeepalive.probes() && o.Ping > 0 && o.Ping < o.TCPKeepalive.limit(),
		"pings every %v keep TCP keepalive from closing anybody: the kernel does not probe while something is unacknowledged", o.Ping)
	add(o.Ping > 0 && !o.Stock, "the server pings each client every %v; the library never pings on its own", o.Ping)
	add(o.Ping > 0 && o.Keepalive > 0 && o.Ping >= o.Keepalive,
		"pings every %v keep nobody alive: a client must be heard within %v", o.Ping, o.Keepalive)
	add(o.Compress, "permessage-deflate at level %d without context takeover, where the library's default is off and its level %d; a message written plainly is compressed anew for each client",
		o.Level, defaultLevel)
	return notes
}

func gorillaNotes(o *Options) []string {
	notes := commonNotes(o)
	add := func(when bool, format string, v ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, v...))
		}
	}
	add(o.Compress, "a prepared message is compressed once, by the library; a compressed message leaves in frames of at most the write buffer (prepared: 4 KiB), where nbio sends one")
	add(o.TLS(), "TLS by the standard library under net/http; every client's copy is encrypted by itself, prepared or not; an evicted client gets no close_notify, which would wait up to 5 s behind a stuck one")
	if o.Stock {
		add(true, "set up as the library's chat example: buffers of 1 KiB, 10 s for a write, pings every 54 s, 60 s for a pong")
		return notes
	}
	add(o.timed(), "a write may take %v, after which the client is closed; the library sets no deadline and never closes", o.WriteTimeout)
	add(!o.timed(), "a write may take for ever, which is the library's default; its chat example allows 10 s")
	add(o.timed() && o.Deadline == DeadlineOnce, "the write deadline is set once, at connect, as careless hubs do; the chat example sets it before every write")
	add(o.Keepalive == 0, "no read deadline, which is the library's default; its chat example closes after 60 s without a pong")
	add(o.Keepalive > 0 && o.Refresh != RefreshPong, "a client is closed after %v without any message or pong; the chat example counts pongs only", o.Keepalive)
	add(o.Keepalive > 0 && o.Refresh == RefreshPong, "a client is closed after %v without a pong, whatever else it sends, as in the chat example", o.Keepalive)
	add(o.ReadBuffer > 0 || o.WriteBuffer > 0, "buffers: read %s, write %s, where 0 is the library's default of 4 KiB",
		units.FormatBytes(int64(o.ReadBuffer)), units.FormatBytes(int64(o.WriteBuffer)))
	add(o.WriteBufferPool, "write buffers come from a pool; the library's default is one per connection")
	add(true, "clients may send %s at a time; the library's default is no limit", units.FormatBytes(int64(o.ReadLimit)))
	return notes
}

func nbioNotes(o *Options) []string {
	notes := commonNotes(o)
	add := func(when bool, format string, v ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, v...))
		}
	}
	own := max(1, runtime.NumCPU()/4)
	blocking := o.IOMod != IOModNonBlocking
	add(o.Compress, "a prepared message is compressed once, by the adapter, at the same level: the library has no prepared messages")
	add(o.TLS(), "TLS by the library's own fork of an older crypto/tls (llib): it never looks for AES hardware and takes ChaCha20-Poly1305, where the standard library takes AES-GCM if the processor has it; %s; every client's copy is encrypted by itself, prepared or not; its buffers are never reused, where the library's default is a pool that it gives a record's buffer back to before it has read it", whoDecrypts(blocking))
	add(o.Stock, "set up as the library's server example, which leaves everything at its default: no write timeout, no limit to pending bytes")
	add(o.NPoller != own, "npoller is %d; the library's default on this machine is %d (a quarter of the processors)", o.NPoller, own)
	add(o.FramePayload != nbhttp.DefaultMaxWebsocketFramePayloadSize,
		"one frame per message as gorilla sends it; the library splits above 32 KiB")
	add(o.Keepalive == 0, "no read deadline; the library's default closes after 120 s without a message of the client")
	add(o.Keepalive > 0 && o.Keepalive != nbhttp.DefaultKeepaliveTime,
		"a client is closed after %v without a message; the library's default is 120 s", o.Keepalive)
	add(o.HTTPKeepalive != nil, "%s", httpKeepaliveNote(o))
	add(o.timed() && o.Deadline == DeadlineEnforced && !blocking,
		"a client is closed when a byte has been owed for %v, which the adapter watches: the library's own deadline starts anew with every write", o.WriteTimeout)
	add(o.timed() && o.Deadline != DeadlineEnforced, "SetWriteDeadline with %v, policy %s; the library sets none", o.WriteTimeout, o.Deadline)
	add(o.timed() && o.Deadline == DeadlineEnforced && blocking, "SetWriteDeadline with %v before every blocking write; the library sets none", o.WriteTimeout)
	add(o.PendingCap > 0, "a client is closed above %s pending; the library's default is no limit", units.FormatBytes(o.PendingCap))
	add(o.Executor == ExecutorInline, "handlers run on the poller; the library's default is a pool of goroutines")
	add(o.Pool != defaultPool(), "the handler pool has %d goroutines; the library's default on this machine is %d", o.Pool, defaultPool())
	add(blocking && !o.Async, "blocking connections write as the caller, so that they block like gorilla; the library's default queues writes without bound")
	add(blocking && o.Async, "prepared messages are framed anew for each connection: the library's write queue takes only payloads")
	add(blocking, "iomod=%s; the library's default is nonblocking", o.IOMod)
	add(o.ReadBuffer > 0 || o.WriteBuffer > 0, "buffers: read %s, frames %s, where 0 is the library's default of 64 KiB per poller (4 KiB per blocking connection) and 1 KiB",
		units.FormatBytes(int64(o.ReadBuffer)), units.FormatBytes(int64(o.WriteBuffer)))
	add(!o.Stock, "clients may send %s at a time; the library's default is 4 MiB", units.FormatBytes(int64(o.ReadLimit)))
	add(true, "connections are accepted by the adapter's loop, which hands them to the library: its own spins when descriptors run out")
	return notes
}

func httpKeepaliveNote(o *Options) string {
	limit := o.httpKeepalive()
	if limit == 0 {
		limit = nbhttp.DefaultKeepaliveTime
	}
	return fmt.Sprintf("a client has %v for its HTTP request, and a quick one, once upgraded, until it is first heard: the adapter does not mend what the library leaves behind; the library's default is 120 s", limit)
}

func whoDecrypts(blocking bool) string {
	if blocking {
		return "each connection's goroutine shakes hands and decrypts"
	}
	return "pollers shake hands and decrypt"
}
