//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"wsfanout/compare/report"
	"wsfanout/compare/result"
)

// tuneRequest is what the flags of `compare tune` ask for.
type tuneRequest struct {
	*surveyFlags
	within     time.Duration
	scale      float64 // times are divided by this
	all        bool
	keepalives []time.Duration
	pings      []string
	load       bool
	clients    int // of each behaviour
}

// scaledTarget is how long the target takes where nothing else is asked for: short enough to wait for, long enough that
// timers and the scheduling of a busy machine do not matter.
const (
	scaledTarget = 3 * time.Second
	quickTarget  = 1500 * time.Millisecond
)

func parseTune(args []string, usage io.Writer) (*tuneRequest, error) {
	q := &tuneRequest{surveyFlags: newSurveyFlags("tune", "gorilla,nbio", 3, "the recommendation alone, measured once at short times: within 45 s, unless -scale or -trials say otherwise")}
	q.fs.DurationVar(&q.within, "detect-within", 30*time.Second, "a dead peer is to be noticed within this")
	scale := q.fs.String("scale", "auto", "measure with all times divided by this; auto: so that the target takes 3 s; 1: the real values")
	q.fs.BoolVar(&q.all, "all", false, "also the grid, the known ways to notice a dead peer, both layers of nbio, and the write timeouts: about 11 minutes; once unless -trials says otherwise")
	keepalives := q.fs.String("keepalive", "1s,2s,5s", "with -all: keepalives of the grid")
	pings := q.fs.String("ping", "0,K/3,K/2,0.9K", "with -all: ping intervals of the grid, in time or in shares of the keepalive K")
	q.fs.BoolVar(&q.load, "under-load", false, "meanwhile rounds go out and 50 more clients talk")
	q.fs.IntVar(&q.clients, "clients", 10, "clients of each behaviour")
	if err := q.parse(args, usage); err != nil {
		return nil, err
	}
	if q.quick || q.all {
		q.unless("trials", func() { q.trials = 1 })
	}
	return q, q.check(*scale, *keepalives, *pings)
}

func (q *tuneRequest) check(scale, keepalives, pings string) (err error) {
	switch {
	case q.quick && q.all:
		return errors.New("-quick and -all exclude each other: choose one")
	case !q.all && (q.explicit["keepalive"] || q.explicit["ping"]):
		return errors.New("-keepalive and -ping are of the grid: add -all")
	case q.within < 500*time.Millisecond || q.within > maxDuration:
		return fmt.Errorf("-detect-within %v: want 500ms to %v", q.within, maxDuration)
	case q.clients < 1 || q.clients > 100:
		return fmt.Errorf("-clients %d: want 1 to 100 of each behaviour", q.clients)
	}
	if q.scale, err = q.parseScale(scale); err != nil {
		return err
	}
	for _, e := range q.engines {
		for _, own := range []string{"keepalive", "ping", "refresh", "httpkeepalive", "tcpkeepalive", "usertimeout", "deadline", "writetimeout", "pendingcap"} {
			if strings.Contains(e.String(), ":"+own+"=") {
				return fmt.Errorf("-engines: %s: tune chooses %s itself", e, own)
			}
		}
	}
	for _, text := range strings.Split(keepalives, ",") {
		k, err := time.ParseDuration(text)
		if err != nil || k < 200*time.Millisecond || k > time.Minute {
			return fmt.Errorf("-keepalive %q: want durations of 200ms to 1m, such as 1s,2s,5s", text)
		}
		q.keepalives = append(q.keepalives, k)
	}
	q.pings = strings.Split(pings, ",")
	for _, text := range q.pings {
		if _, err := pingOf(text, time.Second); err != nil {
			return err
		}
	}
	return nil
}

func (q *tuneRequest) parseScale(text string) (float64, error) {
	target := scaledTarget
	if q.quick {
		target = quickTarget
	}
	if text == "auto" {
		return max(1, float64(q.within)/float64(target)), nil
	}
	scale, err := strconv.ParseFloat(text, 64)
	if err != nil || !(scale >= 1) || float64(q.within)/scale < float64(500*time.Millisecond) {
		return 0, fmt.Errorf("-scale %q: want auto, or 1 to %g: below 500 ms the machine's own pauses would be measured",
			text, max(1, q.within.Seconds()/0.5))
	}
	return scale, nil
}

