package clientfleet

import (
	"time"

	"wsfanout/internal/clock"
)

const (
	tightBracket = int64(20 * time.Microsecond) // a looser reading of both clocks is not kept
	clockStep    = int64(time.Millisecond)      // both clocks are slewed alike: a larger change is a step
)

// wallClock converts the kernel's stamps, CLOCK_REALTIME, to CLOCK_MONOTONIC.
type wallClock struct {
	offset  int64 // realtime minus monotonic of the last reading kept
	bracket int64 // of that reading: the offset may be off by half of it
	set     bool
	steps   int64
}

// refresh reads both clocks again. The first reading is the best of many, so that there is always one to go by.
func (w *wallClock) refresh() {
	p := clock.ReadPair()
	for i := 0; !w.set && i < 100 && p.Bracket >= tightBracket/20; i++ {
		if q := clock.ReadPair(); q.Bracket < p.Bracket {
			p = q
		}
	}
	w.keep(p)
}

func (w *wallClock) keep(p clock.Pair) {
	if w.set && p.Bracket >= tightBracket {
		return
	}
	if change := p.Offset - w.offset; w.set && (change > clockStep || change < -clockStep) {
		w.steps++
	}
	w.offset, w.bracket, w.set = p.Offset, p.Bracket, true
}

// moment is when bytes came. Both are CLOCK_MONOTONIC nanoseconds; an arrival of 0 means that the kernel gave none.
type moment struct {
	arrival int64
	picked  int64
}

// of returns when a message of a round that started at start arrived, and whether the kernel's stamp says so. A stamp
// outside of start..pick-up by more than the uncertainty of the offset is from before or after a step of the wall clock.
func (m moment) of(start int64) (arrival int64, stamped bool) {
	if m.arrival == 0 || m.arrival < start-tightBracket || m.arrival > m.picked+tightBracket {
		return m.picked, false
	}
	return min(max(m.arrival, start), m.picked), true
}
