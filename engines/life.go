package engines

import (
	"sync/atomic"
	"syscall"
	"time"

	"wsfanout/internal/sock"
)

// life is what every connection has: its number, and one end with one cause. The first to blame decides the cause; the
// library's own close event, which comes exactly once, reports it.
type life struct {
	number   int
	over     atomic.Bool // closed or about to be
	deflates bool        // nbio, gobwas: the client has agreed to permessage-deflate
	cause    atomic.Pointer[error]
}

// Number is the client's place in the list.
func (l *life) Number() int { return l.number }

// blame records cause if it is the first.
func (l *life) blame(cause error) { l.cause.CompareAndSwap(nil, &cause) }

// verdict is the recorded cause, or else what the library saw.
func (l *life) verdict(seen error) error {
	if cause := l.cause.Load(); cause != nil {
		return *cause
	}
	return seen
}

// hearWriter lets a writer speak first. The kernel tells the reason of an end to one caller only, reader or writer; the
// other sees EOF or EPIPE. If the kernel ended this connection itself and the reader got the EOF, a writer has the reason.
func (l *life) hearWriter(raw syscall.RawConn) {
	ended := false
	_ = raw.Control(func(fd uintptr) { ended, _ = sock.Closed(int(fd)) })
	for range 100 {
		if !ended || l.cause.Load() != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
