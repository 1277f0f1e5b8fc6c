//go:build linux

package main

import (
	"math/rand/v2"
	"slices"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/serve"
)

// misbehaviour is which clients misbehave in the stuck phase, on top of the healthy ones.
type misbehaviour struct {
	stuck   int // never read again
	slow    int // read slowRate bytes/s each
	vanish  int // their kernel hears nothing more: no acknowledgement, no FIN, no RST
	at      string
	buffers string
	jam     string

	slowRate int64
	resume   time.Duration // the stuck ones read again after this; 0: never
}

func (b misbehaviour) extras() int { return b.stuck + b.slow + b.vanish }

// extra is one of them.
type extra struct {
	number int
	kind   string // a clientfleet kind
}

// places numbers the extras among n healthy clients: one block at the place asked for, or random places that follow from
// the seed.
func (b misbehaviour) places(n int, seed uint64) []extra {
	k := b.extras()
	numbers := make([]int, k)
	switch b.at {
	case "random":
		copy(numbers, rand.New(rand.NewPCG(seed, 0)).Perm(n+k))
		slices.Sort(numbers)
	default:
		from := map[string]int{"first": 0, "middle": n / 2, "last": n}[b.at]
		for i := range numbers {
			numbers[i] = from + i
		}
	}
	out := make([]extra, k)
	for i, number := range numbers {
		kind := clientfleet.Stuck
		switch {
		case i >= b.stuck+b.slow:
			kind = clientfleet.Vanished
		case i >= b.stuck:
			kind = clientfleet.Slow
		}
		out[i] = extra{number, kind}
	}
	return out
}

// The reference experiment's buffers, in bytes as given to setsockopt: with the kernel's own choice a client that never
// reads would swallow the whole run.
const (
	stuckSendBuffer    = 4096
	stuckReceiveBuffer = 2048
)

// sendBuffer is what the server sets on a client that announces itself; 0: nothing.
func (b misbehaviour) sendBuffer() int {
	if b.buffers == "default" {
		return 0
	}
	return stuckSendBuffer
}

// forServer is what the server must know of the extras.
func (r *cellRun) forServer() []serve.Extra {
	var out []serve.Extra
	for _, e := range r.extras {
		out = append(out, serve.Extra{
			Number: e.number, Fill: e.kind != clientfleet.Slow,
			Forever: e.kind == clientfleet.Vanished || e.kind == clientfleet.Stuck && r.behave.resume == 0,
		})
	}
	return out
}

// forFleet is how the extras behave.
func (r *cellRun) forFleet() []clientfleet.Extra {
	var out []clientfleet.Extra
	for _, e := range r.extras {
		c := clientfleet.Extra{Number: e.number, Kind: e.kind, Announce: "slow", RecvBuffer: stuckReceiveBuffer}
		if r.behave.buffers == "default" {
			c.RecvBuffer = 0
		}
		switch e.kind {
		case clientfleet.Slow:
			c.Rate = r.behave.slowRate
		case clientfleet.Stuck:
			c.Resume = r.behave.resume
		}
		out = append(out, c)
	}
	return out
}

// healthyRanges are all numbers below total that are no extra's.
func healthyRanges(total int, extras []extra) []clientfleet.Range {
	var out []clientfleet.Range
	from := 0
	for _, e := range append(slices.Clone(extras), extra{number: total}) {
		if e.number > from {
			out = append(out, clientfleet.Range{From: from, To: e.number})
		}
		from = e.number + 1
	}
	return out
}
