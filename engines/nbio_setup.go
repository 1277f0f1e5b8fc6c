package engines

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/lesismal/nbio/nbhttp"

	"wsfanout/internal/units"
)

// Bounds of what nbio can be asked for: each poller holds descriptors, each worker of a pool is a goroutine.
const (
	maxPollers = 1024
	maxPool    = 1 << 20
)

// MixedBlocking is how many connections iomod=mixed serves with a goroutine each, before pollers serve the others.
const MixedBlocking = nbhttp.DefaultMaxBlockingOnline

var nbioOptions = []option{
	choice("iomod", IOModNonBlocking, "nbio's I/O mode",
		[]string{IOModNonBlocking, IOModBlocking, IOModMixed}, func(o *Options) *string { return &o.IOMod }),
	count("npoller", "GOMAXPROCS", "poller goroutines", maxPollers,
		func(o *Options) *int { return &o.NPoller }),
	size("pendingcap", "0", "close who owes more; 0: no cap",
		func(o *Options) *int64 { return &o.PendingCap }),
	choice("executor", ExecutorPool, "where handlers run: a pool, or the poller",
		[]string{ExecutorPool, ExecutorInline}, func(o *Options) *string { return &o.Executor }),
	count("pool", "1024 x CPUs", "goroutines of the handler pool", maxPool,
		func(o *Options) *int { return &o.Pool }),
	optional("httpkeepalive", "the library's own limit for an HTTP request, unmended; 0: its 120s",
		func(o *Options) **time.Duration { return &o.HTTPKeepalive }),
	toggle("async", "blocking connections queue writes, unbounded",
		func(o *Options) *bool { return &o.Async }),
}

// nbioEqualise is the part of the compared set-up that is nbio's own: one frame per message, as gorilla sends it, and as
// many pollers as there are processors for goroutines.
func nbioEqualise(o *Options) {
	o.IOMod = IOModNonBlocking
	o.Executor = ExecutorPool
	o.NPoller = runtime.GOMAXPROCS(0)
	o.Pool = defaultPool()
	o.FramePayload = max(o.largestMessage(), nbhttp.DefaultMaxWebsocketFramePayloadSize)
}

// largestMessage bounds the payload of a message's frames.
func (o *Options) largestMessage() int {
	if o.Compress {
		return deflatedAtMost(o.MaxPayload)
	}
	return o.MaxPayload
}

// defaultPool is the size that nbio gives its handler pool.
func defaultPool() int { return runtime.NumCPU() * 1024 }

// nbioStock is the library's websocket server example, which leaves everything at its default.
func nbioStock(o *Options) {
	nbioEqualise(o)
	o.Deadline = DeadlineNone
	o.Keepalive = nbhttp.DefaultKeepaliveTime
	o.NPoller = max(1, runtime.NumCPU()/4)
	o.FramePayload = nbhttp.DefaultMaxWebsocketFramePayloadSize
	o.ReadLimit = 4 << 20
}

func nbioCheck(o *Options) error {
	smallest := messageBytes(o.largestMessage(), o.FramePayload)
	if o.TLS() {
		smallest = encryptedAtMost(smallest)
	}
	switch {
	case o.PendingCap > 0 && o.IOMod != IOModNonBlocking:
		return errors.New("pendingcap works only with iomod=nonblocking: blocking connections keep nothing")
	case o.PendingCap > 0 && o.PendingCap < smallest:
		// nbio counts a message before it tries to send it: such a cap closes healthy clients.
		return fmt.Errorf("pendingcap=%s is below one message of %s with its frame; the smallest is pendingcap=%d",
			units.CompactBytes(o.PendingCap), units.FormatBytes(int64(o.MaxPayload)), smallest)
	case o.Executor == ExecutorInline && o.Pool != defaultPool():
		return errors.New("pool works only with executor=pool")
	case o.Async && o.IOMod == IOModNonBlocking:
		return errors.New("async works only with iomod=blocking or iomod=mixed")
	case o.Async && o.unforeseen():
		return errors.New("async works only without -compress and -tls: the queue does not tell how many bytes wait in it")
	}
	return nil
}
