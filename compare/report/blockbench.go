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
	for _, v := range []struct {
		number blockNumber
		unit   string
	}{{waitP50, "p50-ns"}, {waitP99, "p99-ns"}, {waitMax, "max-ns"}, {lostEchoes, "lost"}, {stallsOf, "stalls"}, {stallCost, "detector-ns"}} {
		if n, ok := v.number(t); ok {
			values = append(values, benchValue{n, v.unit, "lower"})
		}
	}
	return values
}
