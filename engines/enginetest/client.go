package enginetest

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"

	"wsfanout/engines"
	"wsfanout/internal/sock"
)

// client is a raw WebSocket client that does only what a case tells it to.
type client struct {
	t *testing.T
	*net.TCPConn
	r io.Reader
	w io.Writer // to TLS, if the server speaks it

	deflates   bool // permessage-deflate is agreed
	compressed int  // messages that came compressed
	later      []ws.Frame
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

// tryDial connects to the server as it is: with compression and TLS where it has them.
func (srv *server) tryDial(path string, receive int) (*client, error) {
	return srv.connect(path, receive, srv.options.Compress)
}

func (srv *server) connect(path string, receive int, offer bool) (*client, error) {
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		if receive == 0 {
			return nil
		}
		var failed error
		err := raw.Control(func(fd uintptr) { failed = sock.SetReceiveBuffer(int(fd), receive) })
		return errors.Join(err, failed)
	}}
	upgrade := ws.Dialer{NetDial: dialer.DialContext, Timeout: 5 * time.Second, TLSConfig: &tls.Config{InsecureSkipVerify: true}}
	if offer {
		upgrade.Extensions = append(upgrade.Extensions, wsflate.DefaultParameters.Option())
	}
	scheme := "ws://"
	if srv.options.TLS() {
		scheme = "wss://"
	}
	conn, early, agreed, err := upgrade.Dial(context.Background(), scheme+srv.addr+path)
	if err != nil {
		return nil, err
	}
	socket := conn
	if secure, ok := conn.(*tls.Conn); ok {
		socket = secure.NetConn()
	}
	c := &client{t: srv.t, TCPConn: socket.(*net.TCPConn), r: bufio.NewReader(conn), w: conn, deflates: len(agreed.Extensions) > 0}
	if early != nil { // frames that came glued to the handshake's reply
		c.r = early
	}
	srv.t.Cleanup(func() { _ = socket.Close() })
	return c, nil
}

// frame reads the next frame of any kind. A compressed message comes inflated and as one frame, however it was split.
func (c *client) frame(limit time.Duration) (ws.Frame, error) {
	if err := c.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return ws.Frame{}, err
	}
	if len(c.later) > 0 {
		f := c.later[0]
		c.later = c.later[1:]
		return f, nil
	}
	f, err := c.next()
	if err != nil || f.Header.Rsv == 0 {
		return f, err
	}
	if !c.deflates {
		return f, errors.New("a compressed frame, which was not agreed")
	}
	return c.inflate(f)
}

// inflate reads the rest of a compressed message. Control frames between its frames come after it.
func (c *client) inflate(message ws.Frame) (ws.Frame, error) {
	for !message.Header.Fin {
		f, err := c.next()
		if err != nil {
			return message, err
		}
		if f.Header.OpCode.IsControl() {
			c.later = append(c.later, f)
			continue
		}
		message.Payload = append(message.Payload, f.Payload...)
		message.Header.Fin = f.Header.Fin
	}
	c.compressed++
	return wsflate.DecompressFrame(message)
}

// next reads the next frame as it is.
func (c *client) next() (ws.Frame, error) {
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

// Write writes to TLS, if the server speaks it.
func (c *client) Write(b []byte) (int, error) { return c.w.Write(b) }

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
