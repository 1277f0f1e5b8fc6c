package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsfanout/compare/result"
)

// planOnly is an experiment whose cells are not measured: it tests order, saving and exit statuses without a clock.
func planOnly(t *testing.T, args string, measure func(ctx context.Context, k cell, trial int) result.Trial) *experiment {
	t.Helper()
	c, err := parseRun(strings.Fields(args), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	x := newExperiment(c, result.Host{}, newScreen(io.Discard, "off"))
	x.measure = measure
	return x
}

func measuredTrial(trial int) result.Trial {
	return result.Trial{Trial: trial, Healthy: &result.Phase{
		Rounds: 1, Expected: 10, Received: 10, LastClient: &result.Last{Median: 1e6, Worst: 1e6},
	}}
}

func TestTrialsAreInterleavedInASeededOrder(t *testing.T) {
	orders := map[string][]string{}
	for _, args := range []string{"-seed 1", "-seed 1 -rounds 9", "-seed 2"} {
		x := planOnly(t, args+" -trials 3", func(_ context.Context, k cell, trial int) result.Trial {
			orders[args] = append(orders[args], k.String())
			return measuredTrial(trial)
		})
		if err := x.run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	first := orders["-seed 1"]
	if len(first) != 30 {
		t.Fatalf("%d cells measured, want 10 in each of 3 trials", len(first))
	}
	if !slices.Equal(first, orders["-seed 1 -rounds 9"]) {
		t.Error("the same seed gave another order")
	}
	if slices.Equal(first, orders["-seed 2"]) {
		t.Error("another seed gave the same order")
	}
	for trial := range 3 {
		pass := slices.Sorted(slices.Values(first[10*trial : 10*trial+10]))
		if len(slices.Compact(pass)) != 10 {
			t.Errorf("trial %d measured a cell twice: %v", trial+1, pass)
		}
	}
	if slices.Equal(first[:10], first[10:20]) {
		t.Error("two trials in the same order: a slow minute would hit the same cells")
	}
}

func TestAFailedCellIsAResult(t *testing.T) {
	x := planOnly(t, "-engines gorilla -strategies seq,chan -trials 1", func(_ context.Context, k cell, trial int) result.Trial {
		if k.strategy.Name == "chan" {
			return result.Trial{Trial: trial, Error: "the server process ended"}
		}
		return measuredTrial(trial)
	})
	status, err := x.status(x.run(t.Context()))
	if status != exitFailed || err == nil || !strings.Contains(err.Error(), "1 of 2 cells failed") {
		t.Errorf("status %d, %v", status, err)
	}
	if !x.file.Complete || x.file.Cells[1].Trials[0].Error == "" || x.file.Cells[0].Trials[0].Error != "" {
		t.Errorf("the file does not tell the failed cell from the other: %+v", x.file.Cells)
	}
}

func TestAnInterruptKeepsFinishedCells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	x := planOnly(t, "-engines gorilla -strategies all -trials 1 -o "+path, func(_ context.Context, k cell, trial int) result.Trial {
		if n++; n == 3 {
			cancel() // in the middle of the third cell
		}
		return measuredTrial(trial)
	})
	status, _ := x.status(x.run(ctx))
	if status != exitInterrupted {
		t.Errorf("status %d, want %d", status, exitInterrupted)
	}
	f, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	for _, c := range f.Cells {
		done += len(c.Trials)
	}
	if done != 2 || f.Complete {
		t.Errorf("%d cells in the file, complete %v; want the 2 finished ones, not complete", done, f.Complete)
	}
}

func TestTheFileIsRewrittenAfterEveryCell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	var sizes []int64
	x := planOnly(t, "-engines gorilla -strategies seq,shard,chan -trials 1 -o "+path, func(_ context.Context, k cell, trial int) result.Trial {
		if info, err := os.Stat(path); err == nil {
			sizes = append(sizes, info.Size())
		}
		return measuredTrial(trial)
	})
	if err := x.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(sizes) != 2 || sizes[1] <= sizes[0] {
		t.Errorf("sizes before the second and third cell: %v, want two that grow", sizes)
	}
}

func TestBudgetChoosesTheTrials(t *testing.T) {
	x := planOnly(t, "-budget 1h -clients 100 -interval 10ms", nil)
	if x.trials < 100 {
		t.Errorf("an hour of small cells: %d trials planned, want hundreds", x.trials)
	}
	x = planOnly(t, "-budget 1s", nil)
	if x.trials != 1 {
		t.Errorf("a second: %d trials, want the one that must be", x.trials)
	}
	// The plan of a slow machine is corrected by what the first pass took.
	x = planOnly(t, "-engines gorilla -strategies seq -budget 200ms", func(_ context.Context, k cell, trial int) result.Trial {
		time.Sleep(30 * time.Millisecond)
		return measuredTrial(trial)
	})
	if err := x.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(x.file.Cells[0].Trials); got < 2 || got > 7 {
		t.Errorf("200 ms of 30 ms passes: %d trials, want 2 to 7", got)
	}
	if x.file.Plan.Trials != len(x.file.Cells[0].Trials) {
		t.Errorf("the plan says %d trials, %d were run", x.file.Plan.Trials, len(x.file.Cells[0].Trials))
	}
}
