package enginetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/engines"
	"wsfanout/internal/sock"
)

// client is a raw WebSocket client that does only what a case tells it to.
type client struct {
	t *testing.T
	*net.TCPConn
	r io.Reader
}

// dial connects a client that reads with the kernel's default buffers.
func (srv *server) dial(number int) *client { return srv.dialBuffer(number, 0) }

// dialStuck connects a client whose kernel takes almost nothing, and limits the server's side likewise.
func (srv *server) dialStuck(number int) (*client, engines.Conn) {
	srv.t.Helper()
	c := srv.dialBuffer(number, 2048)
	conn := srv.conn(number)
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = sock.SetSendBuffer(int(fd), 4096) }); err != nil || failed != nil {
		srv.t.Fatalf("small send buffer: %v, %v", err, failed)
	}
	return c, conn
}

func (srv *server) dialBuffer(number, receive int) *client {
	srv.t.Helper()
	c, err := srv.tryDial(fmt.Sprintf("/ws?i=%d", number), receive)
	if err != nil {
		srv.t.Fatalf("client %d: %v", number, err)
	}
	return c
}

func (srv *server) tryDial(path string, receive int) (*client, error) {
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		if receive == 0 {
			return nil
		}
		var failed error
		err := raw.Control(func(fd uintptr) { failed = sock.SetReceiveBuffer(int(fd), receive) })
		return errors.Join(err, failed)
	}}
	upgrade := ws.Dialer{NetDial: dialer.DialContext, Timeout: 5 * time.Second}
	conn, early, _, err := upgrade.Dial(context.Background(), "ws://"+srv.addr+path)
	if err != nil {
		return nil, err
	}
	c := &client{t: srv.t, TCPConn: conn.(*net.TCPConn)}
	c.r = bufio.NewReader(conn)
	if early != nil { // frames that came glued to the handshake's reply
		c.r = early
	}
	srv.t.Cleanup(func() { _ = conn.Close() })
	return c, nil
}

// frame reads the next frame of any kind.
func (c *client) frame(limit time.Duration) (ws.Frame, error) {
	if err := c.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return ws.Frame{}, err
	}
	header, err := ws.ReadHeader(c.r)
	if err != nil {
		return ws.Frame{}, err
	}
	payload := make([]byte, header.Length) // our own server's, so its length is believed
	_, err = io.ReadFull(c.r, payload)
	return ws.Frame{Header: header, Payload: payload}, err
}

// message reads the next data frame, answers pings before it, and fails the test if there is none within 5 s.
func (c *client) message() []byte {
	c.t.Helper()
	for {
		f, err := c.frame(5 * time.Second)
		if err != nil {
			c.t.Fatalf("reading a message: %v", err)
		}
		switch {
		case f.Header.OpCode == ws.OpPing:
			c.send(ws.NewPongFrame(f.Payload))
		case f.Header.OpCode == ws.OpBinary && f.Header.Fin:
			return f.Payload
		case f.Header.OpCode != ws.OpPong:
			c.t.Fatalf("got opcode %#x, final %t, instead of one binary frame", f.Header.OpCode, f.Header.Fin)
		}
	}
}

// drain reads and throws away whatever comes, answering nothing, until the connection ends.
func (c *client) drain() {
	_ = c.SetReadDeadline(time.Time{})
	go func() { _, _ = io.Copy(io.Discard, c.r) }()
}

// readAt reads bytes per second, a little at each tick, for a while.
func (c *client) readAt(rate int64, tick, while time.Duration) {
	read := int64(0)
	for start := time.Now(); time.Since(start) < while; time.Sleep(tick) {
		due := int64(time.Since(start).Seconds() * float64(rate))
		n, _ := io.CopyN(io.Discard, c.r, due-read)
		read += n
	}
}

// closeCode reads to the close frame and returns its code, or the error that came instead.
func (c *client) closeCode() (ws.StatusCode, error) {
	for {
		f, err := c.frame(5 * time.Second)
		if err != nil {
			return 0, err
		}
		if f.Header.OpCode == ws.OpClose {
			code, _ := ws.ParseCloseFrameData(f.Payload)
			return code, nil
		}
	}
}

// send sends a frame, masked.
func (c *client) send(f ws.Frame) {
	c.t.Helper()
	c.raw(ws.MustCompileFrame(ws.MaskFrame(f)))
}

func (c *client) sendText(text string) { c.send(ws.NewTextFrame([]byte(text))) }

// raw sends bytes as they are.
func (c *client) raw(b []byte) {
	c.t.Helper()
	if _, err := c.Write(b); err != nil {
		c.t.Errorf("client write: %v", err)
	}
}

// reset ends the connection with a RST.
func (c *client) reset() {
	_ = c.SetLinger(0)
	_ = c.Close()
}
