package engines

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/lesismal/llib/std/crypto/tls"
	"github.com/lesismal/nbio/nbhttp/websocket"
)

// nbioBlocking is a connection that a goroutine of nbio reads and whose writes block, in the modes blocking and mixed.
type nbioBlocking struct {
	life
	meter
	pinger
	engine *nbioEngine
	ws     *websocket.Conn
	conn   *net.TCPConn
	once   time.Time // the deadline of every write, with deadline=once
}

func newNbioBlocking(e *nbioEngine, number int, ws *websocket.Conn, conn *net.TCPConn, secure *tls.Conn, deflates bool) *nbioBlocking {
	c := &nbioBlocking{life: life{number: number, deflates: deflates}, engine: e, ws: ws, conn: conn}
	if e.options.timed() {
		c.once = time.Now().Add(e.options.WriteTimeout)
	}
	if raw, err := conn.SyscallConn(); err == nil { // fails only on a nil connection
		c.meter.open(raw)
	}
	(&nbioWire{Conn: conn, c: c}).attach(ws, secure)
	ws.SetSession(c)
	return c
}

// deadline of a write that begins now.
func (c *nbioBlocking) deadline() time.Time { return c.engine.options.blockingDeadline(c.once) }

// failed begins the eviction: nbio does not close a blocking connection whose write failed.
func (c *nbioBlocking) failed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return ErrClosed
	}
	cause := blockedWriteCause(err, &c.engine.options)
	if !errors.Is(err, syscall.EPIPE) { // then the kernel has told the reason to the reader, who is about to report it
		c.Evict(cause)
	}
	return cause
}

// Write sends one binary message and blocks until the kernel has taken it, or with async queues it.
func (c *nbioBlocking) Write(payload []byte) error {
	c.queues(messageBytes(len(payload), c.engine.options.FramePayload))
	return c.sent(c.ws.WriteMessage(websocket.BinaryMessage, payload))
}

// WritePrepared sends a message of Prepare. With async it is framed anew, because nbio's queue takes only payloads and a
// write beside the queue would block and overtake it.
func (c *nbioBlocking) WritePrepared(p Prepared) error {
	frame := p.(*nbioFrame)
	if c.engine.options.Async {
		return c.Write(frame.payload)
	}
	_, err := c.ws.Conn.Write(frame.wire(c.deflates))
	return c.sent(err)
}

func (c *nbioBlocking) control(kind websocket.MessageType, payload []byte) error {
	c.queues(frameBytes(len(payload)))
	return c.sent(c.ws.WriteMessage(kind, payload))
}

// queues counts what async is about to queue; without it the wire counts.
func (c *nbioBlocking) queues(n int64) {
	if c.engine.options.Async {
		c.account.handed.Add(n)
	}
}

// sent ends a write. The wire has named its own errors; nbio's layer adds only that the connection is closed. What waits in
// the queue of async has no deadline of the wire yet, so its age is watched.
func (c *nbioBlocking) sent(err error) error {
	if err != nil && !isCause(err) {
		return ErrClosed
	}
	o := &c.engine.options
	if err == nil && o.Async && o.watched() && c.account.owed() > 0 {
		c.engine.sweeper.watch(c)
	}
	return err
}

func (c *nbioBlocking) debt() *debt { return &c.account }

// Owed is what the kernel has not taken of a write under way, and with async the queue.
func (c *nbioBlocking) Owed() int64 {
	if c.over.Load() {
		return 0
	}
	return c.meter.owed()
}

// Control calls f with the descriptor, unless the connection is closed.
func (c *nbioBlocking) Control(f func(fd uintptr)) error { return c.meter.control(f) }

// Evict closes the socket, and not through nbio, which waits for the lock that a blocked write holds, or 100 ms with async.
// The reader reports cause.
func (c *nbioBlocking) Evict(cause error) {
	c.blame(cause)
	c.over.Store(true)
	_ = c.conn.Close()
}

func (c *nbioBlocking) closed(err error) {
	c.over.Store(true)
	c.pinger.stop()
	if c.engine.options.kernelEnds() {
		c.hearWriter()
	}
	c.engine.Closed(c, c.verdict(c.readCause(err)))
}

// hearWriter lets a write under way end first: the kernel tells the reason of an end to the reader or to the writer. The
// socket is closed by now, so the write does end.
func (c *nbioBlocking) hearWriter() {
	for range 100 {
		if c.cause.Load() != nil || c.account.owed() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func (c *nbioBlocking) readCause(err error) error {
	if err != nil && deadlinePassed(err) && !kernelTimeout(err) {
		return nbioReadTimeout(&c.engine.options)
	}
	return nbioCause(err, &c.engine.options)
}

func (c *nbioBlocking) startPings(interval time.Duration, group *sync.WaitGroup) {
	c.pinger.start(interval, group, func() { _ = c.control(websocket.PingMessage, nil) })
}

// Goodbye sends the close frame on a goroutine of its own: behind a blocked write it would wait for that write's deadline.
func (c *nbioBlocking) Goodbye(by time.Time) {
	c.blame(ErrStopped)
	sent := make(chan struct{})
	c.engine.tasks.Go(func() {
		_ = c.control(websocket.CloseMessage, closePayload(1001, ""))
		close(sent)
	})
	timer := time.NewTimer(time.Until(by))
	defer timer.Stop()
	select {
	case <-sent:
	case <-timer.C:
	}
	for c.Owed() > 0 && time.Now().Before(by) { // async: the queue
		time.Sleep(time.Millisecond)
	}
}
