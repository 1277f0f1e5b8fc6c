//go:build linux

package main

import (
	"errors"
	"fmt"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/serve"
)

// What a server says may be anybody's word. Figures are made of what can be true; anything else fails the cell, and says what it was.

const (
	roundOff  = int64(10 * time.Microsecond) // two readings of one instant: by two processes, or through another language's doubles
	tooEarly  = int64(time.Millisecond)      // a timer of a server may fire so much before a round is due
	unhurried = int64(10 * time.Millisecond) // an end may be seen so much later than it came
)

// span is the instants of the server's clock between two of this process.
type span struct{ from, to int64 }

func (s span) has(at int64) bool { return s.from <= at && at <= s.to }

// serverSpan follows from when "start" was asked and answered, and what the server's clock showed in between: no common clock is
// needed. The clocks may drift apart by a thousandth.
func (r *cellRun) serverSpan(from, to time.Time) span {
	after, before := int64(from.Sub(r.startedAt[1])), int64(to.Sub(r.startedAt[0]))
	return span{r.started.MonotonicNs + after - after/1000 - unhurried, r.started.MonotonicNs + before + before/1000 + unhurried}
}

// believeStarted checks and cleans what a server says of itself.
func believeStarted(s *serve.Started) error {
	s.Footnotes = s.Footnotes[:min(len(s.Footnotes), 20)]
	for i := range s.Footnotes {
		s.Footnotes[i] = tame(s.Footnotes[i])
	}
	switch {
	case s.MonotonicNs <= 0:
		return fmt.Errorf("its clock shows %d: want monotonic_ns", s.MonotonicNs)
	case s.GOMAXPROCS < 1:
		return fmt.Errorf("gomaxprocs %d: want 1 or more", s.GOMAXPROCS)
	case s.BaselineBytes < 0 || s.BaselineFDs < 0 || s.BaselineRoutines < 0:
		return fmt.Errorf("a negative baseline: %d bytes, %d descriptors, %d goroutines", s.BaselineBytes, s.BaselineFDs, s.BaselineRoutines)
	}
	return nil
}

func believeSettled(s serve.Settled, members int) error {
	if s.Members != members {
		return fmt.Errorf("it has settled with %d of %d clients", s.Members, members)
	}
	return believeState(s)
}

func believeState(s serve.Settled) error {
	if min(s.HeapBytes, s.StackBytes, s.RSSBytes, int64(s.Members), int64(s.FDs), int64(s.Goroutines), int64(s.Threads)) < 0 {
		return fmt.Errorf("a negative number in its state: %+v", s)
	}
	return nil
}

// believeIssued checks the rounds of a phase that was asked for at an instant: a stretch of the schedule from its start, without gaps.
func (r *cellRun) believeIssued(issued serve.Issued, p serve.Phase, asked time.Time) error {
	slots, within := p.Rounds, r.serverSpan(asked, time.Now())
	if p.Pairs {
		slots *= 2
	}
	switch n := len(issued.Rounds); {
	case n == 0:
		return errors.New("it started no round")
	case n > slots:
		return fmt.Errorf("%d rounds, want %d", n, slots)
	case !within.has(issued.Rounds[0].Due):
		return fmt.Errorf("the first round was due at %d, not within %d..%d, when the phase was", issued.Rounds[0].Due, within.from, within.to)
	}
	for i := range issued.Rounds {
		one := &issued.Rounds[i]
		one.Discard = tame(one.Discard)
		err := believePlace(*one, p, i, issued.Rounds[0].Due)
		if err == nil {
			err = believeRound(*one, within, r.clients+len(r.extras))
		}
		if err != nil {
			return fmt.Errorf("slot %d: %w", i, err)
		}
	}
	return nil
}

// believePlace checks that a round is the one that belongs into its slot.
func believePlace(r serve.Round, p serve.Phase, slot int, first int64) error {
	due := first + int64(slot)*int64(p.Interval)
	switch {
	case r.N != p.First+uint32(slot):
		return fmt.Errorf("it is round %d, want %d", r.N, p.First+uint32(slot))
	case r.Bare != (p.Pairs && slot%2 == 1):
		return fmt.Errorf("bare is %v, want %v", r.Bare, !r.Bare)
	case gap(r.Due, due) > roundOff:
		return fmt.Errorf("due at %d, want %d: the first and %d x %v", r.Due, due, slot, p.Interval)
	}
	return nil
}

func believeRound(r serve.Round, within span, members int) error {
	switch {
	case r.Start == 0 && !r.Bare:
		return errors.New("no start: a round that was not sent is left out")
	case r.Start == 0 && r.End == 0: // declined
	case r.Start < r.Due-tooEarly || !within.has(r.Start):
		return fmt.Errorf("started at %d, due at %d, while the phase was within %d..%d", r.Start, r.Due, within.from, within.to)
	case r.End < r.Start || !within.has(r.End):
		return fmt.Errorf("ended at %d, started at %d, while the phase was within %d..%d", r.End, r.Start, within.from, within.to)
	}
	if sum := r.Written + r.Queued + r.Dropped + r.Failed; min(r.Written, r.Queued, r.Dropped, r.Failed) < 0 || sum > members {
		return fmt.Errorf("written %d, queued %d, dropped %d, failed %d for %d members", r.Written, r.Queued, r.Dropped, r.Failed, members)
	}
	return nil
}

// believeArrivals holds what the clients saw of rounds against what the server says of them: a message does not come before it was sent.
func (m *measured) believeArrivals(seen clientfleet.Collection) error {
	said := map[uint32]serve.Round{}
	for _, r := range m.issued.Rounds {
		said[r.N] = r
	}
	doubt := int64(0)
	if seen.Clock != nil {
		doubt = seen.Clock.UncertaintyNs
	}
	for _, r := range seen.Rounds {
		s, ok := said[r.N]
		switch {
		case !ok:
			return fmt.Errorf("round %d reached clients, and the server does not tell of it", r.N)
		case gap(s.Start, r.Start) > roundOff || gap(s.Due, r.Due) > roundOff:
			return fmt.Errorf("round %d was due at %d and started at %d by its stamp, %d and %d by the server's account", r.N, r.Due, r.Start, s.Due, s.Start)
		case r.Received == 0: // only an extra has it
		case r.Start-r.First-roundOff > doubt:
			return fmt.Errorf("round %d reached a client %v before it started by its stamp; %d messages came so", r.N, time.Duration(r.Start-r.First), seen.Early)
		case s.Discard == "" && r.Received > s.Written+s.Queued+s.Failed:
			return fmt.Errorf("round %d reached %d clients, but written %d, queued %d, failed %d", r.N, r.Received, s.Written, s.Queued, s.Failed)
		}
	}
	return nil
}

// gap is how far two instants are apart.
func gap(a, b int64) int64 { return max(a-b, b-a) }
