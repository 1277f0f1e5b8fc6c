package engines

import (
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

type gorillaConn struct {
	life
	meter
	pinger
	engine *gorilla
	ws     *websocket.Conn
	socket net.Conn
	wire   *gorillaWire // counts what is written; nil where frames reach the socket as they are
	once   time.Time    // the deadline of every write, with deadline=once
}

func newGorillaConn(e *gorilla, number int, ws *websocket.Conn) *gorillaConn {
	c := &gorillaConn{life: life{number: number}, engine: e, ws: ws}
	if e.options.Deadline == DeadlineOnce && e.options.timed() {
		c.once = time.Now().Add(e.options.WriteTimeout)
	}
	c.socket, c.wire = gorillaSocket(ws.NetConn())
	if raw, err := c.socket.(syscall.Conn).SyscallConn(); err == nil { // fails only on a nil connection
		c.meter.open(raw)
	}
	if c.wire != nil {
		c.wire.meter.Store(&c.meter)
	}
	_ = ws.SetCompressionLevel(e.options.Level) // refused only when out of range
	ws.SetReadLimit(int64(e.options.ReadLimit))
	ws.SetPingHandler(c.pinged)
	ws.SetPongHandler(func(string) error { return c.alive() })
	return c
}

// Write sends one binary message and blocks until the kernel has taken it.
func (c *gorillaConn) Write(payload []byte) error {
	n := c.known(frameBytes(len(payload)))
	c.account.handed.Add(n)
	_ = c.ws.SetWriteDeadline(c.deadline()) // only stores it
	err := c.ws.WriteMessage(websocket.BinaryMessage, payload)
	c.account.taken.Add(n)
	if err != nil {
		return c.failed(err)
	}
	return nil
}

// WritePrepared sends a message of Prepare and blocks until the kernel has taken it.
func (c *gorillaConn) WritePrepared(p Prepared) error {
	prepared := p.(*gorillaFrame)
	n := c.known(prepared.bytes)
	c.account.handed.Add(n)
	_ = c.ws.SetWriteDeadline(c.deadline())
	err := c.ws.WritePreparedMessage(prepared.message)
	c.account.taken.Add(n)
	if err != nil {
		return c.failed(err)
	}
	return nil
}

// known is n, the bytes of a frame as it is, or nothing where the wire counts what has become of it.
func (c *gorillaConn) known(n int64) int64 {
	if c.wire != nil {
		return 0
	}
	return n
}

// deadline of a write that begins now. With compression it counts the time that compressing takes too.
func (c *gorillaConn) deadline() time.Time { return c.engine.options.blockingDeadline(c.once) }

// failed begins the eviction after a write: the library's write errors are sticky, and it never closes.
func (c *gorillaConn) failed(err error) error {
	switch err = c.wire.reason(err); {
	case errors.Is(err, net.ErrClosed), errors.Is(err, websocket.ErrCloseSent):
		return ErrClosed
	}
	cause := blockedWriteCause(err, &c.engine.options)
	if !errors.Is(err, syscall.EPIPE) { // then the kernel has told the reason to the reader, who is about to report it
		c.Evict(cause)
	}
	return cause
}

// Owed is what the kernel has not taken of a write under way.
func (c *gorillaConn) Owed() int64 {
	if c.over.Load() {
		return 0
	}
	return c.meter.owed()
}

// Control calls f with the descriptor, unless the connection is closed.
func (c *gorillaConn) Control(f func(fd uintptr)) error { return c.meter.control(f) }

// Evict closes the connection; its reader reports cause.
func (c *gorillaConn) Evict(cause error) {
	c.blame(cause)
	c.hangUp()
}

// hangUp closes the socket, and not through TLS, whose close_notify would wait up to 5 s behind what a stuck client does
// not read.
func (c *gorillaConn) hangUp() {
	c.over.Store(true)
	_ = c.socket.Close()
}
