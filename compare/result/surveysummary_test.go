package result

import (
	"math"
	"slices"
	"testing"
)

// heldAt is a trial of 1 MiB and so many bytes for each connection.
func heldAt(trial int, each int64, counts ...int) HoldTrial {
	t := HoldTrial{Trial: trial}
	for _, n := range counts {
		t.Points = append(t.Points, HoldPoint{Connections: n, HeapBytes: 1<<20 + each*int64(n), Sweeps: []Sweep{{Strategy: "seq", LastClientNs: int64(n)}}})
	}
	return t
}

func TestHoldLineIsOfTheTrialsThatHaveAllCounts(t *testing.T) {
	heap := func(p *HoldPoint) (float64, bool) { return float64(p.HeapBytes), true }
	h := Hold{Trials: []HoldTrial{heldAt(1, 2000, 1000, 5000, 10000), heldAt(2, 3000, 1000, 5000, 10000), heldAt(3, 9000, 1000, 5000)}}
	h.Trials[2].Error = "10000 connections: it failed"
	l, ok := h.Line(heap)
	if !ok || l.Trials() != 2 || math.Abs(l.Slope().Median-2500) > 0.01 || math.Abs(l.Intercept().Median-1<<20) > 1 || l.Slope().Lo != nil || l.R2 == nil {
		t.Errorf("%+v: want the line of two trials", l)
	}
	if got := h.At(5000, heap); len(got) != 3 {
		t.Errorf("%v: a point counts that was measured before its trial failed", got)
	}
	if got := h.Counts(); !slices.Equal(got, []int{1000, 5000, 10000}) || len(h.Failures()) != 1 || len(h.Good()) != 2 {
		t.Errorf("counts %v, failures %v", got, h.Failures())
	}
	for why, h := range map[string]Hold{"nothing": {}, "one count": {Trials: []HoldTrial{heldAt(1, 2000, 1000)}}, "a failed trial": {Trials: h.Trials[2:]}} {
		if _, ok := h.Line(heap); ok {
			t.Errorf("a line through %s", why)
		}
	}
	p := &h.Trials[0].Points[0]
	if p.Sweep("seq") == nil || p.Sweep("shard") != nil {
		t.Error("a sweep that is there is missing, or the other way round")
	}
}

func TestKeptIsPairedByTrial(t *testing.T) {
	trials := func(rates ...float64) (all []BlockTrial) {
		for i, r := range rates {
			all = append(all, BlockTrial{Trial: i + 1, PerSecond: r})
		}
		return all
	}
	f := File{Block: []Block{
		{Engine: "gorilla", Trials: trials(1, 1, 1, 1)}, {Engine: "nbio", Trials: trials(1000, 2000, 1000, 0)},
		{Engine: "nbio", Blocking: 4, Trials: trials(100, 200, 500, 7)}, {Engine: "gobwas", Blocking: 4, Trials: trials(1)},
	}}
	f.Block[1].Trials[2].Error = "it failed"
	base := f.Baseline(&f.Block[2])
	if base != &f.Block[1] {
		t.Fatal("the baseline is the same engine's with nothing that blocks")
	}
	if got := f.Block[2].Kept(base); !slices.Equal(got, []float64{0.1, 0.1}) {
		t.Errorf("%v: want those of the trials that have both", got)
	}
	if got := f.Block[3].Kept(f.Baseline(&f.Block[3])); got != nil {
		t.Errorf("%v without a baseline", got)
	}
}

func TestFleetShare(t *testing.T) {
	p := EchoPhase{ServerUserNs: 1, ServerSystemNs: 2, FleetNs: 1}
	if share, ok := p.FleetShare(); !ok || share != 0.25 {
		t.Errorf("%v %v", share, ok)
	}
	if _, ok := new(EchoPhase).FleetShare(); ok {
		t.Error("a share of nothing")
	}
	e := Echo{Trials: []EchoTrial{{ConnectPerSecond: 5}, {Error: "it failed", ConnectPerSecond: 7}}}
	if got := e.Values(func(t *EchoTrial) (float64, bool) { return t.ConnectPerSecond, true }); !slices.Equal(got, []float64{5}) || len(e.Failures()) != 1 {
		t.Errorf("%v", got)
	}
}
