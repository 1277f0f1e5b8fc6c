package report

import (
	"strconv"

	"wsfanout/compare/result"
)

// benchRuns have one for each engine, number of connections and trial: benchstat compares points, not lines.
func (h *held) benchRuns() []benchRun {
	var runs []benchRun
	for i := range h.Hold {
		e := &h.Hold[i]
		for j := range e.Trials {
			t := &e.Trials[j]
			for k := range t.Points {
				runs = append(runs, benchRun{of: "Hold", trial: t.Trial, values: holdValues(&t.Points[k]), labels: []keyed{
					{"engine", e.Engine}, {"connections", strconv.Itoa(t.Points[k].Connections)}}})
			}
			if t.Error != "" || len(t.Points) == 0 {
				runs = append(runs, benchRun{of: "Hold", labels: []keyed{{"engine", e.Engine}}, trial: t.Trial, failed: t.Error})
			}
		}
	}
	return runs
}

func holdValues(p *result.HoldPoint) []benchValue {
	var values []benchValue
	for _, v := range []struct {
		number holdNumber
		unit   string
	}{
		{heldHeap, "heap-B"}, {heldStack, "stack-B"}, {heldRSS, "rss-B"}, {heldKernel, "kernel-B"}, {heldGo, "goroutines"}, {heldThreads, "threads"},
		{leftHeap, "stayed-B"},
	} {
		if n, ok := v.number(p); ok {
			values = append(values, benchValue{n, v.unit, "lower"})
		}
	}
	for _, s := range p.Sweeps {
		values = append(values, benchValue{float64(s.LastClientNs), s.Strategy + "-last-client-ns", "lower"},
			benchValue{float64(s.CPUNs), s.Strategy + "-cpu-ns", "lower"})
	}
	return values
}
