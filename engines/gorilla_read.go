package engines

import (
	"errors"
	"fmt"
	"time"

	"github.com/gorilla/websocket"
)

// serve is the connection's goroutine: it opens, reads to the end and reports it.
func (c *gorillaConn) serve() {
	tuneConn(c, &c.engine.options)
	if !c.engine.Open(c) {
		c.hangUp()
		return
	}
	c.pinger.start(c.engine.options.Ping, &c.engine.readers, c.ping)
	cause := c.readCause(c.read())
	c.pinger.stop()
	c.hangUp()
	c.engine.Closed(c, c.verdict(cause))
}

func (c *gorillaConn) read() error {
	_ = c.alive()
	for {
		_, payload, err := c.ws.ReadMessage()
		if err != nil {
			return err
		}
		_ = c.heard() // before the handler: one that blocks for longer than the keepalive is no sign of life, as on nbio
		c.engine.Message(c, payload)
	}
}

// heard moves the read deadline unless only pongs do: something else was read.
func (c *gorillaConn) heard() error {
	if c.engine.options.Refresh == RefreshPong {
		return nil
	}
	return c.alive()
}

// alive moves the read deadline.
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
		if closed.Code == websocket.CloseAbnormalClosure && o.kernelEnds() {
			c.life.hearWriter(c.raw)
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
	return c.heard()
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

func (c *gorillaConn) Goodbye(by time.Time) {
	c.blame(ErrStopped)
	_ = c.send(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), by)
}
