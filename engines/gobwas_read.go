package engines

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"
	"github.com/gobwas/ws/wsutil"
	"golang.org/x/sys/unix"
)

// serve is the goroutine of a connection with mode=goroutine.
func (c *gobwasConn) serve() {
	for {
		c.alive()
		if err := c.receive(c.conn); err != nil {
			c.finish(err)
			return
		}
	}
}

// ready is what a worker does with a connection that has something to read: one message or control frame, all of it.
func (c *gobwasConn) ready() {
	if !c.state.CompareAndSwap(resting, busy) {
		return // evicted while it waited for a worker
	}
	var source io.Reader = c.conn
	if limit := c.engine.options.ReadTimeout; limit > 0 {
		source = &impatient{c, limit}
	}
	if err := c.receive(source); err != nil {
		c.finish(err)
		return
	}
	c.rest(unix.EPOLL_CTL_MOD)
}

// impatient gives each read its time, as the library's chat example does.
type impatient struct {
	c     *gobwasConn
	limit time.Duration
}

func (r *impatient) Read(b []byte) (int, error) {
	_ = r.c.conn.SetReadDeadline(time.Now().Add(r.limit))
	return r.c.conn.Read(b)
}

// rest leaves the connection to epoll. Whoever ended it while it was busy relied on this to report it.
func (c *gobwasConn) rest(op int) {
	c.state.Store(resting)
	if suspect := c.suspect.Load(); suspect != nil {
		c.Evict(*suspect)
	}
	if c.over.Load() {
		c.reportIfResting()
		return
	}
	if err := c.engine.poll.arm(c, op); err != nil {
		c.Evict(err)
	}
}

// finish ends the connection after a failed read.
func (c *gobwasConn) finish(err error) {
	cause := c.readCause(err)
	if errors.Is(cause, ErrProtocol) {
		_ = c.control(ws.OpClose, closePayload(int(closeCode(err)), ""), time.Now().Add(patience))
	}
	c.hangUp()
	c.state.Store(ended)
	c.report(cause)
}

func closeCode(err error) ws.StatusCode {
	if errors.Is(err, wsutil.ErrMessageTooLarge) {
		return ws.StatusMessageTooBig
	}
	return ws.StatusProtocolError
}

// receive reads one message, with the control frames between its frames, or one control frame.
func (c *gobwasConn) receive(source io.Reader) error {
	var packed wsflate.MessageState
	r := wsutil.Reader{
		Source:         source,
		State:          ws.StateServerSide,
		MaxMessageSize: int64(c.engine.options.ReadLimit),
		OnContinuation: func(h ws.Header, _ io.Reader) error { return reserved(h) },
		OnIntermediate: c.controlled,
	}
	if c.deflates {
		r.State = r.State.Set(ws.StateExtended)
		r.Extensions = []wsutil.RecvExtension{&packed}
	}
	h, err := r.NextFrame()
	if err != nil {
		return err
	}
	if h.OpCode.IsControl() {
		return c.controlled(h, &r)
	}
	if err := reserved(h); err != nil {
		return err
	}
	payload, err := io.ReadAll(&r)
	if err == nil && packed.IsCompressed() {
		payload, err = inflate(payload, c.engine.options.ReadLimit)
	}
	if err != nil {
		return err
	}
	c.hear() // a handler takes its time from the next keepalive
	c.engine.Message(c, payload)
	return nil
}

// reserved refuses the bits that stand for no extension of ours: the library lets them pass as soon as there is one.
func reserved(h ws.Header) error {
	if h.Rsv != 0 {
		return ws.ErrProtocolNonZeroRsv
	}
	return nil
}

// inflate is a compressed message of at most limit bytes; 0: of any size.
func inflate(packed []byte, limit int) ([]byte, error) {
	r := io.Reader(wsflate.NewReader(bytes.NewReader(packed), func(r io.Reader) wsflate.Decompressor { return flate.NewReader(r) }))
	if limit > 0 {
		r = io.LimitReader(r, int64(limit)+1)
	}
	payload, err := io.ReadAll(r)
	switch {
	case err != nil:
		return nil, fmt.Errorf("inflating: %v", err) // not wrapped: an unexpected end is not the connection's
	case limit > 0 && len(payload) > limit:
		return nil, wsutil.ErrMessageTooLarge
	}
	return payload, nil
}

// controlled handles a control frame. An error ends the connection.
func (c *gobwasConn) controlled(h ws.Header, r io.Reader) error {
	if err := reserved(h); err != nil {
		return err
	}
	payload := make([]byte, h.Length) // at most 125 bytes
	if _, err := io.ReadFull(r, payload); err != nil {
		return err
	}
	c.alive()
	switch h.OpCode {
	case ws.OpPing:
		c.controlSent(c.control(ws.OpPong, payload, c.deadline()))
	case ws.OpClose:
		return c.closing(payload)
	}
	return nil
}

// closing answers a close frame.
func (c *gobwasConn) closing(payload []byte) error {
	closed := wsutil.ClosedError{Code: ws.StatusNoStatusRcvd}
	if len(payload) > 0 {
		closed.Code, closed.Reason = ws.ParseCloseFrameData(payload)
		if err := ws.CheckCloseFrameData(closed.Code, closed.Reason); err != nil {
			return err
		}
	}
	_ = c.control(ws.OpClose, closePayload(int(closed.Code), ""), time.Now().Add(patience))
	return closed
}

// alive moves the end of the keepalive time: for the sweep with netpoll, for the next read without.
func (c *gobwasConn) alive() {
	c.hear()
	if k := c.engine.options.Keepalive; k > 0 && !c.engine.polls() {
		_ = c.conn.SetReadDeadline(time.Now().Add(k))
	}
}

func (c *gobwasConn) hear() { c.heard.Store(int64(c.engine.now())) }

func (c *gobwasConn) lastHeard() time.Duration { return time.Duration(c.heard.Load()) }

func (c *gobwasConn) ping() { c.controlSent(c.control(ws.OpPing, nil, c.deadline())) }

// controlSent begins the eviction if a control frame broke the connection. One that only waited in vain behind a Write did
// not: that Write has its own deadline.
func (c *gobwasConn) controlSent(err error) {
	if err != nil && err != errNoTurn {
		_ = c.failed(err)
	}
}

// readCause names what ended the reading.
func (c *gobwasConn) readCause(err error) error {
	o := &c.engine.options
	var closed wsutil.ClosedError
	switch {
	case errors.As(err, &closed):
		return fmt.Errorf("%w: %w", ErrPeerClosed, err)
	case deadlinePassed(err) && !kernelTimeout(err):
		return readTimeout(c.readLimit())
	case (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) && o.kernelEnds():
		c.hearWriter(c.raw)
	}
	if cause := transportCause(err, o); cause != nil {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrProtocol, err)
}

// readLimit is the limit of a read that has one.
func (c *gobwasConn) readLimit() time.Duration {
	if c.engine.polls() {
		return c.engine.options.ReadTimeout
	}
	return c.engine.options.Keepalive
}
