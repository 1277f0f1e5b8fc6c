package serve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
	"wsfanout/strategies"
)

// quietLead is how long before a bare round is due the server looks whether the strategy still owes something: the look
// visits every member, and must not be part of a round.
const quietLead = 10 * time.Millisecond

// phaseState is what "drain" needs of the phase before it.
type phaseState struct {
	meter   meter
	before  map[int]strategies.Member
	inbound int64 // messages of clients before it
	owedMax int64
	lastEnd int64    // when the last broadcast ended
	stuck   *sampler // nil but in the stuck phase
	hub     *hubWatch
}

// phase issues the rounds of one phase on an absolute schedule: a late round runs at once, none is skipped, and the
// schedule never shifts.
func (s *session) phase(ctx context.Context, p Phase) (Issued, error) {
	if p.Pairs && s.options.TLS() {
		return Issued{}, errors.New("phase: bare rounds would break the record stream of TLS")
	}
	if p.Rounds <= 0 || p.Interval <= 0 {
		return Issued{}, fmt.Errorf("phase: %d rounds every %v: want both positive", p.Rounds, p.Interval)
	}
	s.phaseNow = &phaseState{before: s.accountsByNumber(), inbound: s.inbound.Load()}
	if p.Kind == "stuck" {
		if err := s.arm(ctx, p); err != nil {
			return Issued{}, err
		}
	}
	if err := s.phaseNow.meter.begin(); err != nil {
		return Issued{}, err
	}
	slots := p.Rounds
	if p.Pairs {
		slots *= 2
	}
	issued := Issued{Rounds: make([]Round, 0, slots)}
	first := clock.Now() + int64(2*quietLead) // after arming: filling takes its time
	s.phaseNow.hub = s.watchHub(first + int64(slots)*int64(p.Interval))
	defer s.phaseNow.hub.stop()
	for slot := range slots {
		due := first + int64(slot)*int64(p.Interval)
		round := Round{N: p.First + uint32(slot), Due: due, Bare: p.Pairs && slot%2 == 1}
		if slot == 0 && s.phaseNow.stuck != nil {
			s.phaseNow.stuck.begin(due)
		}
		if err := s.slot(ctx, &round, p.Kind == "warmup"); err != nil {
			return Issued{}, err
		}
		issued.Rounds = append(issued.Rounds, round)
		if s.phaseNow.hub.fired() {
			break // the hub hung until the experiment closed the client: the rounds left were never started
		}
	}
	s.phaseNow.lastEnd = clock.Now()
	return issued, nil
}

// slot waits for one place of the schedule and runs what belongs there.
func (s *session) slot(ctx context.Context, r *Round, warmUp bool) error {
	if err := sleep(ctx, time.Duration(r.Due-clock.Now())-quietLead); err != nil {
		return err
	}
	var run func()
	if r.Bare {
		loop := s.bareLoop()
		if why := s.owing(loop.conns); why != "" {
			// The slot stays empty, and its cost stays the strategy's: it is the strategy that is still running.
			r.Discard = why
			return nil
		}
		run = func() { loop.run(r, stampOf(r, stamp.Bare, warmUp), s.frame) }
	} else {
		s.noteOwed()
		run = func() { s.broadcast(r, warmUp) }
	}
	clock.SleepUntil(r.Due)
	if err := s.phaseNow.meter.boundary(r.Bare); err != nil {
		return err
	}
	run()
	return nil
}

func (s *session) broadcast(r *Round, warmUp bool) {
	s.phaseNow.hub.begin()
	defer s.phaseNow.hub.done()
	if s.phaseNow.stuck != nil {
		s.phaseNow.stuck.roundStarts(clock.Now())
	}
	st := stampOf(r, stamp.Strategy, warmUp)
	payload := stamp.New(st, s.filling)
	t := s.hub().Broadcast(strategies.Round{N: r.N, Due: r.Due, Start: st.Start, Payload: payload})
	r.Start, r.End = st.Start, clock.Now()
	r.Written, r.Queued, r.Dropped, r.Failed = t.Written, t.Queued, t.Dropped, t.Failed
}

// stampOf takes the start of the round: the latency clock runs from here, framing included.
func stampOf(r *Round, kind stamp.Kind, warmUp bool) stamp.Stamp {
	if warmUp {
		kind = stamp.WarmUp
	}
	return stamp.Stamp{Start: clock.Now(), Round: r.N, Due: r.Due, Kind: kind}
}
