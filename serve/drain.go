package serve

import (
	"context"
	"errors"
	"slices"
	"time"

	"wsfanout/internal/clock"
	"wsfanout/internal/procstat"
	"wsfanout/internal/stamp"
	"wsfanout/strategies"
)

// drain closes the accounts of the phase before it. The parent asks for it when every client has everything, or when its
// patience has ended: what is owed then is counted as owed.
func (s *session) drain(ctx context.Context, q Drain) (Drained, error) {
	if s.phaseNow == nil {
		return Drained{}, errors.New("drain without a phase before it")
	}
	if s.phaseNow.stuck != nil {
		if err := s.awaitEvictions(ctx, s.phaseNow.lastEnd+int64(q.Patience)); err != nil {
			return Drained{}, err
		}
		s.phaseNow.stuck.end()
	}
	if err := s.awaitWriters(ctx); err != nil {
		return Drained{}, err
	}
	s.noteOwed()
	strategy, bare, err := s.phaseNow.meter.end()
	if err != nil {
		return Drained{}, err
	}
	after, err := s.rest(false)
	if err != nil {
		return Drained{}, err
	}
	d := Drained{
		Accounts: s.accounts(), Strategy: strategy, Bare: bare, OwedMax: s.phaseNow.owedMax, After: after,
		Inbound: s.inbound.Load() - s.phaseNow.inbound,
	}
	if w := s.phaseNow.stuck; w != nil {
		d.Stuck, d.HeapGrowth = s.stuckReports(w), w.heap.bytes()
	}
	s.phaseNow = nil
	return d, nil
}

// writersRest is how long a writer may take from its write, after which the client may have the message, to saying so: on a busy
// machine it can be preempted in between.
const writersRest = 500 * time.Millisecond

// awaitWriters waits until no healthy member has anything queued, for writersRest at most: what is queued longer is owed.
func (s *session) awaitWriters(ctx context.Context) error {
	for until := clock.Now() + int64(writersRest); clock.Now() < until; {
		waiting := slices.ContainsFunc(s.hub().Members(), func(m strategies.Member) bool { return m.Queued > 0 && !m.Left && !s.isExtra(m.Number) })
		if !waiting {
			return nil
		}
		if err := sleep(ctx, 2*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// awaitEvictions waits until every extra is evicted, or can no longer be, or until a CLOCK_MONOTONIC instant.
func (s *session) awaitEvictions(ctx context.Context, until int64) error {
	canBe := s.options.WriteLimit() > 0 || s.options.UserTimeout > 0
	for canBe && clock.Now() < until {
		if live, _ := s.register.stuckExtras(); live == 0 {
			return nil
		}
		if err := sleep(ctx, samplePeriod); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) stuckReports(w *sampler) []StuckClient {
	now, pending, frame := s.accountsByNumber(), s.pending(), int64(len(s.frame(stamp.Stamp{})))
	_, lost := s.register.lost()
	return w.reports(lost,
		func(number int) int { return messagesOwed(now[number], pending[number], frame) },
		func(number int) int { return now[number].Failed - s.phaseNow.before[number].Failed })
}

// recovered waits for the healthy state to come back and says what differs: the members without the stuck
// clients, and what each of these had cost.
func (s *session) recovered(ctx context.Context, q Recover) (Recovered, error) {
	deadline := time.Now().Add(q.Within)
	for {
		m, err := procstat.ReadState(false)
		if err != nil {
			return Recovered{}, err
		}
		_, stuck := s.register.stuckExtras()
		apart := len(s.engine.Conns()) - len(s.inRounds()) // they lack a goroutine that a strategy has for each member
		perClient := (s.healthy.Goroutines - s.baseline.Goroutines + apart) / max(s.healthy.Members, 1)
		r := Recovered{
			Members:    s.register.members() - (s.healthy.Members - stuck),
			FDs:        m.FDs - (s.healthy.FDs - stuck),
			Goroutines: m.Goroutines - (s.healthy.Goroutines - stuck*perClient),
		}
		if r == (Recovered{}) || time.Now().After(deadline) {
			return r, nil
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return r, err
		}
	}
}

// noteOwed remembers the most that one healthy client owes between two rounds.
func (s *session) noteOwed() {
	for _, c := range s.inRounds() {
		if owed := c.Owed(); owed > s.phaseNow.owedMax && !s.isExtra(c.Number()) {
			s.phaseNow.owedMax = owed
		}
	}
}

// pending is the engine's part of what is owed, in bytes, by client number.
func (s *session) pending() map[int]int64 {
	owed := map[int]int64{}
	for _, c := range s.engine.Conns() {
		if n := c.Owed(); n > 0 {
			owed[c.Number()] = n
		}
	}
	return owed
}

// accounts are the healthy clients' ledgers since the phase began, where there is something to say.
func (s *session) accounts() []Account {
	pending, frame := s.pending(), int64(len(s.frame(stamp.Stamp{})))
	lost, _ := s.register.lost()
	var out []Account
	for number, m := range s.accountsByNumber() {
		before := s.phaseNow.before[number]
		a := Account{
			Number: number, Dropped: m.Dropped - before.Dropped, Failed: m.Failed - before.Failed,
			Owed: messagesOwed(m, pending[number], frame), Lost: lost[number].why,
		}
		if !s.isExtra(number) && a != (Account{Number: number}) {
			out = append(out, a)
		}
	}
	return out
}

// messagesOwed counts a message once, although a writer that hangs in it shows up both in the strategy's queue and in
// the engine's bytes. frame is about the size of one on the wire.
func messagesOwed(m strategies.Member, pending, frame int64) int {
	return max(m.Queued, int((pending+frame-1)/frame))
}

// accountsByNumber adds up the accounts of clients that joined more than once.
func (s *session) accountsByNumber() map[int]strategies.Member {
	all := map[int]strategies.Member{}
	for _, m := range s.hub().Members() {
		sum := all[m.Number]
		sum.Number = m.Number
		sum.Left = m.Left
		sum.Queued += m.Queued
		sum.QueuedBytes += m.QueuedBytes
		sum.Dropped += m.Dropped
		sum.Failed += m.Failed
		all[m.Number] = sum
	}
	return all
}
