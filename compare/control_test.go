package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"wsfanout/compare/result"
)

// The control is measured like any other cell: once in every pass, at a place of its own.
func TestControlIsInterleaved(t *testing.T) {
	places := map[int]bool{}
	n := 0
	x := planOnly(t, "-engines gorilla,nbio -strategies seq,shard -trials 6", func(_ context.Context, k cell, trial int) result.Trial {
		if k.control {
			places[n%5] = true
		}
		n++
		return measuredTrial(trial)
	})
	var said bytes.Buffer
	x.announce(&said)
	if want := "= 4 cells and gorilla/seq once more as the A/A control, 6 trials"; !strings.Contains(said.String(), want) {
		t.Errorf("%q, want %q", said.String(), want)
	}
	if err := x.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n != 30 || len(places) < 3 {
		t.Errorf("%d cells measured, the control at places %v: want 30, and not always the same place", n, places)
	}
	last := x.file.Cells[4]
	if last.ControlOf != "gorilla/seq" || last.Engine != "gorilla" || last.Strategy != "seq" || len(last.Trials) != 6 {
		t.Errorf("%+v", last)
	}
	if len(x.file.Verdict) == 0 || x.file.Verdict[0].Kind != result.KindNoise {
		t.Errorf("no noise floor: %+v", x.file.Verdict)
	}
}

func TestControlOnlyWhereItHelps(t *testing.T) {
	for args, want := range map[string]int{
		"-engines gorilla -strategies seq -trials 6":                                              1, // nothing to compare
		"-engines gorilla,nbio -strategies seq -trials 5":                                         2, // nothing can be claimed
		"-engines gorilla,nbio -strategies seq -trials 6":                                         3,
		"-engines gorilla,nbio -strategies seq -clients 100 -interval 10ms -stuck 0 -budget 100s": 3,
		"-engines gorilla,nbio -strategies seq -budget 20s":                                       2,
	} {
		x := planOnly(t, args, nil)
		if len(x.cells) != want {
			t.Errorf("%s: %d cells, want %d", args, len(x.cells), want)
		}
		if x.budget > 0 && planned(x.config, len(x.cells)) > x.budget && x.trials > 1 {
			t.Errorf("%s: %d trials of %d cells take longer than the budget", args, x.trials, len(x.cells))
		}
		if x.file.Plan.Trials != x.trials {
			t.Errorf("%s: the file plans %d trials, the run %d", args, x.file.Plan.Trials, x.trials)
		}
	}
}

func TestPinning(t *testing.T) {
	cpus := allowedCPUs()
	first := cpus[0]
	c := fmt.Sprint(first)
	for text, want := range map[string]string{
		"server=" + c + ",fleet=" + c: "server=" + c + ",fleet=" + c,
		"fleet=" + c:                  "fleet=" + c,
		"server=" + c + "-" + c + "," + c + ",fleet=" + c: "server=" + c + ",fleet=" + c,
	} {
		p, err := parsePinning(text)
		if err != nil || p.String() != want {
			t.Errorf("%s: %q, %v, want %q", text, p, err, want)
		}
	}
	if len(cpus) < 2 {
		t.Skip("one CPU: a pinned child looks like any other")
	}
	x := planOnly(t, "-cpus server="+c, nil)
	if x.file.Plan.CPUs != "server="+c || x.file.Plan.GOMAXPROCS != 1 || x.file.Plan.Shards != 1 {
		t.Errorf("%+v", x.file.Plan)
	}
	checkPinnedChild(t, first)
}

// checkPinnedChild looks at a real one: every thread has the mask, and this process keeps its own.
func checkPinnedChild(t *testing.T, cpu int) {
	t.Helper()
	before := allowedCPUs()
	child, err := startChild("fleet", "fleet", carrier{cpus: []int{cpu}})
	if err != nil {
		t.Fatal(err)
	}
	defer child.end()
	deadline := time.Now().Add(10 * time.Second)
	want := fmt.Sprintf("Cpus_allowed_list:\t%d\n", cpu)
	threads := func() []string {
		paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", child.link.(*process).cmd.Process.Pid))
		return paths
	}
	for len(threads()) < 3 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	for _, path := range threads() {
		status, err := os.ReadFile(path)
		if err == nil && !strings.Contains(string(status), want) {
			t.Errorf("%s: not pinned to CPU %d", path, cpu)
		}
	}
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", child.link.(*process).cmd.Process.Pid))
	if err != nil || !strings.Contains(string(env), "GOMAXPROCS=1\x00") {
		t.Errorf("GOMAXPROCS is not set: %v", err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if after := allowedCPUs(); len(after) != len(before) {
		t.Errorf("this process was left on CPUs %v", after)
	}
}
