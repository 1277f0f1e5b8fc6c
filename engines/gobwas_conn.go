package engines

import (
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gobwas/ws"
)

// Who looks after a connection, and so reports its end.
const (
	resting int32 = iota // nobody: it waits for an event, or for a worker
	busy                 // the goroutine that opens it or reads from it
	ended                // whoever set this
)

type gobwasConn struct {
	life
	meter
	pinger
	engine *gobwas
	conn   net.Conn
	socket net.Conn     // under TLS; else conn
	wire   *gorillaWire // counts what TLS writes; nil without
	once   time.Time    // the deadline of every write, with deadline=once

	turn   chan struct{} // full while somebody writes: frames must not mix
	parted bool          // a close frame was sent; guarded by turn

	state   atomic.Int32
	heard   atomic.Int64          // on the engine's clock: when a message or a control frame was last read
	suspect atomic.Pointer[error] // a cause that a writer saw the end of, for want of a better one
	id      int32                 // netpoll's; 0 without
}

func newGobwasConn(e *gobwas, number int, conn, socket net.Conn, wire *gorillaWire) *gobwasConn {
	c := &gobwasConn{life: life{number: number}, engine: e, conn: conn, socket: socket, wire: wire, turn: make(chan struct{}, 1)}
	c.state.Store(busy)
	if e.options.Deadline == DeadlineOnce && e.options.timed() {
		c.once = time.Now().Add(e.options.WriteTimeout)
	}
	if raw, err := socket.(syscall.Conn).SyscallConn(); err == nil { // fails only on a nil connection
		c.meter.open(raw)
	}
	if wire != nil {
		wire.meter.Store(&c.meter)
	}
	c.alive()
	return c
}

// gobwasFrame is a prepared message: the bytes on the wire.
type gobwasFrame struct{ plain, compressed []byte }

func compiled(payload []byte) []byte { return ws.MustCompileFrame(ws.NewBinaryFrame(payload)) } // to memory

// Write sends one binary message and blocks until the kernel has taken it.
func (c *gobwasConn) Write(payload []byte) error {
	if !c.deflates {
		return c.message(compiled(payload))
	}
	frame, err := CompressedFrame(payload, c.engine.options.Level)
	if err != nil {
		return err
	}
	return c.message(frame)
}

// WritePrepared sends a message of Prepare and blocks until the kernel has taken it.
func (c *gobwasConn) WritePrepared(p Prepared) error {
	frame := p.(*gobwasFrame)
	if c.deflates {
		return c.message(frame.compressed)
	}
	return c.message(frame.plain)
}

func (c *gobwasConn) message(frame []byte) error {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	if c.parted {
		return ErrClosed
	}
	if err := c.put(frame, c.deadline()); err != nil {
		return c.failed(err)
	}
	return nil
}

// put writes one frame. The caller has the turn.
func (c *gobwasConn) put(frame []byte, by time.Time) error {
	n := int64(len(frame))
	if c.wire != nil { // which counts what it becomes
		n = 0
	}
	c.account.handed.Add(n)
	_ = c.conn.SetWriteDeadline(by)
	_, err := c.conn.Write(frame)
	c.account.taken.Add(n)
	return err
}

// errNoTurn is what a control frame gets that waited in vain behind a message.
var errNoTurn = errors.New("a message is under way")

// control sends a control frame, at the latest at the instant by; zero: whenever. It may run beside a Write.
func (c *gobwasConn) control(op ws.OpCode, payload []byte, by time.Time) error {
	if !c.take(by) {
		return errNoTurn
	}
	defer func() { <-c.turn }()
	if c.parted {
		return ErrClosed
	}
	c.parted = op == ws.OpClose
	return c.put(ws.MustCompileFrame(ws.NewFrame(op, true, payload)), by)
}

// take takes the turn, unless it does not come until by.
func (c *gobwasConn) take(by time.Time) bool {
	select {
	case c.turn <- struct{}{}:
		return true
	default:
	}
	var late <-chan time.Time
	if !by.IsZero() {
		timer := time.NewTimer(time.Until(by))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case c.turn <- struct{}{}:
		return true
	case <-late:
		return false
	}
}

// deadline of a write that begins now.
func (c *gobwasConn) deadline() time.Time { return c.engine.options.blockingDeadline(c.once) }

// failed begins the eviction after a write: a frame may have been sent in part.
func (c *gobwasConn) failed(err error) error {
	if err = c.wire.reason(err); errors.Is(err, net.ErrClosed) || errors.Is(err, ErrClosed) {
		return ErrClosed
	}
	cause := blockedWriteCause(err, &c.engine.options)
	if errors.Is(err, syscall.EPIPE) { // then the kernel may have told the reason to a reader, who is about to report it
		c.suspect.Store(&cause)
		if c.state.Load() != resting {
			return cause
		}
	}
	c.Evict(cause)
	return cause
}

// Owed is what the kernel has not taken of a write under way.
func (c *gobwasConn) Owed() int64 {
	if c.over.Load() {
		return 0
	}
	return c.meter.owed()
}

// Control calls f with the descriptor, unless the connection is closed.
func (c *gobwasConn) Control(f func(fd uintptr)) error { return c.meter.control(f) }

// Evict closes the connection. Who reads from it reports cause; if nobody does, and with a full pool nobody may for long,
// a goroutine does.
func (c *gobwasConn) Evict(cause error) {
	c.blame(cause)
	c.hangUp()
	c.reportIfResting()
}

func (c *gobwasConn) hangUp() {
	c.over.Store(true)
	_ = c.socket.Close() // not TLS, whose close_notify would wait behind what a stuck client does not read
}

func (c *gobwasConn) reportIfResting() {
	if c.state.CompareAndSwap(resting, ended) {
		go c.report(nil)
	}
}

// report is the end, once: who set the state to ended calls it.
func (c *gobwasConn) report(seen error) {
	c.pinger.stop()
	if c.id != 0 {
		c.engine.poll.forget(c)
	}
	c.engine.Closed(c, c.verdict(seen))
	c.engine.tasks.Done()
}

func (c *gobwasConn) Goodbye(by time.Time) {
	c.blame(ErrStopped)
	_ = c.control(ws.OpClose, closePayload(int(ws.StatusGoingAway), ""), by)
}
