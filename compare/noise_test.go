package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wsfanout/compare/result"
	"wsfanout/engines"
)

// A whole series takes about ten minutes of both cores: it is no part of the ordinary tests.
//
//	WSFANOUT_NOISE=1 go test ./compare -run TestNoise -v -timeout 30m
const noiseEnv = "WSFANOUT_NOISE"

// slowEnv makes this binary's server take a fifth longer over every plain write: seq is slowed, seqprep is not.
const slowEnv = "WSFANOUT_SLOW_WRITES"

const noiseArgs = "-engines gorilla -strategies seq,seqprep -clients 300 -interval 25ms -rounds 10 -trials 6 -stuck 0 -progress off"

// noiseRun is one run with real processes and sockets.
func noiseRun(t *testing.T, name string) *result.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if status, _, stderr := command(t, strings.Fields(noiseArgs+" -o "+path)...); status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	f, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func claimsOf(before, after *result.File) (claimed []string) {
	for _, c := range result.DiffOf(before, after).Claimed() {
		claimed = append(claimed, c.New.Name())
	}
	return claimed
}

func TestNoiseOfIdenticalCodeRaisesAtMostOneAlarm(t *testing.T) {
	if os.Getenv(noiseEnv) == "" {
		t.Skip("set " + noiseEnv + "=1: it takes about ten minutes")
	}
	first, alarms := noiseRun(t, "first.json"), 0
	for i := range 20 {
		again := noiseRun(t, "again.json")
		claimed := claimsOf(first, again)
		if len(claimed) > 0 {
			alarms++
		}
		change := result.DiffOf(first, again).Cells[0].Changes["vs_bare"]
		noise, _ := again.Noise(result.Headline().Measure)
		t.Logf("run %d: gorilla/seq vs_bare x%.3f [%.3f, %.3f], A/A %.1f %%, claimed %v", i+1, change.Ratio, *change.Lo, *change.Hi, 100*noise, claimed)
	}
	if alarms > 1 {
		t.Errorf("%d of 20 runs of identical code have a claimed difference against the first", alarms)
	}
}

func TestNoiseDoesNotHideAStrategyThatIsAFifthSlower(t *testing.T) {
	if os.Getenv(noiseEnv) == "" {
		t.Skip("set " + noiseEnv + "=1: it takes about a minute")
	}
	before := noiseRun(t, "before.json")
	t.Setenv(slowEnv, "1")
	after := noiseRun(t, "after.json")
	d := result.DiffOf(before, after)
	for _, c := range d.Cells {
		change := c.Changes["vs_bare"]
		t.Logf("%s: vs_bare x%.3f [%.3f, %.3f], claimed %v", c.New.Name(), change.Ratio, *change.Lo, *change.Hi, change.Claimed)
	}
	if claimed := claimsOf(before, after); len(claimed) != 1 || claimed[0] != "gorilla/seq" {
		t.Errorf("claimed %v, want the slowed gorilla/seq alone", claimed)
	}
}

// slowed is engines.New whose connections take a fifth longer to Write.
func slowed(o engines.Options, h engines.Hooks) (engines.Engine, error) {
	var known sync.Map // the engine's connection -> the slow one: a strategy must meet the same one again
	slow := func(c engines.Conn) engines.Conn {
		s, _ := known.LoadOrStore(c, &slowConn{c})
		return s.(*slowConn)
	}
	engine, err := engines.New(o, engines.Hooks{
		OnOpen:    func(c engines.Conn) { h.OnOpen(slow(c)) },
		OnMessage: func(c engines.Conn, b []byte) { h.OnMessage(slow(c), b) },
		OnClose:   func(c engines.Conn, err error) { h.OnClose(slow(c), err) },
	})
	return slowEngine{engine, slow}, err
}

type slowEngine struct {
	engines.Engine
	slow func(engines.Conn) engines.Conn
}

func (e slowEngine) Conns() []engines.Conn {
	conns := e.Engine.Conns()
	for i, c := range conns {
		conns[i] = e.slow(c)
	}
	return conns
}

type slowConn struct{ engines.Conn }

func (c *slowConn) Write(payload []byte) error {
	began := time.Now()
	err := c.Conn.Write(payload)
	for until := time.Since(began) * 6 / 5; time.Since(began) < until; {
	}
	return err
}
