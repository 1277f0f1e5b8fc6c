package clientfleet

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

// transcript is all that a parser finds in a stream that comes in pieces.
func transcript(pieces ...[]byte) []string {
	var p parser
	var found []string
	for _, b := range pieces {
		for len(b) > 0 {
			n, ev, err := p.next(b)
			b = b[n:]
			switch {
			case err != nil:
				return append(found, err.Error())
			case ev.op == ws.OpBinary:
				found = append(found, fmt.Sprintf("message of %d: %x", p.size, p.first[:min(p.size, stamp.Size)]))
			case ev.op != 0:
				found = append(found, fmt.Sprintf("op %d: %x", ev.op, ev.payload))
			case n == 0:
				return append(found, "no progress")
			}
		}
	}
	return found
}

func frame(fin bool, op ws.OpCode, payload []byte) []byte {
	return ws.MustCompileFrame(ws.NewFrame(op, fin, payload))
}

// aStream has everything that a server may send, and a message of big bytes.
func aStream(big int) []byte {
	return slices.Concat(
		frame(true, ws.OpBinary, bytes.Repeat([]byte("x"), 70)),
		frame(false, ws.OpBinary, []byte("start")),
		frame(true, ws.OpPing, []byte("between the fragments")),
		frame(false, ws.OpContinuation, nil),
		frame(true, ws.OpContinuation, bytes.Repeat([]byte("y"), 200)),
		frame(true, ws.OpText, nil),
		frame(true, ws.OpPong, nil),
		frame(true, ws.OpBinary, bytes.Repeat([]byte("z"), big)),
		frame(true, ws.OpClose, ws.NewCloseFrameBody(1001, "bye")),
	)
}

func TestParseFindsEverything(t *testing.T) {
	want := []string{
		fmt.Sprintf("message of 70: %x", bytes.Repeat([]byte("x"), stamp.Size)),
		fmt.Sprintf("op 9: %x", "between the fragments"),
		fmt.Sprintf("message of 205: %x%x", "start", bytes.Repeat([]byte("y"), stamp.Size-5)),
		"message of 0: ",
		"op 10: ",
		fmt.Sprintf("message of 70000: %x", bytes.Repeat([]byte("z"), stamp.Size)),
		fmt.Sprintf("op 8: 03e9%x", "bye"),
	}
	if got := transcript(aStream(70_000)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	stream := aStream(70_000)
	single := make([][]byte, 0, len(stream))
	for _, b := range stream {
		single = append(single, []byte{b})
	}
	if got := transcript(single...); !slices.Equal(got, want) {
		t.Errorf("byte by byte %q\nwant %q", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []byte
		want error
	}{
		{"masked", []byte{0x82, 0x81, 1, 2, 3, 4, 5}, errMasked},
		{"compressed without having been asked", []byte{0xc2, 1, 0}, errReserved},
		{"opcode 3", []byte{0x83, 0}, errOpCode},
		{"opcode 11", []byte{0x8b, 0}, errOpCode},
		{"fragmented ping", []byte{0x09, 0}, errControl},
		{"long ping", []byte{0x89, 126, 0, 126}, errControl},
		{"continuation first", []byte{0x80, 0}, errContinue},
		{"message in a message", []byte{0x02, 0, 0x82, 0}, errInterrupted},
		{"negative length", []byte{0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0}, errLength},
	} {
		var p parser
		var err error
		for b, n := c.in, 0; err == nil && len(b) > 0; b = b[n:] {
			n, _, err = p.next(b)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// Any split of any bytes gives what the same bytes give in one piece.
func FuzzParse(f *testing.F) {
	f.Add(aStream(300), []byte{1, 2, 3, 250, 1, 1})
	f.Add([]byte{0x82, 126, 0, 200, 1, 2}, []byte{1})
	f.Add([]byte{0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3}, []byte{2})
	f.Add([]byte{0x89, 3, 1, 2, 3, 0x02, 1, 9, 0x89, 0, 0x80, 0}, []byte{3})
	f.Add([]byte{0x82, 0x81, 1, 2, 3, 4, 5}, []byte{0, 1})
	f.Fuzz(func(t *testing.T, stream, cuts []byte) {
		want := transcript(stream)
		var pieces [][]byte
		rest := stream
		for i := 0; len(rest) > 0 && len(cuts) > 0; i++ {
			n := min(1+int(cuts[i%len(cuts)]), len(rest))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		if got := transcript(append(pieces, rest)...); !slices.Equal(got, want) {
			t.Errorf("cut by %v: %q\nin one piece: %q", cuts, got, want)
		}
	})
}

// The hot path costs no allocation: parse a message, place it, record its lag.
func TestNoAllocationPerMessage(t *testing.T) {
	const rounds = 3000
	r := &reader{clients: make([]client, 1), grid: newGrid(1, rounds), size: testSize, lag: newHistogram()}
	frames := make([][]byte, rounds)
	for i := range frames {
		frames[i] = message(uint32(i), stamp.Strategy)
	}
	next := 0
	allocs := testing.AllocsPerRun(rounds-10, func() {
		var run run
		s := stamp.Get(frames[next][2:])
		for _, b := range [][]byte{frames[next][:7], frames[next][7:]} {
			if err := r.feed(&r.clients[0], b, moment{arrival: s.Start + 10_000, picked: s.Start + 20_000}, &run); err != nil {
				t.Fatal(err)
			}
		}
		next++
	})
	if allocs != 0 {
		t.Errorf("%v allocations per message", allocs)
	}
	if r.tally.messages != int64(next) || r.lag.TotalCount() != int64(next) {
		t.Errorf("%d messages and %d lags of %d", r.tally.messages, r.lag.TotalCount(), next)
	}
}
