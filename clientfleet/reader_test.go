package clientfleet

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

func counters(t *testing.T, f *Fleet) Counters {
	t.Helper()
	c, err := f.Counters()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func awaitMessages(t *testing.T, f *Fleet, n int64) Counters {
	t.Helper()
	await(t, "messages", func() bool { return counters(t, f).Messages >= n })
	return counters(t, f)
}

func TestGluedMessageCountsAsUnstamped(t *testing.T) {
	first := message(0, stamp.Strategy)
	glued := slices.Concat(first, message(1, stamp.Strategy)[:50])
	s := newServer(t, func(s *server) { s.greet = func() []byte { return glued } })
	f, got, err := Connect(t.Context(), Plan{
		Addr: s.Addr().String(), Numbers: []Range{{0, 20}}, Size: testSize, Rounds: 2, Timeout: 5 * time.Second,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got.Unstamped != 20 || f.Received(0, 2) != 20 {
		t.Errorf("%d unstamped, %d received, want 20 of each", got.Unstamped, f.Received(0, 2))
	}
	if c := f.Collect(0, 1, stamp.Strategy); c.Rounds[0].First < c.Rounds[0].Start {
		t.Errorf("%+v", c.Rounds)
	}
}

// What arrives together has one stamp. Only the last message of a run is exact, and only if nothing is behind it.
func TestSharedStamps(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 1)
	p := s.peer(0)
	p.send(t, message(0, stamp.Strategy), message(1, stamp.Strategy))
	if c := awaitMessages(t, f, 2); c.SharedStamps != 1 {
		t.Errorf("two messages at once: %d shared, want 1", c.SharedStamps)
	}
	second := message(3, stamp.Strategy)
	p.send(t, message(2, stamp.Strategy), second[:40])
	if c := awaitMessages(t, f, 3); c.SharedStamps != 2 {
		t.Errorf("a part of a message behind one: %d shared, want 2", c.SharedStamps)
	}
	p.send(t, second[40:])
	if c := awaitMessages(t, f, 4); c.SharedStamps != 2 || c.Unstamped != 0 {
		t.Errorf("the rest of it: %d shared, want 2; %d unstamped", c.SharedStamps, c.Unstamped)
	}
	p.send(t, message(4, stamp.Strategy), frame(true, ws.OpPing, nil))
	if c := awaitMessages(t, f, 5); c.SharedStamps != 3 {
		t.Errorf("a ping behind a message: %d shared, want 3", c.SharedStamps)
	}
}

// Messages of exactly one buffer, and of many: the last byte counts, and its stamp is exact.
func TestMessagesAboveTheBuffer(t *testing.T) {
	for _, size := range []int{64<<10 - 4, 64 << 10, 1_000_000, 3_000_000} {
		s := newServer(t)
		f := connectN(t, s, 2, func(p *Plan) { p.Size = size })
		for i := range 2 {
			b := stamp.New(stamp.Get(payload(uint32(i), stamp.Strategy)), stamp.Filling(size, 1))
			s.peer(0).send(t, frame(true, ws.OpBinary, b))
			c := awaitMessages(t, f, int64(i+1))
			if c.SharedStamps != 0 || c.Unstamped != 0 {
				t.Errorf("%d bytes: %d shared, %d unstamped", size, c.SharedStamps, c.Unstamped)
			}
		}
	}
}

func TestFragmentsAndAPingBetween(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 1)
	p, b := s.peer(0), payload(0, stamp.Strategy)
	p.send(t, frame(false, ws.OpBinary, b[:10]), frame(true, ws.OpPing, []byte("hello")))
	if got := p.expect(t, ws.OpPong); string(got) != "hello" {
		t.Errorf("pong %q", got)
	}
	if n := counters(t, f).Messages; n != 0 {
		t.Errorf("%d messages of one fragment", n)
	}
	p.send(t, frame(true, ws.OpContinuation, b[10:]))
	awaitMessages(t, f, 1)
	if c := f.Collect(0, 1, stamp.Strategy); c.Malformed != 0 || c.Clients[0].Received != 1 {
		t.Errorf("%+v", c)
	}
}

func TestCloseIsAnsweredAndNamed(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 4)
	s.peer(0).send(t, frame(true, ws.OpClose, ws.NewCloseFrameBody(1001, "going")))
	if got := s.peer(0).expect(t, ws.OpClose); !bytes.Equal(got, []byte{0x03, 0xe9}) {
		t.Errorf("answer %x", got)
	}
	s.peer(0).Close()
	s.peer(1).send(t, frame(true, ws.OpClose, nil))
	s.peer(1).expect(t, ws.OpClose)
	s.peer(2).Close()
	want := []string{"close 1001", "close 1005", "EOF", ""}
	await(t, "three gone", func() bool { return len(f.Collect(0, 0, 0).Gone) == 3 })
	for i, why := range want {
		if got := goneWhy(f, i); got != why {
			t.Errorf("client %d: %q, want %q", i, got, why)
		}
	}
	s.peer(3).send(t, message(0, stamp.Strategy))
	awaitMessages(t, f, 1)
}

