package report

import (
	"fmt"

	"wsfanout/compare/result"
)

// blockedFile has every fate, a set-up that failed, and one that was not measured.
func blockedFile(trials int) *result.File {
	f := experimentFile("block", trials, "gorilla", "nbio", "nbio:executor=inline:npoller=1", "nbio:executor=inline:npoller=16", "gobwas:pool=4")
	f.Plan.Clients, f.Plan.SizeBytes = 500, 64
	for _, p := range []struct {
		engine, place     string
		loops             int
		sleep, half       []float64 // what is left with 1, 4 and 16 blocking
		measured, trouble bool
	}{
		{"gorilla", "the connection's goroutine", 0, []float64{1.01, 0.99, 1}, []float64{1, 1, 0.98}, true, false},
		{"nbio", "a pool of 2048", 2048, []float64{1, 0.97, 0.96}, []float64{1, 1, 1}, true, true},
		{"nbio:executor=inline:npoller=1", "inline on 1 poller", 1, []float64{0.2, 0.053, 0.01}, []float64{1, 0.99, 1}, true, false},
		{"nbio:executor=inline:npoller=16", "inline on 16 pollers", 16, []float64{0.95, 0.7, 0.1}, nil, true, false},
		{"gobwas:pool=4", "a pool of 4", 4, []float64{0.9, 0.1, 0.02}, []float64{0.95, 0, 0}, true, false},
	} {
		add := func(kind string, blocking int, left float64) {
			b := result.Block{Engine: p.engine, Place: p.place, Blockers: kind, Blocking: blocking, Fast: 500, Loops: p.loops}
			if kind == "sleep" {
				b.HoldNs = 50 * msNs
			}
			if p.loops > 0 && (kind == "sleep" || p.engine == "gobwas:pool=4") {
				b.Load = float64(blocking) / float64(p.loops)
			}
			for n := range trials {
				b.Trials = append(b.Trials, blockTrial(n+1, blocking, kind, left))
			}
			f.Block = append(f.Block, b)
		}
		add("sleep", 0, 1)
		for i, n := range []int{1, 4, 16} {
			add("sleep", n, p.sleep[i])
		}
		for i, left := range p.half {
			add("half frame", []int{1, 4, 16}[i], left)
		}
	}
	for i := range f.Block {
		for j := range f.Block[i].Trials {
			switch s, t := &f.Block[i], &f.Block[i].Trials[j]; {
			case s.Place == "inline on 16 pollers" && s.Blocking == 4:
				t.Starved = 125 + j
			case s.Place == "a pool of 2048" && s.Blocking == 16 && s.Blockers == "half frame":
				t.BlockersGone = 3
			}
		}
	}
	f.Block[1].Trials[0] = result.BlockTrial{Trial: 1, Error: "the fleet\nended early"}
	f.Block[2].Trials = []result.BlockTrial{{Trial: 1, Error: "the server ended: too many open files"}}
	f.Block[3].Trials = nil
	f.Block[5].Trials[trials-1].Warnings = []string{"steal of 12 %"}
	return f
}

func blockTrial(trial, blocking int, kind string, left float64) result.BlockTrial {
	rate := 40_000 * left * (1 + float64(trial)/100)
	t := result.BlockTrial{Trial: trial, PerSecond: rate, Stalls: &result.Stalls{LimitNs: 5 * msNs, CostNs: 80 + float64(trial)}}
	if rate == 0 {
		t.Stuck = 500
	} else {
		p50 := int64(500 / rate * 1e9)
		t.Sent, t.Received = int64(rate), int64(rate)
		t.LatencyNs = result.Latency{N: int64(rate), P50: p50, P90: 2 * p50, P99: 3 * p50, P999: 4 * p50, Max: 5 * p50}
	}
	if kind == "sleep" && blocking > 0 {
		t.Turns, t.TurnsPerSecond = int64(20*blocking), float64(20*blocking)
		t.Stalls.Count, t.Stalls.WorstNs, t.Stalls.Handler = t.Turns, 50*msNs+int64(trial)*1e5, fmt.Sprintf("\"block 50ms\" of client %d", 499+blocking)
	}
	return t
}
