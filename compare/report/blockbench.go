package report

import (
	"strconv"

	"wsfanout/compare/result"
)

func (b *blocked) benchRuns() []benchRun {
	var runs []benchRun
	for i := range b.Block {
		s := &b.Block[i]
		labels := []keyed{{"engine", s.Engine}, {"blockers", s.Blockers}, {"blocking", strconv.Itoa(s.Blocking)}}
		for j := range s.Trials {
			t := &s.Trials[j]
			run := benchRun{of: "Block", labels: labels, trial: t.Trial, failed: t.Error}
			if t.Error == "" {
				run.values = blockValues(t)
			}
			runs = append(runs, run)
		}
	}
	return runs
}

func blockValues(t *result.BlockTrial) []benchValue {
	values := []benchValue{{t.PerSecond, "echoes/s", "higher"}}
	for _, q := range []quantile{quantiles[0], quantiles[2], quantiles[4]} {
		if at, ok := q.carried(&t.LatencyNs); ok && !q.reachedBy(t.Unanswered(), t.LatencyNs.N+t.Unanswered()) { // a lower bound is no figure to compare
			values = append(values, benchValue{at, q.name + "-ns", "lower"})
		}
	}
	for _, v := range []struct {
		number blockNumber
		unit   string
	}{{lostEchoes, "lost"}, {unanswered, "unanswered"}, {starvedOf, "starved"}, {stallsOf, "stalls"}, {stallCost, "detector-ns"}} {
		if n, ok := v.number(t); ok {
			values = append(values, benchValue{n, v.unit, "lower"})
		}
	}
	return values
}
