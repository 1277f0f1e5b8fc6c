package engines

import (
	"io"
	"os"
	"time"
)

// The write timeout policies of the option deadline.
const (
	DeadlineEnforced = "enforced" // a connection is evicted when some byte has been owed for the write timeout
	DeadlineNative   = "native"   // the naive hub: the library's SetWriteDeadline with a fresh deadline before every write
	DeadlineOnce     = "once"     // one deadline: on gorilla set at connect, on nbio when the connection starts to owe
	DeadlineNone     = "none"     // no deadline
)

// The values of the option iomod, as nbio names them.
const (
	IOModNonBlocking = "nonblocking" // pollers read and write
	IOModBlocking    = "blocking"    // a goroutine reads each connection, writes block
	IOModMixed       = "mixed"       // the first 10,000 connections as blocking, the others as nonblocking
)

// The values of the option executor: where nbio runs handlers.
const (
	ExecutorPool   = "pool"   // nbio's goroutine pool
	ExecutorInline = "inline" // the poller itself: a handler that sleeps stalls the poller's other connections
)

// The values of the option refresh: what moves the keepalive deadline on gorilla.
const (
	RefreshAny  = "any"  // every message and control frame
	RefreshPong = "pong" // pongs only, as the library's chat example has it
)

// The values of the option mode: who reads on gobwas.
const (
	ModeNetpoll   = "netpoll"   // a bounded pool behind an epoll loop
	ModeGoroutine = "goroutine" // a goroutine for each connection
)

// handshakeTimeout is how long a client may take for its HTTP request, on every engine.
const handshakeTimeout = 10 * time.Second

// Defaults is what an experiment wants unless a spec says otherwise, and what no spec can say.
type Defaults struct {
	WriteTimeout time.Duration // 0: none
	SendBuffer   int           // SO_SNDBUF in bytes as given to setsockopt; 0: untouched
	MaxPayload   int           // bytes of the largest message that will be sent
	MaxClients   int           // clients are numbered 0..MaxClients-1
	Compress     bool          // permessage-deflate for every client that offers it
	CertPEM      []byte        // serve TLS with this certificate and KeyPEM; empty: no TLS
	KeyPEM       []byte
	Log          io.Writer // nil: os.Stderr
}

// Options is a set-up with everything decided. Make one with Spec.Resolve.
type Options struct {
	Name string // of the engine
	Defaults

	Deadline         string        // one of the Deadline constants
	HandshakeTimeout time.Duration // how long a client may take for its HTTP request
	UserTimeout      time.Duration // TCP_USER_TIMEOUT; 0: the kernel's own
	TCPKeepalive     TCPKeepalive  // the kernel's probes; zero: as Go's listeners set them
	Keepalive        time.Duration // a client from which nothing is read for so long is closed; 0: off
	Ping             time.Duration // interval of the server's pings to each client; 0: none
	ReadBuffer       int           // bytes; 0: the library's own choice
	WriteBuffer      int           // bytes; 0: the library's own choice
	ReadLimit        int           // bytes of the largest message a client may send
	Level            int           // of deflate, 1 to 9, with Compress
	Stock            bool          // start from the library's own example instead of the equalised set-up

	WriteBufferPool bool   // gorilla: idle connections hold no write buffer
	Refresh         string // gorilla: one of the Refresh constants; "" is any

	// HTTPKeepalive is nbio's KeepaliveTime for HTTP, applied as the library does, to upgraded connections too if they are
	// quick; 0: the library's 120 s. Nil: HandshakeTimeout, and the adapter mends it.
	HTTPKeepalive *time.Duration

	IOMod        string // nbio: one of the IOMod constants
	NPoller      int    // nbio: poller goroutines; 0: the library's own choice
	PendingCap   int64  // nbio: bytes one connection may owe before it is closed; 0: no cap
	Executor     string // nbio: one of the Executor constants
	Pool         int    // nbio: goroutines of the handler pool; 0: the library's own choice. gobwas: workers that read
	Async        bool   // nbio, blocking connections: queue writes and send them from a goroutine
	FramePayload int    // nbio: bytes of payload from which a message is split into frames

	Mode        string        // gobwas: one of the Mode constants
	ReadTimeout time.Duration // gobwas, netpoll: how long each read of a message may hold a worker; 0: for ever
}

// Map is every option in force, defaults included, as a spec would write it: for the results file.
func (o Options) Map() map[string]string {
	engine, err := find(o.Name)
	if err != nil {
		return nil
	}
	m := make(map[string]string)
	for _, option := range engine.options {
		m[option.name] = option.get(&o)
	}
	return m
}

// WriteLimit is how long the policy lets a byte be owed; 0: for ever.
func (o Options) WriteLimit() time.Duration {
	if o.Deadline == DeadlineNone {
		return 0
	}
	return o.WriteTimeout
}

// timed reports whether the policy ever ends a write.
func (o *Options) timed() bool { return o.WriteLimit() > 0 }

// blockingDeadline is that of a blocking write that begins now; once is the one that deadline=once set at connect. `enforced`
// and `native` are the same where writes block: the deadline holds for each write, so that no byte is owed for longer.
func (o *Options) blockingDeadline(once time.Time) time.Time {
	switch {
	case !o.timed():
		return time.Time{}
	case o.Deadline == DeadlineOnce:
		return once
	}
	return time.Now().Add(o.WriteTimeout)
}

// watched reports whether the age of owed bytes is to be kept.
func (o *Options) watched() bool { return o.WriteTimeout > 0 && o.Deadline == DeadlineEnforced }

// kernelEnds reports whether the kernel is asked to end connections by itself.
func (o *Options) kernelEnds() bool { return o.UserTimeout > 0 || o.TCPKeepalive.probes() }

// log is where an engine may write; stdout carries results.
func (o *Options) log() io.Writer {
	if o.Log == nil {
		return os.Stderr
	}
	return o.Log
}

// equalised is the set-up in which the engines are compared: whatever both can do, both do alike.
func equalised(name string, d Defaults) Options {
	return Options{
		Name:             name,
		Defaults:         d,
		Deadline:         DeadlineEnforced,
		HandshakeTimeout: handshakeTimeout,
		ReadLimit:        max(64<<10, d.MaxPayload),
		Level:            defaultLevel,
	}
}
