package engines

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Listen sets on ln what the options ask for and returns a listener whose connections are *Socket. It is for an engine of
// somebody else's: most of a Conn, for a library that takes a net.Listener or net.Conn and blocks in its writes.
func Listen(ln net.Listener, o Options) (net.Listener, error) {
	return &socketListener{ln, o}, tune(ln, &o)
}

type socketListener struct {
	net.Listener
	options Options
}

func (l *socketListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	s := &Socket{Conn: conn, options: &l.options}
	if s.meter.raw, err = conn.(syscall.Conn).SyscallConn(); err != nil {
		return nil, err // of a nil connection only
	}
	tuneConn(s, &l.options)
	return s, nil
}

// Socket is the TCP connection under a library. Once it has a Seat it counts what is written, keeps the write timeout and
// the keepalive, and remembers what ended it.
type Socket struct {
	net.Conn
	options *Options
	end     life
	meter   meter
	seated  atomic.Bool
	writing sync.Mutex // a deadline belongs to one write
	last    atomic.Pointer[time.Time]
}

// Seat gives the socket to a client whose handshake is done. Nobody else may use the socket meanwhile.
func (s *Socket) Seat(number int) {
	s.end.number = number
	s.meter.open(s.meter.raw)
	s.seated.Store(true)
}

// Number is the client's place in the list.
func (s *Socket) Number() int { return s.end.number }

// Read is the library's. A read of a client may take as long as the keepalive.
func (s *Socket) Read(b []byte) (int, error) {
	seated := s.seated.Load()
	if k := s.options.Keepalive; seated && k > 0 {
		_ = s.Conn.SetReadDeadline(time.Now().Add(k)) // fails only on a closed connection, as the read will
	}
	n, err := s.Conn.Read(b)
	if err != nil && seated && !errors.Is(err, net.ErrClosed) {
		s.readFailed(err)
	}
	return n, err
}

func (s *Socket) readFailed(err error) {
	if deadlinePassed(err) && !kernelTimeout(err) {
		s.end.blame(readTimeout(s.options.Keepalive))
		return
	}
	if s.options.kernelEnds() && !kernelTimeout(err) {
		s.end.hearWriter(s.meter.raw)
	}
	s.end.blame(blockedWriteCause(err, s.options)) // no deadline: the same reasons
}

// Write is the library's, or the engine's for a frame that is ready. It blocks until the kernel has taken b. An error means
// that the connection's end has begun: ErrClosed, or the cause.
func (s *Socket) Write(b []byte) (int, error) {
	if !s.seated.Load() {
		return s.Conn.Write(b)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.end.over.Load() {
		return 0, ErrClosed
	}
	s.setDeadline()
	s.meter.account.handed.Add(int64(len(b)))
	n, err := s.Conn.Write(b)
	s.meter.account.taken.Add(int64(len(b)))
	if err != nil {
		return n, s.writeFailed(err)
	}
	return n, nil
}

func (s *Socket) setDeadline() {
	if s.options.timed() {
		_ = s.Conn.SetWriteDeadline(time.Now().Add(s.options.WriteTimeout))
	}
	if by := s.last.Load(); by != nil { // after the line above, which may have overtaken LastCall
		_ = s.Conn.SetWriteDeadline(*by)
	}
}

func (s *Socket) writeFailed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return ErrClosed
	}
	cause := blockedWriteCause(err, s.options)
	if !errors.Is(err, syscall.EPIPE) { // then the kernel has told the reason to the reader, who is about to report it
		s.Evict(cause)
	}
	return cause
}

// Owed is what the kernel has not taken of a write under way.
func (s *Socket) Owed() int64 {
	if s.end.over.Load() {
		return 0
	}
	return s.meter.owed()
}

// Control calls f with the descriptor, unless the connection is closed.
func (s *Socket) Control(f func(fd uintptr)) error { return s.meter.control(f) }

// Evict closes the connection, past the library, whose reader finds out; Cause knows why then.
func (s *Socket) Evict(cause error) {
	s.end.blame(cause)
	_ = s.Close()
}

// Close is the library's.
func (s *Socket) Close() error {
	s.end.over.Store(true)
	return s.Conn.Close()
}

// LastCall lets no write last beyond an instant: the engine stops, and that is the cause.
func (s *Socket) LastCall(by time.Time) {
	s.end.blame(ErrStopped)
	s.last.Store(&by)
	_ = s.Conn.SetWriteDeadline(by)
}

// Cause is what OnClose reports once the library has ended: what the socket knows, or else seen, the library's own reason.
func (s *Socket) Cause(seen error) error { return s.end.verdict(seen) }

// Farewell admits nobody any more, says goodbye to all members at once and closes them.
func (r *Roster) Farewell(ctx context.Context) {
	farewell(ctx, &r.options, r.stop())
}
