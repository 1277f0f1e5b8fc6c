package main

import (
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"wsfanout/compare/result"
)

// inOtherTime is the prefix of a command whose CLOCK_MONOTONIC is 100,000 s ahead, as that of another host may be.
func inOtherTime(t *testing.T) string {
	t.Helper()
	const prefix = "unshare --time --monotonic 100000 --fork "
	if out, err := exec.Command("/bin/sh", "-c", prefix+"true").CombinedOutput(); err != nil {
		t.Skipf("no time namespace, which needs root, util-linux and Linux 5.6: %v: %s", err, out)
	}
	return prefix
}

// cellApart measures one cell whose halves are reached by commands.
func cellApart(t *testing.T, args ...string) result.Trial {
	t.Helper()
	c, err := parseRun(append(args, "-engines", "gorilla", "-strategies", "seq", "-clients", "60", "-rounds", "6", "-warmup", "1",
		"-interval", "60ms", "-write-timeout", "400ms", "-trials", "1"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	trial := runTrial(t.Context(), c, cell{engine: c.engines[0], strategy: c.strategies[0]}, 1, func(string) {})
	if trial.Error != "" {
		t.Fatal(trial.Error)
	}
	return trial
}

// checkApart wants a whole cell whose latencies are those that the hub's own times allow.
func checkApart(t *testing.T, trial result.Trial, offset time.Duration) {
	t.Helper()
	k := trial.Clock
	if k == nil || k.Shared || k.Exchanges == 0 || k.UncertaintyNs <= 0 || k.UncertaintyNs > int64(time.Second) {
		t.Fatalf("%+v", k)
	}
	// The namespace's offset is exact; each process reads its clock to a microsecond.
	if off := time.Duration(k.OffsetNs) - offset; off.Abs() > time.Duration(k.UncertaintyNs)+2*time.Microsecond {
		t.Errorf("the offset is %v, want %v within %v", time.Duration(k.OffsetNs), offset, time.Duration(k.UncertaintyNs))
	}
	if trial.Connected != 61 {
		t.Errorf("%d are connected: the clients that ask for the clock are none of them", trial.Connected)
	}
	for _, p := range []*result.Phase{trial.Healthy, trial.Stuck} {
		if p.Received != p.Expected || p.LastClient == nil || p.Spread == nil || p.Duplicates+p.OutOfOrder > 0 {
			t.Fatalf("%+v", p)
		}
		for _, r := range p.RoundsDetail {
			// The hub writes to one client after the other: the last arrival is not before half of that, and the first not after it.
			if r.LastNs < r.HubNs/2-k.UncertaintyNs || r.FirstNs > r.LastNs || r.LastNs > r.HubNs+int64(2*time.Second) {
				t.Errorf("%+v, known to %v", r, time.Duration(k.UncertaintyNs))
			}
		}
	}
	t.Logf("offset %v, within %v, %d exchanges, drift %.2f ppm; last client %v, spread %v, hub %v", time.Duration(k.OffsetNs),
		time.Duration(k.UncertaintyNs), k.Exchanges, k.DriftPPM, time.Duration(trial.Healthy.LastClient.Median),
		time.Duration(trial.Healthy.Spread.Median), time.Duration(trial.Healthy.Hub.Median))
}

func TestServerWithAnotherClock(t *testing.T) {
	trial := cellApart(t, "-server-cmd", inOtherTime(t)+os.Args[0]+" serve")
	checkApart(t, trial, 100_000*time.Second)
}

// One of two fleets has another clock: its samples merge with those of the one that needs no correction.
func TestOneFleetWithAnotherClock(t *testing.T) {
	trial := cellApart(t, "-fleet-cmd", os.Args[0]+" fleet", "-fleet-cmd", inOtherTime(t)+os.Args[0]+" fleet")
	checkApart(t, trial, -100_000*time.Second)
}

// Commands that lead to this host are found to have its clock.
func TestCommandsOnThisHostShareTheClock(t *testing.T) {
	trial := cellApart(t, "-server-cmd", os.Args[0]+" serve", "-fleet-cmd", os.Args[0]+" fleet")
	if k := trial.Clock; k == nil || *k != (result.Clock{Shared: true}) {
		t.Errorf("%+v", k)
	}
	if p := trial.Healthy; p.Received != p.Expected || p.Spread == nil || p.Spread.Median > p.LastClient.Worst {
		t.Errorf("%+v", p)
	}
}
