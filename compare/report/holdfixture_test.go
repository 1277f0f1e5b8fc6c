package report

import (
	"time"

	"wsfanout/compare/result"
)

// experimentFile is a run of an experiment written by hand, up to what was measured.
func experimentFile(scenario string, trials int, engines ...string) *result.File {
	return &result.File{
		Schema: result.Schema, Started: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), DurationNs: 252e9, Complete: true,
		Tool: result.Tool{Version: "v0.1.0", Go: "go1.26.8", Modules: map[string]string{"github.com/lesismal/nbio": "v1.6.8"}},
		Host: result.Host{CPUModel: "some CPU", CPUs: 2, MemBytes: 8 << 30, Kernel: "6.18"},
		Plan: result.Plan{Scenario: scenario, Engines: engines, Trials: trials, Seed: 1, GOMAXPROCS: 2, SizeBytes: 1024},
	}
}

// heldFile has so many trials, two engines that are measured, one with a trial that failed, one that failed and one without a trial.
func heldFile(trials int) *result.File {
	f := experimentFile("hold", trials, "gorilla", "nbio:iomod=blocking", "nbio", "gobwas:mode=goroutine", "gobwas")
	f.Plan.ClientsList = []int{1000, 5000, 10000}
	f.Hold = []result.Hold{
		heldBy("gorilla", trials, 11_776, 3584, 1), heldBy("nbio:iomod=blocking", trials, 4000, 3000, 1), heldBy("nbio", trials, 2355, 0, 0),
		{Engine: "gobwas:mode=goroutine", Trials: []result.HoldTrial{{Trial: 1, Error: "1000 connections: the server ended: too many open files"}}},
		{Engine: "gobwas"},
	}
	f.Hold[0].Footnotes = []string{"no read deadline", "a write may take for ever"}
	f.Hold[2].Footnotes = []string{"no read deadline", "npoller is 2"}
	last := &f.Hold[1].Trials[trials-1]
	last.Error, last.Points = "10000 connections: the fleet\nended early", last.Points[:2]
	f.Hold[0].Trials[0].Warnings = []string{"steal of 12 %"}
	f.Hold[2].Trials[0].Points[2].After.Goroutines = 3
	f.Hold[2].Trials[0].Points[1].Sweeps[0].Reach = 0.99
	for i := range f.Hold[2].Trials {
		for j := range f.Hold[2].Trials[i].Points { // it keeps what a connection took, and a table
			p := &f.Hold[2].Trials[i].Points[j]
			p.After.HeapBytes = 300<<10 + int64(p.Connections)*2397
		}
	}
	return f
}

// heldBy is an engine whose every trial is a percent above the one before.
func heldBy(engine string, trials, heap, stack, goroutines int) result.Hold {
	h := result.Hold{Engine: engine}
	for n := range trials {
		t := result.HoldTrial{Trial: n + 1}
		more := 1 + float64(n)/100
		for _, c := range []int{1000, 5000, 10000} {
			t.Points = append(t.Points, result.HoldPoint{
				Connections: c, HeapBytes: 3<<20 + int64(float64(c*heap)*more), StackBytes: 1<<19 + int64(float64(c*stack)*more),
				RSSBytes: 15<<20 + int64(float64(c*(heap+stack))*1.2*more), Goroutines: 9 + c*goroutines, Threads: 11,
				Sweeps: []result.Sweep{sweepOf("seq", c, 12e3*more), sweepOf("shard", c, 8e3*more)},
				After:  &result.Left{HeapBytes: int64(c) * 40},
			})
		}
		h.Trials = append(h.Trials, t)
	}
	return h
}

func sweepOf(strategy string, connections int, each float64) result.Sweep {
	ns := int64(2e6 + each*float64(connections))
	return result.Sweep{Strategy: strategy, Rounds: 5, LastClientNs: ns, HubNs: ns - 1000, CPUNs: ns * 9 / 10, Reach: 1}
}
