package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsfanout/compare/result"
)

// surveyed runs a verb and reads what it wrote.
func surveyed(t *testing.T, args string) *result.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.json")
	status, stdout, stderr := command(t, append(strings.Fields(args), "-progress", "off", "-o", path)...)
	if status != exitOK {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	f, err := result.Read(path)
	if err != nil || !f.Complete {
		t.Fatalf("%v, complete: %v", err, f != nil && f.Complete)
	}
	return f
}

// A goroutine a connection where that is how the engine works, none where it is not; nothing stays behind.
func TestHoldShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("the figures of a race build say nothing, and its memory is another: it runs without")
	}
	specs := "gorilla,gobwas,gobwas:mode=goroutine"
	if slices.Contains(testedEngines(), "nbio") {
		specs += ",nbio"
	}
	for _, h := range surveyed(t, "hold -clients 50,400 -engines "+specs).Hold {
		few, many := h.Trials[0].Points[0], h.Trials[0].Points[1]
		each := float64(many.Goroutines-few.Goroutines) / 350
		if flat := h.Engine == "nbio" || h.Engine == "gobwas"; flat && each > 0.02 || !flat && each < 0.98 {
			t.Errorf("%s: %.2f goroutines a connection", h.Engine, each)
		}
		if many.HeapBytes <= few.HeapBytes {
			t.Errorf("%s: heap %d with 50, %d with 400 connections", h.Engine, few.HeapBytes, many.HeapBytes)
		}
		for _, p := range h.Trials[0].Points {
			if len(p.Sweeps) != 2 || p.Sweeps[0].Reach != 1 || p.Sweeps[1].Reach != 1 || p.Sweeps[0].LastClientNs <= 0 {
				t.Errorf("%s: %+v", h.Engine, p.Sweeps)
			}
			if a := p.After; a.Members != 0 || a.FDs != 0 || a.Goroutines > 2 || a.HeapBytes > (many.HeapBytes-few.HeapBytes)/2+1<<20 {
				t.Errorf("%s: left after %d connections: %+v", h.Engine, p.Connections, a)
			}
		}
	}
}

// What a handler that sleeps, and half a frame, leave to the others.
func TestBlockShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("the figures of a race build say nothing, and its memory is another: it runs without")
	}
	specs := "gorilla,gobwas:pool=4"
	if slices.Contains(testedEngines(), "nbio") {
		specs += ",nbio,nbio:executor=inline:npoller=1,nbio:executor=inline:npoller=16"
	}
	f := surveyed(t, "block -fast 60 -blocking 0,4 -trials 1 -for 400ms -engines "+specs)
	rate := map[string]float64{}
	for _, b := range f.Block {
		rate[fmt.Sprintf("%s, %d %s", b.Engine, b.Blocking, b.Blockers)] = b.Trials[0].PerSecond
		if b.Blockers == "sleep" && b.Blocking == 4 {
			if s := b.Trials[0].Stalls; b.Trials[0].Turns < 4 || s.Count < 4 || s.WorstNs < int64(50*time.Millisecond) || s.CostNs <= 0 {
				t.Errorf("%s: %d turns, %+v", b.Engine, b.Trials[0].Turns, s)
			}
		}
	}
	falls := func(engine, blockers string, least, most float64) {
		t.Helper()
		calm, ok := rate[engine+", 0 sleep"]
		if !ok {
			return
		}
		fall := calm / max(rate[engine+", 4 "+blockers], 1)
		if fall < least || most > 0 && fall > most {
			t.Errorf("%s, 4 %s: %.0f of %.0f echoes/s, a fall by %.1f: want %v to %v", engine, blockers, rate[engine+", 4 "+blockers], calm, fall, least, most)
		}
	}
	falls("gorilla", "sleep", 0, 4)
	falls("gorilla", "half frame", 0, 4)
	falls("nbio", "sleep", 0, 4)
	falls("nbio:executor=inline:npoller=1", "sleep", 4, 0)
	falls("nbio:executor=inline:npoller=1", "half frame", 0, 4)
	falls("gobwas:pool=4", "half frame", 20, 0) // every worker waits for the other half
	one, many := rate["nbio:executor=inline:npoller=1, 4 sleep"], rate["nbio:executor=inline:npoller=16, 4 sleep"]
	if one > 0 && many < 1.5*one {
		t.Errorf("16 pollers leave %.0f echoes/s, one leaves %.0f: want it milder", many, one)
	}
}

func TestEchoAccounts(t *testing.T) {
	for _, e := range surveyed(t, "echo -clients 100 -outstanding 20 -rate 500 -for 400ms -trials 1 -engines gorilla,gobwas").Echo {
		tr := e.Trials[0]
		if tr.Connections != 100 || tr.DialNs.N != 100 || tr.ConnectPerSecond <= 0 {
			t.Errorf("%s: %d connections, %d dials", e.Engine, tr.Connections, tr.DialNs.N)
		}
		for _, p := range []*result.EchoPhase{tr.Rate, tr.Closed} {
			if p.Sent != p.Received+p.Lost || p.Received < 50 || p.ServerUserNs+p.ServerSystemNs <= 0 || p.FleetNs <= 0 {
				t.Errorf("%s: %+v", e.Engine, p)
			}
		}
		if r := tr.Rate; r.Sent+r.Skipped != 200 || r.LatencyDueNs.N != 200 || r.LatencyDueNs.P50 < r.LatencyNs.P50 {
			t.Errorf("%s: %d sent, %d skipped of 200; latency %v from due, %v from the send", e.Engine, r.Sent, r.Skipped, r.LatencyDueNs, r.LatencyNs)
		}
	}
}

// An interrupt keeps what is measured, and says so.
func TestSurveyInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	status := make(chan int, 1)
	go func() {
		status <- run(ctx, strings.Fields("hold -clients 20,40 -trials 50 -engines gorilla -progress off -o "+path), strings.NewReader(""), io.Discard, io.Discard)
	}()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if f, err := result.Read(path); err == nil && len(f.Hold[0].Trials) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no trial in 30 s")
		}
	}
	interrupt()
	got := <-status
	f, err := result.Read(path)
	if got != exitInterrupted || err != nil || f.Complete || len(f.Hold[0].Trials) == 0 || len(f.Hold[0].Trials) == 50 {
		t.Errorf("status %d, %v: %+v", got, err, f)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}
