package clientfleet

import (
	"cmp"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// ClockSeen is what a fleet knows of the difference between the server's CLOCK_MONOTONIC and its own.
type ClockSeen struct {
	OffsetNs      int64   `json:"offset_ns"`      // the server's minus the fleet's, in the round that is known worst
	DriftPPM      float64 `json:"drift_ppm"`      // how much faster the server's runs, millionths
	UncertaintyNs int64   `json:"uncertainty_ns"` // every instant of the rounds may be off by at most this
	Exchanges     int     `json:"exchanges"`      // answers of the server so far
}

const (
	// wander is by how much the drift of two clocks may change: crystals follow the temperature, NTP corrects.
	wander = 10e-6
	// steepest is the most that two clocks drift apart: the kernel lets NTP slew each by 500 ppm.
	steepest = 1000e-6
	// window is the time of which the best exchange is kept.
	window = int64(250 * time.Millisecond)
	// slack keeps a sample positive that the first guess of the offset would put before the start of its round.
	slack = int64(10 * time.Millisecond)
)

// reading is one answer of the server: at an instant of this host's clock the server's was ahead by offset, give or take within,
// whatever the two ways of the exchange took.
type reading struct{ at, offset, within int64 }

// otherClock is what is known of the clock of a server on another host. Nil, it is this host's own.
type otherClock struct {
	told  chan struct{} // something is in it after each answer
	guess atomic.Int64  // the offset, good to some milliseconds: what samples are stored by until Collect knows better

	mu        sync.Mutex
	readings  []reading // the best of each window, in order
	until     int64     // end of the last one's window
	guessed   reading   // where guess is from
	exchanges int
}

func newOtherClock() *otherClock { return &otherClock{told: make(chan struct{}, 1)} }

// count is that of the answers so far.
func (o *otherClock) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.exchanges
}

// begin is an instant of the server's clock in this host's, by the guess, and a little early for certain.
func (o *otherClock) begin(start int64) int64 {
	if o == nil {
		return start
	}
	return start - o.guess.Load() - slack
}

// add keeps a reading if it is the best of its window. The best is that of the shortest way: what else delays an exchange delays
// one of its halves more.
func (o *otherClock) add(r reading) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.exchanges++
	last := len(o.readings) - 1
	switch {
	case last < 0 || r.at >= o.until:
		o.readings, o.until = append(o.readings, r), r.at+window
	case r.within < o.readings[last].within:
		o.readings[last] = r
	}
	if o.exchanges == 1 || r.within <= o.guessed.aged(r.at, steepest) {
		o.guessed = r
		o.guess.Store(r.offset)
	}
	select {
	case o.told <- struct{}{}:
	default:
	}
}

// fresh lets the next reading begin a window: what follows is wanted, however good the last ones were.
func (o *otherClock) fresh() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until = math.MinInt64
}

// aged is by how much a reading may be off at another instant, if the clocks drift apart by so much.
func (r reading) aged(at int64, drift float64) int64 {
	return r.within + int64(drift*math.Abs(float64(at-r.at)))
}

// at is the offset at an instant of this host's clock and by how much it may be off. Between two readings the drift is taken for
// constant: the error there is between theirs.
func (o *otherClock) at(t int64) (offset, within int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if before, after := nearest(o.readings, t, wander); before != nil && after != nil {
		return between(*before, *after, t)
	}
	before, after := nearest(o.readings, t, steepest)
	one := cmp.Or(before, after)
	if one == nil {
		return 0, math.MaxInt64
	}
	return one.offset, one.aged(t, steepest)
}

// nearest are the readings around an instant that tell most about it if the clocks drift apart by so much since: a good one that is
// farther away may.
func nearest(readings []reading, t int64, drift float64) (before, after *reading) {
	for i := range readings {
		r := &readings[i]
		side := &before
		if r.at > t {
			side = &after
		}
		if *side == nil || r.aged(t, drift) < (*side).aged(t, drift) {
			*side = r
		}
	}
	return before, after
}

// server turns an instant of this host's clock into one of the server's. 0, which is none, stays.
func (o *otherClock) server(t int64) int64 {
	if o == nil || t == 0 {
		return t
	}
	offset, _ := o.at(t)
	return t + offset
}

func between(a, b reading, t int64) (offset, within int64) {
	length := b.at - a.at
	share := float64(t-a.at) / float64(length)
	change := b.offset - a.offset
	offset = a.offset + int64(math.Round(share*float64(change)))
	within = a.within + int64(math.Ceil(share*float64(b.within-a.within)))
	within += int64(wander * float64(min(t-a.at, b.at-t)))
	// Clocks that moved by more than they can have been stopped, or set, somewhere between.
	if moved := max(change, -change); moved > a.within+b.within+int64(steepest*float64(length)) {
		within += moved
	}
	return offset, within
}

// ends bounds the search for the drift.
const ends = 50

// drift is by how much faster the server's clock runs, from the two readings that tell most; 0 with fewer.
func (o *otherClock) drift() float64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(o.readings)
	drift, best := 0.0, math.Inf(1)
	for _, a := range o.readings[:min(n, ends)] {
		for _, b := range o.readings[max(n-ends, 0):] {
			length := float64(b.at - a.at)
			if doubt := float64(a.within+b.within) / length; length > 0 && doubt < best {
				drift, best = float64(b.offset-a.offset)/length, doubt
			}
		}
	}
	return drift
}

// worse is the one of two that is known less well; nil is a clock without doubt.
func worse(a, b *ClockSeen) *ClockSeen {
	if a == nil || b != nil && b.UncertaintyNs > a.UncertaintyNs {
		return b
	}
	return a
}
