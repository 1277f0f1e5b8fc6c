package clientfleet

import (
	"bytes"
	"testing"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

// Uncompressed messages are compared at one client per round, each in its turn: after as many rounds as clients, a client
// that always gets wrong bytes has been found out.
func TestContentIsComparedInTurn(t *testing.T) {
	s := newServer(t)
	const clients, rounds = 4, 8
	f := connectN(t, s, clients, func(p *Plan) { p.Content = &Content{Seed: 1} })
	for n := range uint32(rounds) {
		right := payload(n, stamp.Strategy)
		wrong := bytes.Clone(right)
		wrong[testSize-1] ^= 1
		for i := range clients {
			b := right
			if i == 2 {
				b = wrong
			}
			s.peer(i).send(t, ws.MustCompileFrame(ws.NewBinaryFrame(b)))
		}
		await(t, "round", func() bool {
			c := f.Collect(0, rounds, stamp.Strategy)
			return f.Received(0, rounds)+c.Malformed == int64(n+1)*clients
		})
	}
	c := f.Collect(0, rounds, stamp.Strategy)
	if c.Corrupt != 2 || c.Malformed != 2 || c.Checked != rounds-2 || c.Clients[2].Received != rounds-2 {
		t.Errorf("%d corrupt, %d malformed, %d checked, %+v", c.Corrupt, c.Malformed, c.Checked, c.Clients[2])
	}
}

// A message is compared wherever it was cut.
func TestContentInPieces(t *testing.T) {
	filling := stamp.Filling(testSize, 1)
	for _, at := range []int{stamp.Size, 40, testSize - 1, -1, 5} {
		for _, cut := range []int{1, 10, stamp.Size, 22, 41, 99} {
			r := &reader{
				clients: []client{{parser: parser{pieces: true}}}, grid: newGrid(1, 1), size: testSize, lag: newHistogram(),
				content: content{filling: filling},
			}
			b := payload(0, stamp.WarmUp)
			if at >= 0 {
				b[at] ^= 1
			}
			var run run
			m := moment{picked: stamp.Get(b).Start}
			stream := append(frame(false, ws.OpBinary, b[:cut]), frame(true, ws.OpContinuation, b[cut:])...)
			for _, half := range [][]byte{stream[:50], stream[50:]} {
				if err := r.feed(&r.clients[0], half, m, &run); err != nil {
					t.Fatal(err)
				}
			}
			if corrupt := r.content.corrupt == 1; corrupt != (at >= stamp.Size) {
				t.Errorf("byte %d changed, cut at %d: corrupt %v", at, cut, corrupt)
			}
		}
	}
}

// Fillers and messages of a wrong size are not corrupt.
func TestContentOfOthers(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 1, func(p *Plan) { p.Content = &Content{Seed: 1} })
	p := s.peer(0)
	p.send(t, message(0, stamp.Strategy),
		frame(true, ws.OpBinary, append(payload(50, stamp.Filler), make([]byte, 900)...)),
		frame(true, ws.OpBinary, stamp.New(stamp.Stamp{Kind: stamp.Filler}, make([]byte, 60))),
		frame(true, ws.OpBinary, payload(1, stamp.Strategy)[:testSize-1]),
		frame(true, ws.OpBinary, append(payload(1, stamp.Strategy), 1)),
		message(2, stamp.Bare))
	awaitMessages(t, f, 2)
	if c := f.Collect(0, 3, stamp.Strategy); c.Corrupt != 0 || c.Malformed != 2 || c.Checked != 2 {
		t.Errorf("%+v", c)
	}
}

func TestWireBytes(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 2)
	b := payload(3, stamp.Strategy)
	s.peer(0).send(t, message(0, stamp.WarmUp), message(1, stamp.Strategy), message(2, stamp.Bare))
	s.peer(1).send(t, frame(true, ws.OpPing, nil), frame(false, ws.OpBinary, b[:10]), frame(true, ws.OpPing, nil),
		frame(true, ws.OpContinuation, b[10:]))
	awaitMessages(t, f, 4)
	want := WireBytes{Strategy: Traffic{Messages: 2, Bytes: 2*(testSize+2) + 2}, Bare: Traffic{Messages: 1, Bytes: testSize + 2}}
	if got := counters(t, f).WireBytes; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	f.Mark()
	if got := counters(t, f).WireBytes; got != (WireBytes{}) {
		t.Errorf("%+v after Mark", got)
	}
}
