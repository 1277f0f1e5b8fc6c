package engines

import (
	"errors"
	"fmt"
	"time"

	"github.com/gorilla/websocket"

	"wsfanout/internal/sock"
)

// serve is the connection's goroutine: it opens, reads to the end and reports it.
func (c *gorillaConn) serve() {
	tuneConn(c, &c.engine.options)
	if !c.engine.open(c) {
		c.hangUp()
		return
	}
	c.pinger.start(c.engine.options.Ping, &c.engine.readers, c.ping)
	cause := c.readCause(c.read())
	c.pinger.stop()
	c.hangUp()
	c.engine.close(c, c.verdict(cause))
}

func (c *gorillaConn) read() error {
	for {
		_ = c.alive()
		_, payload, err := c.ws.ReadMessage()
		if err != nil {
			return err
		}
		c.engine.message(c, payload)
	}
}

// alive moves the read deadline: something was read.
func (c *gorillaConn) alive() error {
	if k := c.engine.options.Keepalive; k > 0 {
		return c.ws.SetReadDeadline(time.Now().Add(k))
	}
	return nil
}

// readCause names what ended the reading.
func (c *gorillaConn) readCause(err error) error {
	o := &c.engine.options
	var closed *websocket.CloseError
	switch {
	case errors.As(err, &closed):
		if closed.Code == websocket.CloseAbnormalClosure && o.UserTimeout > 0 {
			c.hearWriter()
		}
		return fmt.Errorf("%w: %w", ErrPeerClosed, err)
	case deadlinePassed(err) && !kernelTimeout(err):
		return readTimeout(o.Keepalive)
	}
	if cause := transportCause(err, o); cause != nil {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrProtocol, err)
}

// hearWriter lets a writer speak first. The kernel tells the reason of an end to one caller only, reader or writer; the
// other sees EOF or EPIPE. If the kernel ended this connection itself and the reader got the EOF, a writer has the reason.
func (c *gorillaConn) hearWriter() {
	ended := false
	_ = c.raw.Control(func(fd uintptr) { ended, _ = sock.Closed(int(fd)) })
	for range 100 {
		if !ended || c.cause.Load() != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// send writes a control frame. It may run beside a Write.
func (c *gorillaConn) send(kind int, payload []byte, by time.Time) error {
	n := c.known(frameBytes(len(payload)))
	c.account.handed.Add(n)
	err := c.ws.WriteControl(kind, payload, by)
	if err != nil {
		c.account.handed.Add(-n)
		return err
	}
	c.account.taken.Add(n)
	return nil
}

func (c *gorillaConn) ping() { c.controlSent(c.send(websocket.PingMessage, nil, c.deadline())) }

// pinged answers a client's ping.
func (c *gorillaConn) pinged(payload string) error {
	c.controlSent(c.send(websocket.PongMessage, []byte(payload), c.deadline()))
	return c.alive()
}

// controlSent begins the eviction if a control frame broke the connection. One that only waited in vain behind a Write did
// not: that Write has its own deadline.
func (c *gorillaConn) controlSent(err error) {
	var waited interface{ Temporary() bool }
	if err == nil || errors.As(err, &waited) && waited.Temporary() {
		return
	}
	_ = c.failed(err)
}

func (c *gorillaConn) goodbye(by time.Time) {
	c.blame(ErrStopped)
	_ = c.send(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), by)
}
