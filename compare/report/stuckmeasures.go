package report

import (
	"slices"

	"wsfanout/compare/result"
)

// proven are the trials of a cell in which the stuck clients were stuck: the others say nothing about them.
func proven(c *result.Cell) []*result.Trial {
	return trialsWhere(c, func(t *result.Trial) bool { return t.Error == "" && t.Proven() })
}

func neverJammed(c *result.Cell) []*result.Trial { return trialsWhere(c, (*result.Trial).NeverJammed) }

func trialsWhere(c *result.Cell, keep func(*result.Trial) bool) []*result.Trial {
	var kept []*result.Trial
	for i := range c.Trials {
		if t := &c.Trials[i]; keep(t) {
			kept = append(kept, t)
		}
	}
	return kept
}

// stuckPhases are those of the proven trials.
func stuckPhases(c *result.Cell) []*result.Phase {
	var phases []*result.Phase
	for _, t := range proven(c) {
		phases = append(phases, t.Stuck)
	}
	return phases
}

// jammedClients are the stuck clients of all proven trials.
func jammedClients(c *result.Cell) []*result.JamClient {
	var clients []*result.JamClient
	for _, p := range stuckPhases(c) {
		clients = append(clients, stuckClients(p)...)
	}
	return clients
}

// stuckClients of one phase; none where the others are merely slow.
func stuckClients(p *result.Phase) []*result.JamClient {
	if p.Jam == nil {
		return nil
	}
	var clients []*result.JamClient
	for i := range p.Jam.Clients {
		clients = append(clients, &p.Jam.Clients[i])
	}
	return clients
}

// ofStuck makes a measure from a number of a proven stuck phase; nil is one that was not measured.
func ofStuck(number func(*result.Phase) *int64) result.Measure {
	return func(t *result.Trial) (float64, bool) {
		if !t.Proven() {
			return 0, false
		}
		v := number(t.Stuck)
		if v == nil {
			return 0, false
		}
		return float64(*v), true
	}
}

// ofBlast makes one from the damage.
func ofBlast(number func(*result.Blast) *int64) result.Measure {
	return ofStuck(func(p *result.Phase) *int64 {
		if p.Blast == nil {
			return nil
		}
		return number(p.Blast)
	})
}

// mostOf makes one from the stuck clients: the largest number of any of them.
func mostOf(number func(*result.JamClient) *int64) result.Measure {
	return ofStuck(func(p *result.Phase) *int64 {
		var most *int64
		for _, j := range stuckClients(p) {
			if v := number(j); v != nil && (most == nil || *v > *most) {
				most = v
			}
		}
		return most
	})
}

// ofStuckLatency makes one from a distribution over the healthy clients.
func ofStuckLatency(which func(*result.Phase) *result.Latency, number func(*result.Latency) *int64) result.Measure {
	return ofStuck(func(p *result.Phase) *int64 {
		if l := which(p); l != nil {
			return number(l)
		}
		return nil
	})
}

func fromStart(p *result.Phase) *result.Latency { return p.Latency }
func fromDue(p *result.Phase) *result.Latency   { return p.LatencyDue }

var (
	lateClients  = ofBlast(func(b *result.Blast) *int64 { return whole(b.LateClients) })
	worstHealthy = ofBlast(func(b *result.Blast) *int64 { return b.WorstNs })
	lateRounds   = ofBlast(func(b *result.Blast) *int64 { return whole(&b.LateRounds) })
	neverStarted = ofStuck(func(p *result.Phase) *int64 { return whole(new(p.Rounds - len(p.RoundsDetail))) })

	noticeAfter = mostOf(func(j *result.JamClient) *int64 { return j.NoticeAfterNs })
	evictAfter  = mostOf(func(j *result.JamClient) *int64 { return j.EvictAfterNs })
	heldMost    = mostOf(func(j *result.JamClient) *int64 { return &j.HeldBytesMax })
	drops       = mostOf(func(j *result.JamClient) *int64 { return &j.Drops })
	waitingMost = mostOf(func(j *result.JamClient) *int64 { return whole(new(max(j.QueuedMax-1, 0))) }) // without the one being written

	stuckP50    = ofStuckLatency(fromStart, func(l *result.Latency) *int64 { return &l.P50 })
	stuckP99    = ofStuckLatency(fromStart, func(l *result.Latency) *int64 { return &l.P99 })
	stuckP99Due = ofStuckLatency(fromDue, func(l *result.Latency) *int64 { return &l.P99 })
	stuckMaxDue = ofStuckLatency(fromDue, func(l *result.Latency) *int64 { return &l.Max })
)

var heapGrowth = ofStuck(func(p *result.Phase) *int64 {
	if p.Jam == nil {
		return nil
	}
	return p.Jam.HeapGrowthBytes
})

func whole(n *int) *int64 {
	if n == nil {
		return nil
	}
	v := int64(*n)
	return &v
}

// resolvable says whether the late clients of most proven trials could be told from the healthy phase's own.
func resolvable(c *result.Cell) bool {
	phases := stuckPhases(c)
	return 2*len(unresolved(c)) < len(phases)
}

// unresolved are the proven trials in which the control found late clients although nobody was stuck.
func unresolved(c *result.Cell) []*result.Phase {
	return slices.DeleteFunc(stuckPhases(c), func(p *result.Phase) bool { return p.Blast != nil && p.Blast.Resolvable })
}

// reasons counts what each stuck client of the proven trials met; "" is nothing.
func reasons(c *result.Cell, of func(*result.JamClient) string) map[string]int {
	counts := map[string]int{}
	for _, j := range jammedClients(c) {
		counts[of(j)]++
	}
	return counts
}

func noticedBy(j *result.JamClient) string { return j.NoticedBy }
func evictedBy(j *result.JamClient) string { return j.EvictedBy }
