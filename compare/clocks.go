//go:build linux

package main

import (
	"context"
	"fmt"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/serve"
)

// elsewhere says that a half may be on another host: whether the clocks are one is only known when both have said theirs.
func (r *cellRun) elsewhere() bool { return r.apart.anywhere() || r.engine.foreign() }

// clockNumbers are of the clients that ask for the server's clock, one for each fleet. They are in no round, and they only connect
// where the clocks are not one.
func (r *cellRun) clockNumbers() []serve.Span {
	if !r.elsewhere() {
		return nil
	}
	from := r.clients + len(r.extras)
	return []serve.Span{{From: from, To: from + len(r.fleet)}}
}

// compareClocks says whose clock is the server's, of fleets that said what theirs showed before the server started. One clock has one
// identity; that its readings are in order proves it, since a copy of a virtual machine has the identity of the first.
func (r *cellRun) compareClocks(ctx context.Context, before []clientfleet.Host) error {
	after, err := r.fleet.hosts(ctx)
	if err != nil {
		return err
	}
	s := r.started
	r.trial.Clock = &result.Clock{Shared: true}
	r.otherClock = make([]bool, len(r.fleet))
	for i := range r.fleet {
		from, to := before[i].MonotonicNs, after[i].MonotonicNs
		// A program that does not say whose clock it reads, and is started here, is believed.
		named := s.Clock != "" && s.Clock == before[i].Clock || s.Clock == "" && !r.apart.anywhere()
		if named && from <= s.MonotonicNs && s.MonotonicNs <= to {
			continue
		}
		if !r.elsewhere() {
			return fmt.Errorf("the server's monotonic clock is not the fleet's, although both run here: %d ns of %q is not within %d..%d of %q",
				s.MonotonicNs, s.Clock, from, to, before[i].Clock)
		}
		r.otherClock[i], r.trial.Clock.Shared = true, false
	}
	return nil
}

// clockClients is how many clients ask for the server's clock.
func (r *cellRun) clockClients() int {
	n := 0
	for _, other := range r.otherClock {
		if other {
			n++
		}
	}
	return n
}

// planOf is the i-th fleet's part of a plan, with a client that asks for the clock where it is another one.
func (r *cellRun) planOf(p clientfleet.Plan, i int) clientfleet.Plan {
	p = share(p, i, len(r.fleet))
	if r.otherClock[i] {
		asks := clientfleet.Extra{Number: r.clockNumbers()[0].From + i, Kind: clientfleet.AsksClock}
		p.Extras = append(p.Extras[:len(p.Extras):len(p.Extras)], asks)
	}
	return p
}

// askClocks lets the fleets with another clock learn how far it is from the server's. It wants a moment without rounds.
func (r *cellRun) askClocks(ctx context.Context) error {
	var asking fleets
	for i, c := range r.fleet {
		if r.otherClock[i] {
			asking = append(asking, c)
		}
	}
	_, err := askEach[clientfleet.ClockSeen](ctx, asking, "clock", same(nil))
	return err
}

// noteClock keeps what is known least well of the clocks in any phase.
func (r *cellRun) noteClock(seen *clientfleet.ClockSeen) {
	if c := r.trial.Clock; seen != nil && seen.UncertaintyNs >= c.UncertaintyNs {
		*c = result.Clock{OffsetNs: seen.OffsetNs, DriftPPM: seen.DriftPPM, UncertaintyNs: seen.UncertaintyNs, Exchanges: seen.Exchanges}
	}
}
