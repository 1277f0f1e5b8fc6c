package report

import (
	"fmt"
	"slices"

	"wsfanout/compare/result"
)

// anyMeasured says whether the table has figures that need an explanation.
func anyMeasured(f *result.File) bool {
	return slices.ContainsFunc(f.Cells, func(c result.Cell) bool { return isMeasured(&c) })
}

// trialsNote says what a figure is, and why there is no "+-" where there is none.
func trialsNote(f *result.File) []note {
	with, without, most := 0, 0, 0
	for i := range f.Cells {
		s, ok := f.Cells[i].Summary["last_client_ns"]
		if !ok {
			continue
		}
		most = max(most, len(healthyPhases(&f.Cells[i])))
		if _, ok := half(s); ok {
			with++
		} else {
			without++
		}
	}
	const interval = "the 95 % confidence interval of the median"
	text := fmt.Sprintf("medians over up to %d trials, each with fresh processes; +- is %s, absent where fewer than %d trials were measured",
		most, interval, result.IntervalTrials)
	switch {
	case with+without == 0:
		return nil
	case with == 0 && most == 1:
		text = fmt.Sprintf("figures of one trial, without +-: an interval takes %d, so nothing is claimed about differences", result.IntervalTrials)
	case with == 0:
		text = fmt.Sprintf("medians over %s, without +-: an interval takes %d, so nothing is claimed about differences",
			plural(most, "trial"), result.IntervalTrials)
	case without == 0:
		text = fmt.Sprintf("medians over %d trials, each with fresh processes; +- is %s", most, interval)
	}
	return []note{{text: text}}
}

// latencyNote names the latency that the table shows, and gives the other one.
func latencyNote(f *result.File) []note {
	if !anyMeasured(f) {
		return nil
	}
	text := "latencies count from the real start of a round to the arrival in the client's kernel"
	if due := spanOf(f, latencyDue, duration); due != "" {
		text += "; p99 from the scheduled start: " + due
	}
	return []note{{text: text}}
}

// noBareRounds explains an empty "vs bare loop".
func noBareRounds(f *result.File) []note {
	if f.Plan.TLS {
		return nil // tlsNote has the reason
	}
	return doubt(f, "vs bare loop is missing", func(c *result.Cell) string {
		if _, ok := c.Summary["vs_bare"]; ok {
			return ""
		}
		discarded := 0
		for _, p := range healthyPhases(c) {
			if p.VsBare != nil {
				discarded += p.VsBare.Discarded
			}
		}
		if discarded > 0 {
			return fmt.Sprintf("all %d pairs were discarded", discarded)
		}
		return "no pair of a strategy's and a bare round was measured"
	})
}

func preemptions(f *result.File) []note {
	span := spanOf(f, preempted, count)
	if span == "" {
		return nil
	}
	return []note{{text: "involuntary context switches of the server in the phase: " + span}}
}

// fleetCost puts the observer's cost beside what is observed.
func fleetCost(f *result.File) []note {
	fleet, server := spanOf(f, fleetCPU, duration), spanOf(f, cpu, duration)
	if fleet == "" || server == "" {
		return nil
	}
	text := fmt.Sprintf("CPU per delivery of the fleet: %s; of the server: %s", fleet, server)
	if woken := spanOf(f, wakeups, significantSmall); woken != "" {
		text += "; wake-ups of the fleet per delivery: " + woken
	}
	return []note{{text: text}}
}

func loopback(f *result.File) []note {
	if !anyMeasured(f) || f.ClockUncertainty() > 0 {
		return nil
	}
	return []note{{text: "on loopback the sender's write(2) runs the receiver's TCP path and wakes the fleet, so system time holds part " +
		"of the client's cost and buries engine differences; user CPU per delivery is the engine's own"}}
}

// spanOf shows the lowest and the highest cell of a measure, "" if no cell has it.
func spanOf(f *result.File, measure result.Measure, format func(float64) string) string {
	var low, high *result.Cell
	var least, most float64
	for i := range f.Cells {
		s, ok := f.Cells[i].Over(measure)
		if !ok {
			continue
		}
		if low == nil || s.Median < least {
			low, least = &f.Cells[i], s.Median
		}
		if high == nil || s.Median > most {
			high, most = &f.Cells[i], s.Median
		}
	}
	switch {
	case low == nil:
		return ""
	case low == high || format(least) == format(most):
		return format(least)
	}
	return fmt.Sprintf("%s (%s) to %s (%s)", format(least), name(low), format(most), name(high))
}
