//go:build linux

package main

import (
	"fmt"
	"time"

	"wsfanout/serve"
)

// believeDrained checks and cleans the closed accounts of a phase.
func (m *measured) believeDrained() error {
	d := &m.drained
	for _, spent := range []serve.Spent{d.Strategy, d.Bare} {
		if min(spent.UserNs, spent.SystemNs, spent.Switches, spent.Involuntary, spent.GCPauseNs, spent.WriteCalls+1, int64(spent.Rounds)) < 0 {
			return fmt.Errorf("a negative cost: %+v", spent)
		}
	}
	if min(d.Inbound, d.OwedMax, d.HeapGrowth) < 0 {
		return fmt.Errorf("inbound %d, owed at most %d bytes, heap growth %d: want none negative", d.Inbound, d.OwedMax, d.HeapGrowth)
	}
	if err := believeState(d.After); err != nil {
		return err
	}
	extras := map[int]bool{}
	for _, e := range m.run.extras {
		extras[e.number] = true
	}
	if err := believeAccounts(d.Accounts, m.run.clients+len(extras), extras); err != nil || m.kind != "stuck" {
		return err
	}
	return m.believeStuck(extras)
}

// believeAccounts wants each healthy client at most once.
func believeAccounts(accounts []serve.Account, numbers int, extras map[int]bool) error {
	seen := map[int]bool{}
	for i := range accounts {
		a := &accounts[i]
		a.Lost = tame(a.Lost)
		switch {
		case a.Number < 0 || a.Number >= numbers || extras[a.Number]:
			return fmt.Errorf("an account of client %d, which is none of the healthy ones", a.Number)
		case seen[a.Number]:
			return fmt.Errorf("two accounts of client %d", a.Number)
		case min(a.Dropped, a.Failed, a.Owed) < 0:
			return fmt.Errorf("client %d: dropped %d, failed %d, owed %d", a.Number, a.Dropped, a.Failed, a.Owed)
		}
		seen[a.Number] = true
	}
	return nil
}

// believeStuck wants one entry for each extra: a jam that nobody tells of is no proof.
func (m *measured) believeStuck(extras map[int]bool) error {
	within := m.run.serverSpan(m.began, time.Now())
	told := map[int]bool{}
	for i := range m.drained.Stuck {
		s := &m.drained.Stuck[i]
		s.GoneBefore, s.NoticedBy, s.EvictedBy = tame(s.GoneBefore), tame(s.NoticedBy), tame(s.EvictedBy)
		if !extras[s.Number] || told[s.Number] {
			return fmt.Errorf("stuck: client %d is none of the extras, or there twice", s.Number)
		}
		told[s.Number] = true
		if err := believeOneStuck(*s, len(m.issued.Rounds), within); err != nil {
			return fmt.Errorf("stuck: client %d: %w", s.Number, err)
		}
	}
	if len(told) < len(extras) {
		return fmt.Errorf("stuck: %d of %d extras are told of", len(told), len(extras))
	}
	return nil
}

func believeOneStuck(s serve.StuckClient, rounds int, within span) error {
	possible := func(at int64) bool { return at == 0 || within.has(at) }
	switch {
	case min(s.Filled, s.Absorbed, s.HeldMax, int64(s.SendBuffer), int64(s.QueuedMax), int64(s.Drops), int64(s.Failed), int64(s.Owed)) < 0:
		return fmt.Errorf("a negative number: %+v", s)
	case s.Handed < s.Absorbed:
		return fmt.Errorf("%d bytes absorbed of %d that were handed over", s.Absorbed, s.Handed)
	case s.JamRound < 0 || s.JamRound > rounds || s.JamRound > 0 && s.JamAt == 0:
		return fmt.Errorf("jam at %d, in round %d of %d", s.JamAt, s.JamRound, rounds)
	case !possible(s.JamAt) || !possible(s.NoticedAt) || !possible(s.EvictedAt):
		return fmt.Errorf("jam at %d, noticed at %d, evicted at %d, while the phase was within %d..%d", s.JamAt, s.NoticedAt, s.EvictedAt, within.from, within.to)
	case s.EvictedAt > 0 && s.JamAt > s.EvictedAt+unhurried:
		return fmt.Errorf("jam at %d, after its eviction at %d", s.JamAt, s.EvictedAt)
	case (s.NoticedAt == 0) != (s.NoticedBy == "") || (s.EvictedAt == 0) != (s.EvictedBy == ""):
		return fmt.Errorf("noticed by %q at %d, evicted by %q at %d", s.NoticedBy, s.NoticedAt, s.EvictedBy, s.EvictedAt)
	case len(s.Held) > mostHeldPoints:
		return fmt.Errorf("%d points of held, at most %d", len(s.Held), mostHeldPoints)
	}
	for _, p := range s.Held {
		if p[1] < 0 {
			return fmt.Errorf("%d bytes held", p[1])
		}
	}
	return nil
}

const mostHeldPoints = 1000
