//go:build linux

package main

import (
	"context"
	"fmt"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/engines"
	"wsfanout/internal/stamp"
	"wsfanout/serve"
)

// jam turns the server's record of the clients that should be stuck into the proof; nil if there are none. The phase's
// rounds are numbered from 1 there.
func (m *measured) jam(absorb defaultBuffers) *result.Jam {
	j := &result.Jam{Jammed: true, Clients: []result.JamClient{}, HeapGrowthBytes: &m.drained.HeapGrowth}
	for _, s := range m.drained.Stuck {
		if m.run.kindOf(s.Number) == clientfleet.Slow {
			continue
		}
		j.Jammed = j.Jammed && s.JamAt != 0
		j.Clients = append(j.Clients, m.jamClient(s))
	}
	if len(j.Clients) == 0 {
		return nil
	}
	j.Arithmetic = m.arithmetic()
	if absorb.bytes > 0 {
		after := int64(absorb.jamAfter(m.messageBytes(), m.run.interval))
		j.DefaultJamAfterNs = &after
	}
	return j
}

func (m *measured) jamClient(s serve.StuckClient) result.JamClient {
	c := result.JamClient{
		Number: s.Number, AbsorbedBytes: s.Absorbed, NoticedBy: s.NoticedBy, NoticeAfterNs: since(s.JamAt, s.NoticedAt),
		HeldBytesMax: s.HeldMax, QueuedMax: s.QueuedMax, Drops: int64(s.Drops), Bounded: s.Bounded,
	}
	if s.JamAt != 0 {
		c.JamRound = &s.JamRound
		if s.JamRound == 0 { // it owed already when the watch began: how long before, nobody saw
			c.NoticeAfterNs = nil
		}
	}
	if c.OnlyAtEnd = m.onlyAtEnd(s); c.OnlyAtEnd {
		if c.NoticedBy == s.EvictedBy { // by nothing but the end of the rounds
			c.NoticedBy, c.NoticeAfterNs = "", nil
		}
	} else if s.EvictedBy != "" {
		c.EvictedBy = s.EvictedBy
		if s.JamRound > 0 {
			c.EvictAfterNs = since(s.JamAt, s.EvictedAt)
		}
	}
	if s.JamAt == 0 {
		return c // no instant to count from
	}
	for _, p := range s.Held {
		c.Held = append(c.Held, [2]float64{float64(p[0] + m.issued.Rounds[0].Due - s.JamAt), float64(p[1])})
	}
	return c
}

// jammedPositions is the latency by client number in the round in which the first stuck client jammed, thinned; nil if none
// did. It passes on an error of before.
func (m *measured) jammedPositions(ctx context.Context, before error) ([][2]float64, error) {
	round := 0
	for _, s := range m.drained.Stuck {
		if s.JamRound > 0 && (round == 0 || s.JamRound < round) {
			round = s.JamRound
		}
	}
	if round == 0 || before != nil {
		return nil, before
	}
	slot := m.from + uint32(round) - 1
	one, err := m.run.fleet.collect(ctx, clientfleet.Span{From: slot, To: slot + 1, Kind: stamp.Strategy})
	return positions(one.Clients), err
}

// onlyAtEnd tells a close that came only because the rounds stopped: a deadline that every round sets anew fires one
// write timeout after the last of them, not one after the jam.
func (m *measured) onlyAtEnd(s serve.StuckClient) bool {
	d := int64(m.run.options.WriteLimit())
	last := m.issued.Rounds[len(m.issued.Rounds)-1].Start
	return s.EvictedBy == engines.ErrWriteTimeout.Error() && s.JamAt > 0 &&
		s.EvictedAt > last+d*9/10 && s.EvictedAt > s.JamAt+d*3/2
}

// arithmetic says what was offered to a stuck client and what the kernel took of it: one that did not jam, if there is one.
func (m *measured) arithmetic() string {
	var s *serve.StuckClient
	for i := range m.drained.Stuck {
		one := &m.drained.Stuck[i]
		if m.run.kindOf(one.Number) != clientfleet.Slow && (s == nil || s.JamAt != 0 && one.JamAt == 0) {
			s = one
		}
	}
	switch {
	case s.GoneBefore != "":
		return fmt.Sprintf("client %d was closed before it could stop reading, by %s: nothing was stuck", s.Number, s.GoneBefore)
	case s.JamAt == 0:
		return fmt.Sprintf("client %d: %d B of filler and %d rounds of %d B were handed over, the kernel took %d B of it (send buffer "+
			"%s) and no byte was owed for %v: more rounds, larger messages or smaller buffers jam it",
			s.Number, s.Filled, len(m.issued.Rounds), m.run.size, s.Absorbed, bufferOf(s), serve.JamAfter(m.run.options.WriteLimit()))
	}
	return fmt.Sprintf("client %d: the kernel took %d B (%d B of it filler; send buffer %s), then none: %d B were owed",
		s.Number, s.Absorbed, s.Filled, bufferOf(s), s.Handed-s.Absorbed)
}

// bufferOf is the send buffer in words: not every program can read it.
func bufferOf(s *serve.StuckClient) string {
	if s.SendBuffer == 0 {
		return "not told"
	}
	return fmt.Sprintf("%d B", s.SendBuffer)
}

// since is an instant on the scale of the jam; nil if one of the two did not happen.
func since(jam, at int64) *int64 {
	if jam == 0 || at == 0 {
		return nil
	}
	d := at - jam
	return &d
}