func TestGarbageEndsOnlyItsClient(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 3)
	s.peer(1).send(t, []byte("HTTP/1.1 500 Oops\r\n\r\n"))
	await(t, "client 1 gone", func() bool { return goneWhy(f, 1) == errReserved.Error() })
	s.peer(2).send(t, ws.MustCompileFrame(ws.MaskFrame(ws.NewBinaryFrame(payload(0, stamp.Strategy)))))
	await(t, "client 2 gone", func() bool { return goneWhy(f, 2) == errMasked.Error() })
	s.peer(0).send(t, message(0, stamp.Strategy))
	awaitMessages(t, f, 1)
	if c := f.Collect(0, 1, stamp.Strategy); len(c.Gone) != 2 || len(c.Clients) != 3 || c.Clients[0].Received != 1 {
		t.Errorf("%+v", c)
	}
}

func TestMalformedDuplicateMisordered(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 1)
	p := s.peer(0)
	twice := message(5, stamp.Strategy)
	for _, b := range [][]byte{
		frame(true, ws.OpBinary, payload(0, stamp.Strategy)[:testSize-1]), // too short
		frame(true, ws.OpText, []byte("hi")),                              // no stamp
		message(100, stamp.Strategy),                                      // no such round
		message(9, stamp.Filler+1),                                        // no such kind
		twice, twice, message(5, stamp.Bare),                              // a duplicate; a round of two kinds
		message(3, stamp.Strategy), // late
		frame(true, ws.OpBinary, append(payload(50, stamp.Filler), make([]byte, 9)...)), // filler is of any size
		message(6, stamp.Strategy),
	} {
		p.send(t, b)
	}
	await(t, "round 6", func() bool { return f.Received(6, 7) == 1 })
	c := f.Collect(0, 100, stamp.Strategy)
	if c.Malformed != 5 || c.Duplicates != 1 || c.OutOfOrder != 1 || c.Clients[0].Received != 3 || len(c.Rounds) != 3 {
		t.Errorf("%+v", c)
	}
}

func TestStuckClientsStopReadingAndJam(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 3, func(p *Plan) {
		p.Extras = []Extra{{Number: 7, Kind: Stuck, RecvBuffer: 2048, Announce: "slow"}}
	})
	stuck := s.peer(7)
	stuck.send(t, message(0, stamp.Strategy))
	awaitMessages(t, f, 1)
	f.Misbehave()
	f.Misbehave() // it announces itself once
	if got := stuck.expect(t, ws.OpText); string(got) != "slow" {
		t.Fatalf("announced %q", got)
	}
	stuck.Conn.(interface{ SetWriteBuffer(int) error }).SetWriteBuffer(4096)
	stuck.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
	absorbed := 0
	for n, err := 0, error(nil); err == nil; absorbed += n {
		n, err = stuck.Write(make([]byte, 1024))
	}
	if absorbed > 64<<10 {
		t.Errorf("%d bytes absorbed", absorbed)
	}
	next := message(1, stamp.Strategy)
	for i := range 3 {
		s.peer(i).send(t, next)
	}
	await(t, "round 1", func() bool { return f.Received(0, 100) == 3 })
	c := f.Collect(0, 2, stamp.Strategy)
	if len(c.Extras) != 1 || c.Extras[0].Number != 7 || c.Extras[0].Received != 1 || len(c.Clients) != 3 || len(c.Gone) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestAServerThatDoesNotReadPongs(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 1)
	p := s.peer(0)
	ping := frame(true, ws.OpPing, make([]byte, 125))
	for range 64 {
		p.send(t, bytes.Repeat(ping, 500)) // 4 MB of pongs that nobody takes
	}
	p.send(t, message(0, stamp.Strategy))
	awaitMessages(t, f, 1)
	if why := goneWhy(f, 0); why != "" {
		t.Error(why)
	}
}
