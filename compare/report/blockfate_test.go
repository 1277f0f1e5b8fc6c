package report

import (
	"strings"
	"testing"

	"wsfanout/compare/result"
)

// placed is a place with 0 and some blocking connections of 100 that echo, and its baseline's and its own echoes per second, trial by trial.
func placed(place string, loops, blocking int, base, rates []float64) *result.File {
	f := experimentFile("block", len(rates), "nbio")
	f.Plan.Clients = 100
	for i, all := range [][]float64{base, rates} {
		b := result.Block{Engine: "nbio", Place: place, Blockers: "sleep", Blocking: i * blocking, HoldNs: 50 * msNs, Fast: 100, Loops: loops}
		if loops > 0 {
			b.Load = float64(b.Blocking) / float64(loops)
		}
		for n, rate := range all {
			b.Trials = append(b.Trials, result.BlockTrial{Trial: n + 1, PerSecond: rate, LatencyNs: result.Latency{N: 5000, P50: msNs, P99: 3 * msNs, Max: 50 * msNs}})
		}
		f.Block = append(f.Block, b)
	}
	return f
}

// eachBlocked does something to every trial with blockers.
func eachBlocked(f *result.File, do func(*result.BlockTrial)) *result.File {
	for i := range f.Block[1].Trials {
		do(&f.Block[1].Trials[i])
	}
	return f
}

func same(v float64, n int) (all []float64) {
	for range n {
		all = append(all, v)
	}
	return all
}

// One trial on a busy machine has shown 0.44 where nothing was held.
func TestOneTrialProvesLittle(t *testing.T) {
	for _, row := range []struct {
		kept []float64
		want fate
	}{
		{[]float64{0.44}, undecided}, {[]float64{0.05}, collapsed}, {[]float64{0.93}, noFall}, {[]float64{0}, nothing}, {nil, unknown},
		{[]float64{0.4, 0.3, 0.45}, collapsed}, {[]float64{0.4, 0.3, 0.6}, undecided},
		{[]float64{0.4, 0.3, 1}, undecided}, // too far apart to call it no fall
		{[]float64{0.4, 0.3, 0.4, 0.4, 0.4, 0.45}, collapsed}, {[]float64{0.8, 0.8, 0.8, 0.8, 0.8, 0.8}, fell}, {[]float64{0.8, 0.8, 0.8, 0.8, 0.8, 1}, noFall},
	} {
		var rates []float64
		for _, v := range row.kept {
			rates = append(rates, 1000*v)
		}
		b := &blocked{File: placed("a pool of 4", 4, 4, same(1000, len(rates)), rates)}
		if got := b.judge(&b.Block[1]).fate; got != row.want {
			t.Errorf("%v left: fate %d, want %d", row.kept, got, row.want)
		}
	}
}

// Each of these has been a headline that said something else.
func TestFatesThatAreNoCollapse(t *testing.T) {
	starve := func(t *result.BlockTrial) { t.Starved = 74 }
	for _, row := range []struct {
		why  string
		file *result.File
		want []string
	}{
		{"part starves", eachBlocked(placed("inline on 4 pollers", 4, 3, same(1000, 3), same(1000, 3)), starve), []string{
			"nbio, inline on 4 pollers: with 3 blocking 74 of 100 connections starve, while all together lose nothing (100 % left): the free loop takes over, p99 3.00 ms",
			"some loops held: 1, of which 1 made connections wait", "3 of 4 held", "74 of 100 starve",
		}},
		{"predicted to wait, and does not", placed("inline on 4 pollers", 4, 3, same(1000, 3), same(1000, 3)), []string{
			"some loops held: 1, of which 0 made", "otherwise than predicted: nbio, inline on 4 pollers, sleep, 3: no fall shown"}},
		{"a pool has free handlers", placed("a pool of 4", 4, 3, same(1000, 3), same(1000, 3)), []string{"not saturated: 1, of which 1 did not collapse or starve"}},
		{"more than the baseline", placed("a pool of 4", 4, 3, same(1000, 3), same(1400, 3)), []string{
			"undecided with 3 blocking, 140 % left (the baseline was disturbed: 140 % of it with handlers that block)"}},
		{"a baseline that jumps", placed("a pool of 4", 4, 3, []float64{1000, 1000, 1800}, []float64{1000, 1000, 1800}), []string{
			"the baseline was disturbed: its trials are 1.8 times apart"}},
		{"a low baseline", placed("a pool of 4", 4, 3, same(1000, 3), same(1150, 3)), []string{"the baseline was disturbed: it is the lowest itself", "1 undecided: the baseline"}},
		{"the blockers work", eachBlocked(placed("the connection's goroutine", 0, 3, same(1000, 3), same(300, 3)), func(t *result.BlockTrial) { t.TurnsPerSecond = 600 }),
			[]string{"with 3 blocking 1/3.3 of the echoes left", "the blockers themselves use the machine, with 600 handlers/s", "crowded out", "the blockers use the machine: 1"}},
		{"the blockers do next to nothing", eachBlocked(placed("a pool of 4", 4, 4, same(1000, 3), same(300, 3)), func(t *result.BlockTrial) { t.TurnsPerSecond = 80 }),
			[]string{"4 blocking leave 1/3.3 of the echoes"}},
		{"the blockers were closed", eachBlocked(placed("a pool of 4", 4, 4, same(1000, 3), same(100, 3)), func(t *result.BlockTrial) { t.BlockersGone = 2 }),
			[]string{"a pool of 4: 2 of 4 blockers were closed meanwhile", "1 2 of 4 blockers were closed meanwhile: what the others had is judged no more"}},
		{"nothing", eachBlocked(placed("a pool of 4", 4, 4, same(1000, 3), same(0, 3)), func(t *result.BlockTrial) { t.Lost, t.Stuck, t.LatencyNs.N = 3, 90, 0 }),
			[]string{"nothing is left with 4 blocking, 93 echoes unanswered", "unanswered"}},
		{"too few echoes", eachBlocked(placed("a pool of 4", 4, 4, same(1000, 3), same(30, 3)), func(t *result.BlockTrial) { t.LatencyNs.N = 30 }),
			[]string{"4 blocking leave 1/33 of the echoes predicted"}},
		{"the worst never came", eachBlocked(placed("a pool of 4", 4, 4, same(1000, 3), same(100, 3)), func(t *result.BlockTrial) { t.Stuck = 90 }),
			[]string{"p99 > 3.00 ms against 3.00 ms", ">: at least"}},
	} {
		text := strings.Join(strings.Fields(rendered(t, "text", row.file)), " ")
		htmlOf(t, row.file) // a picture of too few echoes is one, too
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", row.why, want, text)
			}
		}
	}
}

// What starves with nothing that blocks is no work of the blockers.
func TestStarvingIsMoreThanTheBaselines(t *testing.T) {
	for _, row := range []struct {
		base, starved int
		want          fate
	}{{0, 9, noFall}, {0, 10, starving}, {20, 20, noFall}, {20, 30, starving}} {
		b := &blocked{File: eachBlocked(placed("inline on 4 pollers", 4, 3, same(1000, 3), same(1000, 3)), func(t *result.BlockTrial) { t.Starved = row.starved })}
		b.Block[0].Trials[1].Starved = row.base
		if got := b.judge(&b.Block[1]).fate; got != row.want {
			t.Errorf("%d starve, %d without blockers: fate %d, want %d", row.starved, row.base, got, row.want)
		}
	}
}
