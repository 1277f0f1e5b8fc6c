package clientfleet

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// extraOf connects one extra, client 0, and returns the server's side of it.
func extraOf(t *testing.T, x Extra, change ...func(*Plan)) (*Fleet, *peer) {
	t.Helper()
	s := newServer(t)
	return connectExtra(t, s, x, change...), s.peer(0)
}

func connectExtra(t *testing.T, s *server, x Extra, change ...func(*Plan)) *Fleet {
	t.Helper()
	return connectN(t, s, 0, append(change, func(p *Plan) { p.Extras = []Extra{x} })...)
}

// begins calls Misbehave and waits for the extra's begin.
func begins(t *testing.T, f *Fleet) {
	t.Helper()
	switch err := f.Misbehave(); {
	case err != nil && f.Behaved()[0].Kind == Vanished:
		t.Skip(err) // an unprivileged user may be refused the socket filter
	case err != nil:
		t.Fatal(err)
	}
	await(t, "a begin", func() bool { return f.Behaved()[0].BeganAt != 0 })
}

// got is a frame of a client.
type got struct {
	ws.Header
	payload string
}

// next reads one frame, whatever it is.
func (p *peer) next(t *testing.T) got {
	t.Helper()
	p.SetReadDeadline(time.Now().Add(5 * time.Second))
	h, err := ws.ReadHeader(p)
	if err != nil {
		t.Fatalf("client %d: %v", p.number, err)
	}
	payload := make([]byte, h.Length)
	if _, err := io.ReadFull(p, payload); err != nil || !h.Masked {
		t.Fatalf("client %d sent %+v, %v", p.number, h, err)
	}
	ws.Cipher(payload, h.Mask, 0)
	return got{h, string(payload)}
}

// quiet checks that a client says nothing for a while.
func (p *peer) quiet(t *testing.T, why string) {
	t.Helper()
	p.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	var b [100]byte
	if n, err := p.Read(b[:]); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("client %d, %s: %x, %v", p.number, why, b[:n], err)
	}
}

// pinged sends a ping and wants its pong.
func (p *peer) pinged(t *testing.T, what string) {
	t.Helper()
	p.send(t, frame(true, ws.OpPing, []byte(what)))
	if pong := p.expect(t, ws.OpPong); string(pong) != what {
		t.Errorf("pong %q of ping %q", pong, what)
	}
}

// What the talking kinds say, over TLS as well. Everything that the server has read is in the account.
func TestExtrasThatSay(t *testing.T) {
	onServer, inPlan := secured(t, tls.VersionTLS13)
	for name, c := range map[string]struct {
		kind  string
		set   func(*server)
		plan  func(*Plan)
		first got
		then  got
		pongs bool
	}{
		"heartbeat":     {Heartbeat, func(*server) {}, func(*Plan) {}, a(true, ws.OpPing, ""), a(true, ws.OpPing, ""), true},
		"text":          {Text, func(*server) {}, func(*Plan) {}, a(true, ws.OpText, "here"), a(true, ws.OpText, "here"), false},
		"fragments":     {Fragments, func(*server) {}, func(*Plan) {}, a(false, ws.OpText, "h"), a(false, ws.OpContinuation, "h"), false},
		"over TLS":      {Heartbeat, onServer, inPlan, a(true, ws.OpPing, ""), a(true, ws.OpPing, ""), true},
		"text over TLS": {Text, onServer, inPlan, a(true, ws.OpText, "here"), a(true, ws.OpText, "here"), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, c.set)
			f := connectExtra(t, s, Extra{Kind: c.kind, Every: 20 * time.Millisecond}, c.plan)
			p := s.peer(0)
			p.pinged(t, "before")
			if b := f.Behaved(); len(b) != 1 || b[0] != (Behaved{Kind: c.kind}) {
				t.Errorf("before its begin: %+v", b)
			}
			begins(t, f)
			p.send(t, frame(true, ws.OpPing, []byte("now")))
			var frames, pongs, size int64
			want := c.first
			for frames < 8 || c.pongs && pongs == 0 {
				g := p.next(t)
				frames++
				size += 6 + g.Length
				if g.OpCode == ws.OpPong && c.pongs {
					pongs++
					continue
				}
				if g.Fin != want.Fin || g.OpCode != want.OpCode || g.payload != want.payload || g.Rsv != 0 {
					t.Fatalf("%d: %+v, want %+v", frames, g, want)
				}
				want = c.then
			}
			now := clock.Now()
			b := f.Behaved()[0]
			if b.Pings != 1 || b.Pongs != pongs || b.Frames < frames || b.Bytes < size {
				t.Errorf("%+v, read %d frames, %d pongs, %d bytes", b, frames, pongs, size)
			}
			if most := 1 + (now-b.BeganAt)/int64(20*time.Millisecond); frames-pongs > most+1 {
				t.Errorf("%d frames in %v", frames-pongs, time.Duration(now-b.BeganAt))
			}
			p.send(t, message(0, stamp.Strategy))
			awaitMessages(t, f, 1)
			if why := goneWhy(f, 0); why != "" {
				t.Error(why)
			}
		})
	}
}

func a(fin bool, op ws.OpCode, payload string) got {
	return got{ws.Header{Fin: fin, OpCode: op}, payload}
}

