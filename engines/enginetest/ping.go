package enginetest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"

	"wsfanout/engines"
)

// pings has the server ping and the client ping while a strategy writes: no panic, no torn frame, all in order.
func (s *Suite) pings(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) { o.Ping = time.Millisecond })
	const clients, messages = 4, 300
	var work sync.WaitGroup
	for i := range clients {
		c := srv.dial(i)
		conn := srv.conn(i)
		work.Go(func() { c.pingWhile(messages) })
		work.Go(func() {
			for n := range messages {
				if err := conn.Write(fmt.Append(nil, n)); err != nil {
					t.Errorf("client %d, message %d: %v", i, n, err)
					return
				}
				time.Sleep(200 * time.Microsecond)
			}
		})
	}
	work.Wait()
	for i := range clients {
		srv.wantOpen(i)
	}
}

// pingWhile receives numbered messages in order, pinging now and then, and wants pings and pongs of the server meanwhile.
func (c *client) pingWhile(messages int) {
	pings, pongs := 0, 0
	for next := 0; next < messages; {
		f, err := c.frame(frameLimit)
		if err != nil {
			c.t.Errorf("reading: %v", err)
			return
		}
		switch f.Header.OpCode {
		case ws.OpPing:
			pings++
			c.send(ws.NewPongFrame(f.Payload))
		case ws.OpPong:
			pongs++
		case ws.OpBinary:
			if want := fmt.Sprint(next); string(f.Payload) != want {
				c.t.Errorf("got message %q, want %q", f.Payload, want)
				return
			}
			if next++; next%10 == 0 {
				c.send(ws.NewPingFrame([]byte("are you there")))
			}
		}
	}
	if pings == 0 || pongs == 0 {
		c.t.Errorf("saw %d pings and %d pongs of the server, want some of each", pings, pongs)
	}
}

// bothWays has clients send while a strategy writes to them: everything arrives on both sides, in order.
func (s *Suite) bothWays(t *testing.T) {
	srv := s.start(t, nil)
	const clients, messages = 4, 300
	var work sync.WaitGroup
	for i := range clients {
		c := srv.dial(i)
		conn := srv.conn(i)
		work.Go(func() {
			for n := range messages {
				c.sendText(fmt.Sprint(n))
			}
		})
		work.Go(func() {
			for n := range messages {
				if err := conn.Write(numbered(n)); err != nil {
					t.Errorf("client %d, message %d: %v", i, n, err)
					return
				}
			}
		})
		work.Go(func() {
			for n := range messages {
				f, err := c.frame(frameLimit)
				if err != nil || !bytes.Equal(f.Payload, numbered(n)) {
					t.Errorf("client %d, message %d: got %d bytes, %v", i, n, len(f.Payload), err)
					return
				}
			}
		})
	}
	work.Wait()
	for i := range clients {
		if !srv.await(frameLimit, func() bool { return len(srv.texts[i]) >= messages }) {
			t.Errorf("OnMessage got %d messages of client %d, want %d", len(srv.texts[i]), i, messages)
		}
		srv.wantTexts(i, messages)
	}
}

func numbered(n int) []byte { return append(fmt.Appendf(nil, "%d ", n), bulk(1000)...) }

// wantTexts checks that a client's messages came once each and in order.
func (srv *server) wantTexts(number, messages int) {
	srv.t.Helper()
	srv.mu.Lock()
	defer srv.mu.Unlock()
	for n, text := range srv.texts[number] {
		if text != fmt.Sprint(n) || n >= messages {
			srv.t.Errorf("client %d: message %d of %d is %q", number, n, messages, text)
			return
		}
	}
}

// fromClients delivers text and binary messages, whole and in order.
func (s *Suite) fromClients(t *testing.T) {
	srv := s.start(t, nil)
	c := srv.dial(1)
	c.send(ws.NewTextFrame([]byte("slow")))
	c.send(ws.NewBinaryFrame([]byte("bin")))
	c.send(ws.NewFrame(ws.OpText, false, []byte("two ")))
	c.send(ws.NewFrame(ws.OpContinuation, true, []byte("parts")))
	want := []string{"slow", "bin", "two parts"}
	if c.deflates {
		f, err := wsflate.CompressFrame(ws.NewTextFrame([]byte("again and again and again")))
		if err != nil {
			t.Fatal(err)
		}
		c.send(f)
		want = append(want, "again and again and again")
	}
	got := func() bool { return len(srv.texts[1]) >= len(want) }
	if !srv.await(5*time.Second, got) || fmt.Sprint(srv.texts[1]) != fmt.Sprint(want) {
		t.Errorf("OnMessage got %q, want %q", srv.texts[1], want)
	}
}
