package clientfleet

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

// A blocker has one message under way, and sends the next when anything comes back, over and over. None of it is a round.
func TestBlocker(t *testing.T) {
	f, p := extraOf(t, Extra{Kind: Blocker, Announce: "block 50ms"})
	p.send(t, message(0, stamp.Strategy))
	awaitMessages(t, f, 1)
	begins(t, f)
	const turns = 20
	for i := range turns {
		if got := p.expect(t, ws.OpText); string(got) != "block 50ms" {
			t.Fatalf("turn %d: %q", i, got)
		}
		if i == turns/2 {
			p.quiet(t, "one under way")
		}
		if i == turns-1 {
			break
		}
		reply := frame(true, ws.OpText, []byte("block 50ms"))
		if i%2 == 0 {
			reply = append(frame(false, ws.OpBinary, payload(1, stamp.Strategy)), frame(true, ws.OpContinuation, nil)...)
		}
		p.send(t, reply)
	}
	p.pinged(t, "it answers pings")
	if b := f.Behaved()[0]; b.Frames-b.Pongs != turns || b.Bytes != turns*16+22 {
		t.Errorf("%+v", b)
	}
	if c := f.Collect(0, 2, stamp.Strategy); c.Malformed != 0 || c.Extras[0].Received != 1 || counters(t, f).Messages != 1 {
		t.Errorf("%+v", c)
	}
}

// Half a frame, and not a byte behind it; the others go on, and so does what it gets itself.
func TestHalf(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 2, func(p *Plan) { p.Extras = []Extra{{Number: 7, Kind: Half}} })
	begins(t, f)
	p := s.peer(7)
	h, err := ws.ReadHeader(p)
	if err != nil || h.Length != 100 || !h.Masked || !h.Fin || h.OpCode != ws.OpText {
		t.Fatalf("%+v, %v", h, err)
	}
	p.send(t, frame(true, ws.OpPing, nil))
	p.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	var b [100]byte
	n := 0
	for err == nil {
		var k int
		k, err = p.Read(b[n:])
		n += k
	}
	ws.Cipher(b[:n], h.Mask, 0)
	if string(b[:n]) != strings.Repeat("x", 50) || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%q, %v", b[:n], err)
	}
	next := message(0, stamp.Strategy)
	for _, i := range []int{0, 1, 7} {
		s.peer(i).send(t, next)
	}
	awaitMessages(t, f, 3)
	if b := f.Behaved()[0]; b.Bytes != 56 || b.Frames != 0 || b.Pings != 1 || b.Pongs != 0 {
		t.Errorf("%+v", b)
	}
	p.send(t, ws.MustCompileFrame(ws.NewCloseFrame(nil)))
	await(t, "its end", func() bool { return goneWhy(f, 7) == "close 1005" })
	p.quiet(t, "half")
}

// Blockers and an echo load at the same server: each gets on with its own.
func TestBlockersBesideEchoes(t *testing.T) {
	s := echoServer(t, nil)
	f := connectN(t, s, 5, func(p *Plan) {
		p.Extras = []Extra{{Number: 10, Kind: Blocker, Announce: "block 1ms"}, {Number: 11, Kind: Half}}
	})
	begins(t, f)
	got := echoed(t, f, Echo{Mode: EchoClosed, Outstanding: 5, Size: 100, For: 100 * time.Millisecond})
	if got.Received == 0 || got.Lost != 0 || got.Clients != 5 {
		t.Errorf("%+v", summaryOf(t, got))
	}
	if b := f.Behaved(); b[0].Frames < 5 || b[1].Bytes != 56 {
		t.Errorf("%+v", b)
	}
}

func TestABlockerNeedsSomethingToSay(t *testing.T) {
	p := Plan{Addr: "127.0.0.1:1", Size: testSize, Extras: []Extra{{Kind: Blocker}}}
	if _, _, err := Connect(t.Context(), p, nil); !errors.Is(err, ErrPlan) {
		t.Error(err)
	}
}