// Nothing may get between the bytes of the frame.
func TestDribble(t *testing.T) {
	f, p := extraOf(t, Extra{Kind: Dribble, Every: time.Millisecond})
	begins(t, f)
	await(t, "some bytes", func() bool { return f.Behaved()[0].Bytes > 5 })
	p.send(t, frame(true, ws.OpPing, nil), ws.MustCompileFrame(ws.NewCloseFrame(nil)))
	await(t, "the close frame is seen", func() bool { return goneWhy(f, 0) != "" })
	b := f.Behaved()[0]
	if b.Bytes == 0 || b.Bytes > 1+(clock.Now()-b.BeganAt)/int64(time.Millisecond) || b.Frames != 0 || b.Pings != 1 || b.Pongs != 0 {
		t.Errorf("%+v", b)
	}
	r := f.readers[0]
	r.do(func() {
		for range 2*len(dribbled) - int(b.Bytes) {
			r.sayByte(&r.extras[0])
		}
	})
	for range 2 {
		if text := p.next(t); text.OpCode != ws.OpText || !text.Fin || text.payload != strings.Repeat("x", 500) {
			t.Fatalf("%+v", text)
		}
	}
	if b := f.Behaved()[0]; b.Frames != 2 || b.Bytes != int64(2*len(dribbled)) {
		t.Errorf("%+v", b)
	}
}

func TestMute(t *testing.T) {
	f, p := extraOf(t, Extra{Kind: Mute})
	begins(t, f)
	p.send(t, frame(true, ws.OpPing, nil), message(0, stamp.Strategy))
	awaitMessages(t, f, 1)
	p.send(t, ws.MustCompileFrame(ws.NewCloseFrame(binary.BigEndian.AppendUint16(nil, 1001))))
	await(t, "the close frame is seen", func() bool { return goneWhy(f, 0) == "close 1001" })
	p.quiet(t, "mute")
	if b := f.Behaved()[0]; b.Pings != 1 || b.Pongs+b.Frames+b.Bytes != 0 {
		t.Errorf("%+v", b)
	}
}

func TestAnswers(t *testing.T) {
	f, p := extraOf(t, Extra{Kind: Answers, Announce: "block 1.6s"})
	p.pinged(t, "before")
	begins(t, f)
	if got := p.expect(t, ws.OpText); string(got) != "block 1.6s" {
		t.Errorf("announced %q", got)
	}
	for range 3 {
		p.pinged(t, "four")
	}
	if b := f.Behaved()[0]; b.Pings != 3 || b.Pongs != 3 || b.Frames != 4 || b.Bytes != 16+3*10 {
		t.Errorf("%+v", b)
	}
	p.send(t, ws.MustCompileFrame(ws.NewCloseFrame(nil)))
	p.expect(t, ws.OpClose)
	if b := f.Behaved()[0]; b.Frames != 5 || b.Bytes != 46+6 {
		t.Errorf("%+v", b)
	}
}

// A late client reads at once and answers in order; what it owes when the connection ends is not sent.
func TestLate(t *testing.T) {
	const delay = 150 * time.Millisecond
	f, p := extraOf(t, Extra{Kind: Late, Delay: delay})
	p.pinged(t, "before")
	begins(t, f)
	for _, one := range []string{"one", "two"} {
		sent := time.Now()
		p.send(t, frame(true, ws.OpPing, []byte(one)), frame(true, ws.OpPing, []byte("second")))
		for _, want := range []string{one, "second"} {
			if pong := p.expect(t, ws.OpPong); string(pong) != want {
				t.Errorf("pong %q, want %q", pong, want)
			}
			if after := time.Since(sent); after < delay {
				t.Errorf("a pong after %v", after)
			}
		}
	}
	p.send(t, frame(true, ws.OpPing, nil), message(0, stamp.Strategy))
	awaitMessages(t, f, 1)
	p.send(t, ws.MustCompileFrame(ws.NewCloseFrame(nil)))
	p.expect(t, ws.OpClose)
	time.Sleep(delay)
	p.quiet(t, "late and closed")
	if b := f.Behaved()[0]; b.Pings != 5 || b.Pongs != 4 || b.Frames != 5 {
		t.Errorf("%+v", b)
	}
}

// The pings of a slow client wait behind what it has to read.
func TestSlowAnswersWhatItReads(t *testing.T) {
	const rate, ahead = 20_000, 50
	f, p := extraOf(t, Extra{Kind: Slow, Rate: rate})
	begins(t, f)
	sent := time.Now()
	p.send(t, bytes.Repeat(message(0, stamp.Strategy), ahead))
	p.pinged(t, "behind")
	if after, least := time.Since(sent).Seconds(), 0.9*ahead*102/rate; after < least {
		t.Errorf("pong after %g s, want at least %g", after, least)
	}
	if b := f.Behaved()[0]; b.Pings != 1 || b.Pongs != 1 {
		t.Errorf("%+v", b)
	}
}

func TestVanishedLater(t *testing.T) {
	f, p := extraOf(t, Extra{Kind: Vanished, After: 50 * time.Millisecond})
	begins(t, f)
	n := len(frame(true, ws.OpPing, nil))
	p.send(t, frame(true, ws.OpPing, nil))
	p.quiet(t, "vanished")
	if unacked := unackedBy(t, p); unacked != int64(n) {
		t.Errorf("%d bytes are not acknowledged, want %d", unacked, n)
	}
	if b := f.Behaved()[0]; b.Pings+b.Frames != 0 {
		t.Errorf("%+v", b)
	}
}
