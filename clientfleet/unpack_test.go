package clientfleet

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"
	"github.com/gorilla/websocket"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// deflating is a server that agrees to what a fleet offers.
func deflating(s *server) {
	s.agree = &wsflate.Parameters{ServerNoContextTakeover: true, ClientNoContextTakeover: true}
}

// compressing is a plan for size bytes of text.
func compressing(size int) func(*Plan) {
	return func(p *Plan) { p.Compress, p.Size, p.Content = true, size, &Content{Seed: 3, Text: true} }
}

func text(size int, n uint32) []byte {
	now := clock.Now()
	return stamp.New(stamp.Stamp{Start: now, Due: now, Round: n}, stamp.Text(size, 3))
}

// squeezed is a compressed message in one frame.
func squeezed(t testing.TB, payload []byte) ws.Frame {
	t.Helper()
	f, err := wsflate.CompressFrame(ws.NewBinaryFrame(payload))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// fragments cuts a compressed message into frames of at most n bytes; only the first has RSV1.
func fragments(f ws.Frame, n int) []byte {
	var all []byte
	first := true
	for part := range slices.Chunk(f.Payload, n) {
		one := ws.NewFrame(ws.OpContinuation, false, part)
		if first {
			one.Header.OpCode, one.Header.Rsv, first = ws.OpBinary, f.Header.Rsv, false
		}
		all = append(all, ws.MustCompileFrame(one)...)
	}
	return append(all, frame(true, ws.OpContinuation, nil)...)
}

func TestCompressedRoundsAreIdentified(t *testing.T) {
	for _, size := range []int{128, 1 << 10, 16 << 10, 200 << 10} {
		s := newServer(t, deflating)
		const clients, rounds = 6, 10
		f := connectN(t, s, clients, compressing(size))
		var wire int64
		for n := range uint32(rounds) {
			b := ws.MustCompileFrame(squeezed(t, text(size, n)))
			wire += clients * int64(len(b))
			for i := range clients {
				s.peer(i).send(t, b)
			}
		}
		c := awaitMessages(t, f, clients*rounds)
		if got := c.WireBytes.Strategy; got.Messages != clients*rounds || got.Bytes != wire || c.WireBytes.Bare.Messages != 0 {
			t.Errorf("%d bytes: %+v, want %d bytes on the wire", size, c.WireBytes, wire)
		}
		if c.Inflated < rounds || c.Inflated > 3*rounds {
			t.Errorf("%d bytes: %d messages inflated for %d rounds", size, c.Inflated, rounds)
		}
		got := f.Collect(0, rounds, stamp.Strategy)
		if got.Malformed+got.Corrupt+got.Duplicates != 0 || got.Checked != clients*rounds || len(got.Rounds) != rounds {
			t.Errorf("%d bytes: %d malformed, %d corrupt, %d checked", size, got.Malformed, got.Corrupt, got.Checked)
		}
		for _, r := range got.Rounds {
			if r.Received != clients || r.First < r.Start || r.PickedUp < r.Last {
				t.Errorf("%+v", r)
			}
		}
	}
}

func TestFragmentedAndCompressed(t *testing.T) {
	s := newServer(t, deflating)
	f := connectN(t, s, 1, compressing(4096))
	p, ping := s.peer(0), frame(true, ws.OpPing, []byte("between"))
	p.send(t, fragments(squeezed(t, text(4096, 0)), 100))
	a := squeezed(t, text(4096, 1))
	whole := fragments(a, len(a.Payload)/2)
	p.send(t, whole[:len(whole)/2])
	time.Sleep(10 * time.Millisecond)
	p.send(t, whole[len(whole)/2:])
	cut := fragments(squeezed(t, text(4096, 2)), 1000)
	p.send(t, cut[:1004], ping, cut[1004:]) // 4 bytes of header: a ping between two frames
	if got := p.expect(t, ws.OpPong); string(got) != "between" {
		t.Errorf("pong %q", got)
	}
	p.send(t, ws.MustCompileFrame(ws.NewBinaryFrame(text(4096, 3)))) // not compressed: allowed, too
	awaitMessages(t, f, 4)
	if c := f.Collect(0, 4, stamp.Strategy); c.Malformed != 0 || c.Checked != 4 || c.Clients[0].Received != 4 {
		t.Errorf("%+v", c)
	}
}

func TestCompressedRubbish(t *testing.T) {
	s := newServer(t, deflating)
	f := connectN(t, s, 1, compressing(testSize))
	p := s.peer(0)
	wrong := text(testSize, 0)
	wrong[60] ^= 1
	broken := squeezed(t, text(testSize, 0))
	broken.Payload, broken.Header.Length = bytes.Repeat([]byte{0xff}, 20), 20
	filler := stamp.New(stamp.Stamp{Kind: stamp.Filler}, stamp.Text(1<<20, 9))
	for _, b := range []ws.Frame{
		squeezed(t, wrong),
		broken,
		squeezed(t, make([]byte, 50<<20)), // a bomb: 50 KB that would be 50 MB
		squeezed(t, []byte("short")),
		squeezed(t, filler), // of any size and content
		squeezed(t, text(testSize, 1)),
	} {
		p.send(t, ws.MustCompileFrame(b))
	}
	awaitMessages(t, f, 1)
	c := f.Collect(0, 2, stamp.Strategy)
	if c.Malformed != 4 || c.Corrupt != 2 || c.Checked != 1 || c.Clients[0].Received != 1 || len(c.Gone) != 0 {
		t.Errorf("%+v", c)
	}
	f.readers[0].do(func() {
		if n := cap(f.readers[0].unpacker.out); n > 2*testSize {
			t.Errorf("%d bytes to inflate into", n)
		}
	})
}

func TestRefusedCompression(t *testing.T) {
	for name, agree := range map[string]*wsflate.Parameters{
		"permessage-deflate refused":                                  nil,
		"permessage-deflate refused: the server chose something else": {ClientNoContextTakeover: true},
	} {
		s := newServer(t, func(s *server) { s.agree = agree })
		p := Plan{Addr: s.Addr().String(), Numbers: []Range{{0, 3}}, Size: testSize, Compress: true}
		f, got, err := Connect(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Connected != 0 || got.Errors[name] != 3 {
			t.Errorf("%+v", got)
		}
		if why := goneWhy(f, 1); why != "never connected: "+name {
			t.Error(why)
		}
		f.Close()
	}
}

// RSV1 belongs to the first frame of a data message, and only after a negotiation.
func TestReservedBits(t *testing.T) {
	a := squeezed(t, text(testSize, 0))
	second := ws.NewFrame(ws.OpContinuation, true, nil)
	second.Header.Rsv = a.Header.Rsv
	ping := ws.NewPingFrame(nil)
	ping.Header.Rsv = a.Header.Rsv
	other := a
	other.Header.Rsv = ws.Rsv(true, true, false)
	for name, c := range map[string]struct {
		compress bool
		bytes    []byte
	}{
		"not negotiated": {false, ws.MustCompileFrame(a)},
		"continuation":   {true, append(frame(false, ws.OpBinary, []byte("a")), ws.MustCompileFrame(second)...)},
		"ping":           {true, ws.MustCompileFrame(ping)},
		"RSV2":           {true, ws.MustCompileFrame(other)},
	} {
		s := newServer(t, deflating)
		f := connectN(t, s, 1, func(p *Plan) { p.Compress = c.compress })
		s.peer(0).send(t, c.bytes)
		await(t, name, func() bool { return goneWhy(f, 0) == errReserved.Error() })
	}
}

// A message that another client already got costs no allocation, wherever it is cut.
func TestNoAllocationPerCompressedMessage(t *testing.T) {
	const clients = 64
	r := &reader{
		clients: make([]client, clients), grid: newGrid(clients, remembered), size: testSize, lag: newHistogram(),
		unpacker: newUnpacker(testSize), content: content{filling: stamp.Text(testSize, 3)},
	}
	frames := make([][]byte, remembered)
	for i := range frames {
		frames[i] = ws.MustCompileFrame(squeezed(t, text(testSize, uint32(i))))
	}
	next := 0
	everything := func() {
		c := &r.clients[next]
		c.deflate, c.column = true, int32(next)
		next++
		var run run
		for i, b := range frames {
			cut := 40 * (i % 2)
			for _, part := range [][]byte{b[:cut], b[cut:]} {
				if err := r.feed(c, part, moment{picked: clock.Now()}, &run); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	everything()
	if allocs := testing.AllocsPerRun(clients-2, everything); allocs != 0 {
		t.Errorf("%v allocations per %d messages", allocs, remembered)
	}
	if r.malformed != 0 || r.tally.messages != clients*remembered || r.tally.inflated != remembered {
		t.Errorf("%d malformed, %+v", r.malformed, r.tally)
	}
}

// What gorilla compresses for each connection by itself, in pooled writers, is the same bytes at all of them: one message a
// round is inflated.
func TestAServerThatCompressesPerClient(t *testing.T) {
	const clients, rounds, size = 20, 5, 3000
	u := websocket.Upgrader{EnableCompression: true}
	conns := make(chan *websocket.Conn, clients)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := u.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		conns <- c
	}))
	defer s.Close()
	f, got, err := Connect(t.Context(), Plan{
		Addr: s.Listener.Addr().String(), Numbers: []Range{{0, clients}}, Rounds: rounds, Readers: 1, Compress: true, Size: size,
		Content: &Content{Seed: 3, Text: true},
	}, nil)
	if err != nil || got.Connected != clients {
		t.Fatalf("%+v %v", got, err)
	}
	defer f.Close()
	var all []*websocket.Conn
	for range clients {
		c := <-conns
		defer c.Close()
		all = append(all, c)
	}
	for n := range uint32(rounds) {
		b := text(size, n)
		for _, c := range all {
			if err := c.WriteMessage(websocket.BinaryMessage, b); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := awaitMessages(t, f, clients*rounds)
	seen := f.Collect(0, rounds, stamp.Strategy)
	if c.Inflated != rounds || seen.Checked != clients*rounds || seen.Malformed != 0 {
		t.Errorf("%d inflated for %d rounds, %d checked, %d malformed", c.Inflated, rounds, seen.Checked, seen.Malformed)
	}
	if w := c.WireBytes.Strategy; w.Bytes*2 > w.Messages*size {
		t.Errorf("%d bytes a delivery of %d", w.Bytes/w.Messages, size)
	}
}
