package report

import (
	"fmt"
	"time"

	"wsfanout/compare/result"
)

// benchPlan is the plan as configuration: benchstat compares only what has the same one.
func (t *tuned) benchPlan() []string {
	return []string{
		"detect-within: " + time.Duration(t.Plan.DetectWithinNs).String(), "scale: " + shortNumber(t.scale()),
		fmt.Sprintf("under-load: %v", t.Plan.UnderLoad),
	}
}

func (t *tuned) benchRuns() []benchRun {
	var runs []benchRun
	for i := range t.Tune {
		s := &t.Tune[i]
		labels := []keyed{{"part", s.Part}, {"engine", s.Engine}}
		if s.Name != "" {
			labels = append(labels, keyed{"name", s.Name})
		}
		if s.Part == result.TuneWrite {
			labels = append(labels, keyed{"policy", s.Policy}, keyed{"timeout", time.Duration(s.WriteTimeoutNs).String()})
		}
		for j := range s.Trials {
			trial := &s.Trials[j]
			run := benchRun{of: "Tune", labels: labels, trial: trial.Trial, failed: trial.Error}
			if trial.Error == "" {
				run.values = tuneValues(&result.Tune{Trials: []result.TuneTrial{*trial}})
			}
			runs = append(runs, run)
		}
	}
	return runs
}

// tuneValues are the numbers of a set-up with a single trial.
func tuneValues(one *result.Tune) []benchValue {
	var values []benchValue
	put := func(v float64, unit string) { values = append(values, benchValue{v, unit, "lower"}) }
	dead := one.Join(result.GroupDead)
	if a := dead.AfterNs; a != nil {
		put(float64(a.Min), "detect-min-ns")
		put(float64(a.Median), "detect-median-ns")
		put(float64(a.Max), "detect-max-ns")
	}
	if missed, all := missedOf(one); all > 0 {
		put(float64(missed), "unnoticed")
	}
	k := tollOf(one)
	if k.measured() {
		put(float64(k.kills()), "false-kills")
	}
	if k.uncovered > 0 {
		put(float64(k.accepts), "accepted-kills")
	}
	if c := one.Trials[0].Cost; c != nil {
		put(c.FramesPerClient, "frames/client/s")
		put(c.BytesPerClient, "B/client/s")
		put(c.CPUNsPerSecond, "cpu-ns/s")
	}
	if w := one.Trials[0].Write; w != nil && w.Jammed {
		if w.Resolvable {
			put(float64(w.LateClients), "late-clients")
		}
		if w.EvictedBy != "" {
			put(float64(w.EvictAfterNs), "evict-ns")
		}
		put(float64(w.HeldBytesMax), "held-B")
		put(float64(w.WorstNs), "worst-ns")
	}
	return values
}