// pingOf reads a ping interval: a time, or a share of the keepalive such as K/3 or 0.9K.
func pingOf(text string, keepalive time.Duration) (time.Duration, error) {
	bad := fmt.Errorf("-ping %q: want 0, a duration of 10ms to 1h, or a share of the keepalive such as K/3 or 0.9K", text)
	if text == "0" {
		return 0, nil
	}
	p, err := time.ParseDuration(text)
	if part, ok := strings.CutPrefix(text, "K/"); ok {
		var by float64
		by, err = strconv.ParseFloat(part, 64)
		p = fraction(keepalive, 1/by)
	} else if part, ok := strings.CutSuffix(text, "K"); ok {
		by := 1.0
		if err = nil; part != "" {
			by, err = strconv.ParseFloat(part, 64)
		}
		p = fraction(keepalive, by)
	}
	if err != nil || p < 10*time.Millisecond || p > time.Hour {
		return 0, bad
	}
	return p, nil
}

// fraction is by times d, 0 where that is no sensible time.
func fraction(d time.Duration, by float64) time.Duration {
	if !(by > 0 && by < 1000) {
		return 0
	}
	return scaled(d, by).Round(time.Millisecond)
}

// runTune is `compare tune`.
func runTune(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) (int, error) {
	q, err := parseTune(args, stdout)
	if err != nil {
		return exitUsage, err
	}
	setups, err := q.setups()
	if err != nil {
		return exitUsage, err
	}
	clients := len(behaviours()) * q.clients
	if q.load {
		clients += loadClients
	}
	s, err := newSurvey(q.surveyFlags, "tune", clients, stderr)
	if err != nil {
		return exitUsage, err
	}
	s.file.Plan.DetectWithinNs, s.file.Plan.Scale, s.file.Plan.UnderLoad = int64(q.within), q.scale, q.load
	s.file.Plan.Clients = q.clients
	if q.load {
		s.file.Plan.SizeBytes, s.file.Plan.IntervalNs = tuneSize, int64(loadInterval)
	}
	var took time.Duration
	for i := range setups {
		s.tasks = append(s.tasks, q.task(s, &setups[i]))
		took += setups[i].time()
		if setups[i].doubt != "" {
			fmt.Fprintf(stderr, "note: %s: %s\n", setups[i].engine, setups[i].doubt)
		}
	}
	writes := q.writeSetups()
	for i := range writes {
		s.tasks = append(s.tasks, q.writeTask(s, writes[i]))
		took += writes[i].time()
	}
	took = max(took, longest(setups)) * time.Duration(q.trials)
	fmt.Fprintf(stderr, "plan: %d set-ups x %s, about %v; times are 1/%.4g of the real ones\n", len(s.tasks), times(q.trials), took.Round(time.Second), q.scale)
	status, err := s.finish(ctx, stdout, stderr)
	if refuted := report.NotHeld(s.file); status == exitOK && len(refuted) > 0 {
		return exitFailed, fmt.Errorf("what is recommended did not hold here for %s: see the answer", strings.Join(refuted, ", "))
	}
	return status, err
}

// task measures one set-up into an entry of its own.
func (q *tuneRequest) task(s *survey, setup *tuneSetup) task {
	entry := len(s.file.Tune)
	s.file.Tune = append(s.file.Tune, result.Tune{
		Part: setup.part, Name: setup.name, Engine: setup.engine.String(), KeepaliveNs: int64(setup.keepalive), PingNs: int64(setup.ping),
		PredictedNs: setup.predicted, Never: setup.never, Doubt: setup.doubt, Trials: []result.TuneTrial{},
	})
	return task{name: setup.engine.String(), waits: !setup.alone, measure: func(ctx context.Context, trial int) (func(), error) {
		r := &tuneRun{tuneSetup: *setup, seed: q.seed*1_000_003 + uint64(trial), cpus: q.cpus}
		t := result.TuneTrial{Trial: trial, Warnings: []string{}}
		err := r.run(ctx)
		if err != nil {
			t.Error = err.Error()
		} else {
			t.ObservedNs, t.Groups, t.Cost = r.ended-r.began, r.groupsSeen(), r.cost()
			t.Warnings = append(t.Warnings, r.doubts()...)
		}
		return func() { s.file.Tune[entry].Trials = append(s.file.Tune[entry].Trials, t) }, err
	}}
}
