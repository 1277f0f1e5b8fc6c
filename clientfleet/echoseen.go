package clientfleet

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// echoSeen is what became of an Echo, with histograms that can still be added to.
type echoSeen struct {
	Echoed
	echoCount
}

func newEchoSeen(w Window) echoSeen {
	return echoSeen{Echoed: Echoed{Window: w, Errors: map[string]int{}}, echoCount: newEchoCount()}
}

// echoSeen is one reader's part at the end of the drain.
func (r *reader) echoSeen(end int64) echoSeen {
	l := r.echo
	s := newEchoSeen(l.Window)
	s.Clients, s.Due = len(l.places), l.last-l.first
	s.Sent, s.Received, s.Held, s.Lost, s.Stuck = l.sent, l.received, l.held, l.sent-l.received, l.stuck
	s.PerSecond = float64(l.arrived) / l.For.Seconds()
	s.latency, s.late, s.lag = l.latency, l.late, l.lag
	if l.Mode == EchoRate {
		for _, place := range l.places {
			s.Skipped += l.missing(&l.state[place], end)
		}
	}
	extras := map[int]bool{}
	for i := range r.extras {
		extras[int(r.extras[i].number)] = true
	}
	for _, g := range r.gone[l.goneBefore:] {
		if !extras[g.Number] {
			s.Errors[g.Why]++
		}
	}
	return s
}

// missing records the turns of a client that have no echo with what is known of their latencies, and returns how many of
// them were not even sent.
func (l *echoLoad) missing(x *exchange, end int64) (skipped int64) {
	for n := x.got; n < l.turns(x, l.last); n++ {
		due := l.dueOf(x, n)
		if due < l.From {
			continue
		}
		l.late.RecordValue(min(max(0, end-due), highestValue))
		if n >= x.sent {
			skipped++
		}
	}
	return skipped
}

// add takes in what other clients saw.
func (s *echoSeen) add(o echoSeen) {
	s.From, s.To = min(s.From, o.From), max(s.To, o.To)
	s.Clients += o.Clients
	s.Due += o.Due
	s.Sent += o.Sent
	s.Received += o.Received
	s.Skipped += o.Skipped
	s.Held += o.Held
	s.Lost += o.Lost
	s.Stuck += o.Stuck
	s.Starved += o.Starved
	s.Slowest, s.Busiest = min(s.Slowest, o.Slowest), max(s.Busiest, o.Busiest)
	s.PerSecond += o.PerSecond
	s.CPUUserNs += o.CPUUserNs
	s.CPUSystemNs += o.CPUSystemNs
	for why, n := range o.Errors {
		s.Errors[why] += n
	}
	s.latency.Merge(o.latency)
	s.late.Merge(o.late)
	s.lag.Merge(o.lag)
}

func (s *echoSeen) finish() Echoed {
	s.Latency, s.LatencyDue, s.SendLag = encodeSome(s.latency), encodeSome(s.late), encodeSome(s.lag)
	return s.Echoed
}

// MergeEchoed adds up the answers of several fleets, which carried out their parts of a load at the same time. The error is
// that of a histogram that cannot be read. Starved is by the busiest of each fleet: no more than by the busiest of all.
func MergeEchoed(parts ...Echoed) (Echoed, error) {
	if len(parts) == 0 {
		return Echoed{}, nil
	}
	all := newEchoSeen(parts[0].Window)
	all.Slowest = parts[0].Slowest
	for _, p := range parts {
		s := echoSeen{Echoed: p, echoCount: newEchoCount()}
		for _, h := range []struct {
			into *hdrhistogram.Histogram
			from []byte
		}{{s.latency, p.Latency}, {s.late, p.LatencyDue}, {s.lag, p.SendLag}} {
			if err := mergeInto(h.into, h.from); err != nil {
				return Echoed{}, fmt.Errorf("clientfleet: echoes: %w", err)
			}
		}
		all.add(s)
	}
	return all.finish(), nil
}
