//go:build linux

package main

import (
	"fmt"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/serve"
)

// kindOf is how an extra misbehaves, "" for a healthy client.
func (r *cellRun) kindOf(number int) string {
	for _, e := range r.extras {
		if e.number == number {
			return e.kind
		}
	}
	return ""
}

// others are the ledgers of the clients that misbehaved. What was handed over and not read is owed to them, the kernel's
// share included; a close turns it into failed.
func (m *measured) others() []result.Other {
	received := map[int]int{}
	for _, c := range m.seen.Extras {
		received[c.Number] = c.Received
	}
	var out []result.Other
	for _, s := range m.drained.Stuck {
		o := result.Other{
			Number: s.Number, Kind: m.run.kindOf(s.Number), Expected: int64(m.planned), Received: int64(received[s.Number]),
			Dropped: int64(s.Drops),
		}
		rest := o.Expected - o.Received - o.Dropped
		if s.EvictedAt > 0 || s.Bounded || s.GoneBefore != "" {
			o.Failed = rest
		} else {
			o.Failed = int64(s.Failed)
			o.Owed = rest - o.Failed
		}
		if o.Kind == clientfleet.Stuck && m.run.behave.resume > 0 {
			o.Kind = "resumed"
		}
		o.Outcome, o.FalseKill = m.outcome(o, s)
		out = append(out, o)
	}
	return out
}

// outcome says what became of a client that deserved to live: a slow one always does, a resumed one if it was away for
// less than the write timeout.
func (m *measured) outcome(o result.Other, s serve.StuckClient) (outcome, falseKill string) {
	away := m.run.behave.resume
	switch {
	case o.Kind == clientfleet.Slow && s.EvictedBy != "":
		return "evicted", s.EvictedBy
	case o.Kind == clientfleet.Slow:
		return "alive" + m.broken(o.Number), ""
	case o.Kind != "resumed":
		return "", ""
	case s.EvictedBy == "":
		return "recovered" + m.broken(o.Number), ""
	case m.run.options.WriteLimit() == 0 || away < m.run.options.WriteLimit():
		return "evicted", s.EvictedBy
	}
	return fmt.Sprintf("evicted: it was away for %v", away), ""
}

// broken says whether the client could make sense of everything that it read.
func (m *measured) broken(number int) string {
	if why := m.whyGone(number); why != "" {
		return ", stream broken" + why
	}
	return ", stream intact"
}
