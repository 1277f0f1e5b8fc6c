package enginetest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/engines"
)

// frameLimit is generous: it ends a test that would hang.
const frameLimit = 10 * time.Second

func (s *Suite) closing() Cases {
	return Cases{
		"cause":            s.causes,
		"half a handshake": s.halfHandshake,
		"evict":            s.evict,
	}
}

// causes has clients leave in every way there is. The last client stays and must be disturbed by none of them.
func (s *Suite) causes(t *testing.T) {
	bad := engines.ErrProtocol
	if s.known(IgnoresBadFrames) {
		bad = engines.ErrPeerClosed
	}
	unmasked := bad
	if s.known(AcceptsUnmasked) {
		unmasked = engines.ErrPeerClosed
	}
	cases := []struct {
		name  string
		want  error
		leave func(*client)
	}{
		{"FIN", engines.ErrPeerClosed, func(c *client) { _ = c.CloseWrite() }},
		{"RST", engines.ErrPeerClosed, (*client).reset},
		{"close frame 1000", engines.ErrPeerClosed, func(c *client) { c.send(ws.NewCloseFrame(ws.NewCloseFrameBody(1000, "bye"))) }},
		{"close frame 1001", engines.ErrPeerClosed, func(c *client) { c.send(ws.NewCloseFrame(ws.NewCloseFrameBody(1001, ""))) }},
		{"close frame without a code", engines.ErrPeerClosed, func(c *client) { c.send(ws.NewCloseFrame(nil)) }},
		{"garbage", bad, func(c *client) { c.raw([]byte{0xf3, 0x80, 1, 2, 3, 4}) }}, // reserved bits, reserved opcode
		{"oversized", bad, func(c *client) {
			c.raw([]byte{0x82, 0xff, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3, 4})
		}},
		{"unmasked", unmasked, func(c *client) { c.raw(ws.MustCompileFrame(ws.NewTextFrame([]byte("bare")))) }},
	}
	srv := s.start(t, nil)
	last := len(cases)
	witness := srv.dial(last)
	for i, leaving := range cases {
		c := srv.dial(i)
		srv.conn(i)
		leaving.leave(c)
		if leaving.want != engines.ErrProtocol {
			time.Sleep(50 * time.Millisecond) // a library that keeps the connection keeps it for this long
			_ = c.Close()
		}
		if !srv.await(5*time.Second, func() bool { return len(srv.causes[i]) > 0 }) {
			t.Errorf("%s: no OnClose", leaving.name)
		}
		if err := srv.conn(last).Write(fmt.Append(nil, leaving.name)); err != nil {
			t.Errorf("%s: writing to the client that stays: %v", leaving.name, err)
		}
		if got := string(witness.message()); got != leaving.name {
			t.Errorf("%s: the client that stays got %q", leaving.name, got)
		}
	}
	for i, leaving := range cases {
		t.Run(leaving.name, func(t *testing.T) {
			srv.t = t
			srv.wantClose(i, time.Second, leaving.want)
		})
	}
	srv.t = t
	if s.known(AcceptsUnmasked) && len(srv.texts[7]) == 0 {
		t.Error("an unmasked frame is known to be accepted, and was not")
	}
	srv.wantOpen(last)
}

// halfHandshake stops in the middle of a request: that client is dropped in bounded time. The deadline of a request must
// not outlive the upgrade: many quick clients are still there when it has passed.
func (s *Suite) halfHandshake(t *testing.T) {
	const limit, quick = 300 * time.Millisecond, 50
	srv := s.start(t, func(o *engines.Options) { o.HandshakeTimeout = limit })
	half, err := net.Dial("tcp", srv.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	fmt.Fprint(half, "GET /ws?i=63 HTTP/1.1\r\nHost: half\r\nUpgrade: webso")
	var last *client
	for i := range quick {
		last = srv.dial(i)
	}
	connected := time.Now()
	_ = half.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.Copy(io.Discard, half); errors.Is(err, errDeadline) {
		t.Errorf("half a handshake is still open after 5 s: %v", err)
	}
	time.Sleep(time.Until(connected.Add(2 * limit)))
	if err := srv.conn(quick - 1).Write([]byte("whole")); err != nil || string(last.message()) != "whole" {
		t.Errorf("the other clients are disturbed: %v", err)
	}
	for i := range quick {
		srv.wantOpen(i)
	}
}

// evict evicts from many goroutines: one OnClose, with the cause of one of them, and no Write afterwards.
func (s *Suite) evict(t *testing.T) {
	srv := s.start(t, nil)
	reader := srv.dial(5)
	c := srv.conn(5)
	cause := fmt.Errorf("%w: by a test", engines.ErrQueueFull)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() { c.Evict(cause) })
	}
	work.Wait()
	c.Evict(errors.New("too late"))
	srv.wantClose(5, 5*time.Second, engines.ErrQueueFull)
	if err := c.Write([]byte("late")); err == nil {
		t.Error("Write after an eviction succeeds")
	}
	if owed := c.Owed(); owed != 0 {
		t.Errorf("a closed connection owes %d bytes", owed)
	}
	if _, err := reader.frame(frameLimit); err == nil {
		t.Error("an evicted client still receives")
	}
}
