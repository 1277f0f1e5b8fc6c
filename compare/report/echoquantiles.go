package report

import (
	"math"
	"strings"

	"wsfanout/compare/result"
)

// quantile is one of a distribution's numbers.
type quantile struct {
	name string
	of   func(*result.Latency) int64
	at   float64 // 0.99 for p99; 1 for the longest
	need int64   // samples that carry it: with fewer it would be the longest under another name
}

var quantiles = []quantile{
	{"p50", func(l *result.Latency) int64 { return l.P50 }, 0.5, 1},
	{"p90", func(l *result.Latency) int64 { return l.P90 }, 0.9, 10},
	{"p99", func(l *result.Latency) int64 { return l.P99 }, 0.99, 100},
	{"p99.9", func(l *result.Latency) int64 { return l.P999 }, 0.999, 1000},
	{"max", func(l *result.Latency) int64 { return l.Max }, 1, 1},
}

// unit is the quantile's in the Go benchmark format.
func (q quantile) unit() string { return strings.ReplaceAll(q.name, ".", "") + "-ns" }

// carried is the quantile; ok is false where there are too few samples for it.
func (q quantile) carried(l *result.Latency) (ns float64, ok bool) {
	return float64(q.of(l)), l.N >= q.need
}

// reachedBy says that the quantile of so many is one of the missing ones, which are the longest: what was seen is a lower bound of it.
func (q quantile) reachedBy(missing, all int64) bool {
	return missing > 0 && int64(math.Ceil(q.at*float64(all))) > all-missing
}

// ofLoad is the quantile of the headline of a load.
func (q quantile) ofLoad(p *result.EchoPhase) (float64, bool) { return q.carried(latencyOf(p)) }

// bound is 1 where it is a lower bound. The latency from the schedule has the turns that were lost or skipped, with the time until the
// end; the latency from the send has only what came.
func (q quantile) bound(p *result.EchoPhase) (float64, bool) {
	if p.LatencyDueNs != nil {
		return oneIf(q.reachedBy(p.Lost+p.Skipped, p.LatencyDueNs.N)), true
	}
	missing := p.Lost + p.Stuck
	return oneIf(q.reachedBy(missing, p.LatencyNs.N+missing)), true
}

func (q quantile) ofLag(p *result.EchoPhase) (float64, bool) {
	if p.SendLagNs == nil {
		return 0, false
	}
	return q.carried(p.SendLagNs)
}

func (q quantile) ofDial(t *result.EchoTrial) (float64, bool) { return q.carried(&t.DialNs) }

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// boundMark stands before a median of which a trial has a lower bound only: "> 2.3 s".
func boundMark(bounds []float64) string {
	for _, b := range bounds {
		if b > 0 {
			return "> "
		}
	}
	return ""
}

// boundCell is a figure, or a lower bound of it: that has no interval, and no exact value.
func boundCell(values, bounds []float64, show func([]float64, func(float64) string) expCell) expCell {
	if mark := boundMark(bounds); mark != "" && len(values) > 0 {
		return words(mark + medianCell(values, duration).text)
	}
	return show(values, duration)
}

// bounded says in the lead what "> 2.3 s" is, of a table that has one.
func bounded(t expTable) expTable {
	for _, r := range t.rows {
		for _, c := range r.cells {
			if strings.HasPrefix(c.text, "> ") {
				t.lead += "; >: at least, since echoes that never came reach it"
				return t
			}
		}
	}
	return t
}

// waitedCell is a quantile of a load.
func waitedCell(s *result.Echo, l underLoad, q quantile, show func([]float64, func(float64) string) expCell) expCell {
	return boundCell(s.Values(l.of(q.ofLoad)), s.Values(l.of(q.bound)), show)
}

// generatorText is how much of a quantile at the fixed rate is the generator's own lateness, "" where that is not more than half.
func generatorText(s *result.Echo, q quantile) string {
	at := underLoad(atRate)
	due, ok := result.Over(s.Values(at.of(q.ofLoad)))
	lag, also := result.Over(s.Values(at.of(q.ofLag)))
	if !ok || !also || lag.Median <= due.Median/2 {
		return ""
	}
	return ", of which the generator " + duration(lag.Median)
}

// rateText is a number per second, below 10 with decimals: "10,000", "2.48", "0.5".
func rateText(v float64) string {
	if math.Abs(v) >= 9.995 || v == math.Trunc(v) {
		return count(v)
	}
	if math.Abs(v) < 0.995 {
		return significantSmall(v)
	}
	return strings.TrimRight(strings.TrimRight(significant(v), "0"), ".")
}
