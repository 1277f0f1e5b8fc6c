package main

import (
	"fmt"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/engines"
	"wsfanout/serve"
)

// blastThreshold is how much later than its own healthy median a client must be to count as late, and how late a round
// must start to count as a late round: half the write timeout, 1 s without one.
func blastThreshold(writeTimeout time.Duration) time.Duration {
	if writeTimeout == 0 {
		return time.Second
	}
	return writeTimeout / 2
}

// blast is the damage among the healthy clients: who is late by the threshold, against its own healthy median. The same
// rule over the healthy phase is the control: where it finds somebody, this machine is too noisy for this timeout.
func blast(healthy, stuck []clientfleet.ClientSeen, issued []serve.Round, threshold time.Duration) *result.Blast {
	normal := map[int]int64{}
	b := &result.Blast{LateThresholdNs: int64(threshold)}
	for _, c := range healthy {
		if c.Received == 0 {
			continue
		}
		normal[c.Number] = c.Median
		if c.Max > c.Median+int64(threshold) {
			b.Control++
		}
	}
	late := 0
	for _, c := range stuck {
		if c.Received == 0 {
			continue
		}
		if median, ok := normal[c.Number]; ok && c.Max > median+int64(threshold) {
			late++
		}
		if b.WorstNs == nil || c.Max > *b.WorstNs {
			b.WorstNs = &c.Max
		}
	}
	if b.Resolvable = b.Control == 0; b.Resolvable {
		b.LateClients = &late
	}
	for _, r := range issued {
		if r.Start-r.Due > int64(threshold) {
			b.LateRounds++
		}
	}
	return b
}

// jam turns the server's record of the stuck clients into the proof: the phase's rounds are numbered from 1 there.
func (m *measured) jam(absorb defaultBuffers) *result.Jam {
	j := &result.Jam{Jammed: true, Clients: []result.JamClient{}}
	for _, s := range m.drained.Stuck {
		c := result.JamClient{
			Number: s.Number, AbsorbedBytes: s.Absorbed, HeldBytesMax: s.HeldMax, Drops: int64(s.Drops), NoticedBy: s.NoticedBy,
		}
		if s.JamAt == 0 {
			j.Jammed = false
		} else {
			round := int(s.JamRound-m.from) + 1
			c.JamRound = &round
			c.NoticeAfterNs = since(s.JamAt, s.NoticedAt)
		}
		if s.EvictedBy != "" && !m.onlyAtTheEnd(s) {
			c.EvictedBy, c.EvictAfterNs = s.EvictedBy, since(s.JamAt, s.EvictedAt)
		}
		if c.EvictedBy == "" && c.NoticedBy == s.EvictedBy { // noticed by nothing but the end of the rounds
			c.NoticedBy, c.NoticeAfterNs = "", nil
		}
		for _, p := range s.Held {
			c.Held = append(c.Held, [2]float64{float64(p[0] + m.issued.Rounds[0].Due - s.JamAt), float64(p[1])})
		}
		j.Clients = append(j.Clients, c)
	}
	j.Arithmetic = m.arithmetic()
	if absorb.bytes > 0 {
		after := int64(absorb.jamAfter(m.run.size, m.run.interval))
		j.DefaultJamAfterNs = &after
	}
	return j
}

// onlyAtTheEnd tells an eviction that came only because the rounds stopped: a deadline that every round sets anew fires
// one write timeout after the last of them, not one after the jam.
func (m *measured) onlyAtTheEnd(s serve.StuckClient) bool {
	d := int64(m.run.options.WriteTimeout)
	last := m.issued.Rounds[len(m.issued.Rounds)-1].Start
	return s.EvictedBy == engines.ErrWriteTimeout.Error() && s.EvictedAt > last+d*9/10 && s.JamAt > 0 && s.EvictedAt > s.JamAt+d*3/2
}

// arithmetic says what was offered to the stuck clients and what the kernel took of it.
func (m *measured) arithmetic() string {
	if len(m.drained.Stuck) == 0 {
		return ""
	}
	s := m.drained.Stuck[0]
	for _, other := range m.drained.Stuck { // the one that shows the problem, if there is one
		if other.JamAt == 0 {
			s = other
			break
		}
	}
	if s.JamAt == 0 {
		return fmt.Sprintf("client %d never jammed: %d B of filler and %d rounds of %d B were handed over, the kernel took %d B of it "+
			"(send buffer %d B) and owed nothing for long enough: more rounds, larger messages or smaller buffers jam it",
			s.Number, s.Filled, len(m.issued.Rounds), m.run.size, s.Absorbed, s.SendBuffer)
	}
	return fmt.Sprintf("client %d: the kernel took %d B (%d B of it filler; send buffer %d B), then none: %d B were owed",
		s.Number, s.Absorbed, s.Filled, s.SendBuffer, s.Handed-s.Absorbed)
}

// others are the ledgers of the clients that misbehaved. What was handed over and never read is owed to them, the
// kernel's share included; an eviction turns it into failed.
func (m *measured) others() []result.Other {
	received := map[int]int{}
	for _, c := range m.seen.Extras {
		received[c.Number] = c.Received
	}
	var out []result.Other
	for _, s := range m.drained.Stuck {
		o := result.Other{
			Number: s.Number, Kind: "stuck", Expected: int64(m.planned), Received: int64(received[s.Number]),
			Dropped: int64(s.Drops),
		}
		rest := o.Expected - o.Received - o.Dropped
		if s.EvictedAt > 0 || s.Bounded {
			o.Failed = rest
		} else {
			o.Failed = int64(s.Failed)
			o.Owed = rest - o.Failed
		}
		out = append(out, o)
	}
	return out
}

// since is an instant on the scale of the jam; nil if it did not happen.
func since(jam, at int64) *int64 {
	if jam == 0 || at == 0 {
		return nil
	}
	d := at - jam
	return &d
}
