package engines

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/lesismal/llib/std/crypto/tls"
	"github.com/lesismal/nbio"
	"github.com/lesismal/nbio/nbhttp/websocket"
)

// nbioMember is a connection of either kind, as nbio's callbacks see it.
type nbioMember interface {
	Member
	control(kind websocket.MessageType, payload []byte) error // sends a control frame, counted
	closed(err error)                                         // nbio has closed it
	startPings(interval time.Duration, group *sync.WaitGroup)
}

// nbioConn is a connection that pollers serve. Its writes never block: what the kernel refuses nbio keeps.
type nbioConn struct {
	life
	pinger
	account debt
	engine  *nbioEngine
	ws      *websocket.Conn
	conn    *nbio.Conn
}

func newNbioConn(e *nbioEngine, number int, ws *websocket.Conn, conn *nbio.Conn, secure *tls.Conn, deflates bool) *nbioConn {
	c := &nbioConn{life: life{number: number, deflates: deflates}, engine: e, ws: ws, conn: conn}
	if c.unforeseen() {
		attachOutlet(c, secure)
	}
	ws.SetSession(c) // from here on bytes are counted; the reply to the handshake, before, is not
	if e.mends() {
		_ = conn.SetReadDeadline(e.readDeadline())
	}
	return c
}

// sessionOf finds the connection behind nbio's: nbhttp keeps its WebSocket connection there, and that one keeps ours.
func sessionOf(conn *nbio.Conn) *nbioConn {
	if ws, ok := conn.Session().(*websocket.Conn); ok {
		c, _ := ws.Session().(*nbioConn)
		return c
	}
	return nil
}

// countTaken is nbio's OnWrittenSize: the kernel took n bytes. It runs under the connection's lock and must call nothing of
// nbio that takes it.
func countTaken(conn *nbio.Conn, _ []byte, n int) {
	if c := sessionOf(conn); c != nil {
		c.account.taken.Add(int64(n))
	}
}

// unforeseen reports whether the connection has an outlet, which counts what messages have become.
func (c *nbioConn) unforeseen() bool { return c.deflates || c.engine.tls != nil }

// Write sends one binary message, or leaves it with nbio.
func (c *nbioConn) Write(payload []byte) error {
	if c.unforeseen() {
		return c.sent(c.ws.WriteMessage(websocket.BinaryMessage, payload))
	}
	fresh := c.hand(messageBytes(len(payload), c.engine.options.FramePayload))
	return c.handed(fresh, c.ws.WriteMessage(websocket.BinaryMessage, payload))
}

// sent ends a write through the outlet, which has counted it and named its own errors; what the layers above add means
// that the connection is closed.
func (c *nbioConn) sent(err error) error {
	if err != nil && !isCause(err) {
		return ErrClosed
	}
	return err
}

// WritePrepared sends a message of Prepare, or leaves it with nbio.
func (c *nbioConn) WritePrepared(p Prepared) error {
	wire := p.(*nbioFrame).wire(c.deflates)
	if c.engine.tls != nil {
		_, err := c.ws.Conn.Write(wire)
		return c.sent(err)
	}
	fresh := c.hand(int64(len(wire)))
	_, err := c.conn.Write(wire)
	return c.handed(fresh, err)
}

func (c *nbioConn) control(kind websocket.MessageType, payload []byte) error {
	if c.unforeseen() {
		return c.sent(c.ws.WriteMessage(kind, payload))
	}
	fresh := c.hand(frameBytes(len(payload)))
	return c.handed(fresh, c.ws.WriteMessage(kind, payload))
}

// hand counts n bytes before they are handed over, and reports whether nothing was owed before.
func (c *nbioConn) hand(n int64) (fresh bool) {
	o := &c.engine.options
	if o.Deadline == DeadlineNative && o.timed() {
		_ = c.conn.SetWriteDeadline(time.Now().Add(o.WriteTimeout))
	}
	return c.account.handed.Add(n)-n == c.account.taken.Load()
}

// handed ends a write: if the kernel refused some of it, the deadline policy begins to care.
func (c *nbioConn) handed(fresh bool, err error) error {
	if err != nil {
		return c.failed(err)
	}
	if c.account.owed() > 0 {
		c.owes(fresh)
	}
	return nil
}

func (c *nbioConn) owes(fresh bool) {
	o := &c.engine.options
	switch {
	case o.watched():
		c.engine.sweeper.watch(c)
	case fresh && o.Deadline == DeadlineOnce && o.timed():
		_ = c.conn.SetWriteDeadline(time.Now().Add(o.WriteTimeout))
	}
}

func (c *nbioConn) debt() *debt { return &c.account }

// failed names why a write failed. nbio has closed the connection already, and tells the same to closed.
func (c *nbioConn) failed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return ErrClosed
	}
	return nbioCause(err, &c.engine.options)
}

// Owed is what nbio keeps for the connection.
func (c *nbioConn) Owed() int64 {
	owed := c.account.owed()
	if owed == 0 || c.over.Load() {
		return 0
	}
	// What nbio closed on its own is closed before we hear of it. The flag is read without its lock: at worst this is the
	// last instant before the close.
	if over, _ := c.conn.IsClosed(); over {
		return 0
	}
	return owed
}

// Control calls f with the descriptor under nbio's own lock, under which every close begins: while f runs the descriptor
// cannot be closed, and after a close it never runs. f must not call the connection's methods.
func (c *nbioConn) Control(f func(fd uintptr)) error {
	c.conn.Lock()
	defer c.conn.Unlock()
	if over, _ := c.conn.IsClosed(); over {
		return ErrClosed
	}
	f(uintptr(c.conn.Hash())) // the hash is the descriptor
	return nil
}

// Evict closes the connection with cause, which nbio keeps if it is the first and hands to closed, on another goroutine.
func (c *nbioConn) Evict(cause error) {
	c.over.Store(true)
	_ = c.conn.CloseWithError(cause)
}

func (c *nbioConn) closed(err error) {
	c.over.Store(true)
	c.pinger.stop()
	c.engine.Closed(c, c.verdict(nbioCause(err, &c.engine.options)))
}

func (c *nbioConn) startPings(interval time.Duration, group *sync.WaitGroup) {
	c.pinger.start(interval, group, func() { _ = c.control(websocket.PingMessage, nil) })
}

// Goodbye leaves a close frame with nbio and waits until the kernel has it.
func (c *nbioConn) Goodbye(by time.Time) {
	c.blame(ErrStopped)
	_ = c.control(websocket.CloseMessage, closePayload(1001, ""))
	for c.Owed() > 0 && time.Now().Before(by) {
		time.Sleep(time.Millisecond)
	}
}

// nbioCause names what nbio says when it closes a connection. No error at all follows a close frame with code 1000.
func nbioCause(err error, o *Options) error {
	var closed *websocket.CloseError
	switch {
	case isCause(err):
		return err
	case err == nil, errors.Is(err, net.ErrClosed): // the second under TLS, where the reader runs into its own close
		return fmt.Errorf("%w: close frame", ErrPeerClosed)
	case errors.Is(err, nbio.ErrWriteTimeout):
		return writeTimeout(o.WriteTimeout)
	case errors.Is(err, nbio.ErrReadTimeout):
		return nbioReadTimeout(o)
	case errors.Is(err, nbio.ErrOverflow):
		return fmt.Errorf("%w: more than %d bytes pending", ErrWriteOverflow, o.PendingCap)
	case errors.As(err, &closed):
		return fmt.Errorf("%w: %w", ErrPeerClosed, err)
	}
	if cause := transportCause(err, o); cause != nil {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrProtocol, err)
}
