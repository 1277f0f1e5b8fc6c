//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"wsfanout/compare/result"
	"wsfanout/internal/preflight"
)

// survey is an experiment that is not the matrix: a list of set-ups, each of which is measured once in every trial.
type survey struct {
	*surveyFlags
	tasks  []task
	file   *result.File
	began  time.Time
	screen *screen
	saved  string // the results file, once it has been written

	mu     sync.Mutex
	failed map[string]bool // set-ups of which a trial has no measurement
}

// task is one set-up. measure returns what puts the trial into the file, and why there is no measurement.
type task struct {
	name    string
	waits   bool // it mostly waits: others of the kind may run beside it
	measure func(ctx context.Context, trial int) (keep func(), err error)
}

// besides is how many set-ups that mostly wait run at a time.
const besides = 4

func newSurvey(q *surveyFlags, scenario string, clients int, stderr io.Writer) (*survey, error) {
	if err := checkFiles(q.out, q.html, q.explicit["o"]); err != nil {
		return nil, err
	}
	limits := preflight.Read()
	if _, _, err := preflight.Settle(limits, preflight.Need{Clients: clients, SizeBytes: defaultSize}, true); err != nil {
		return nil, err
	}
	s := &survey{surveyFlags: q, began: time.Now(), screen: newScreen(stderr, q.progress), failed: map[string]bool{}}
	s.file = &result.File{
		Schema: result.Schema, Started: s.began.UTC(), Tool: tool(), Host: result.Host(limits.Host), Cells: []result.Cell{},
		Plan: result.Plan{
			Scenario: scenario, Engines: q.engineNames(), Strategies: []string{}, Clients: clients, Trials: q.trials, Seed: q.seed,
			GOMAXPROCS: q.cpus.serverProcs(), CPUs: q.cpus.String(),
		},
		Verdict: []result.Claim{}, Warnings: []string{},
	}
	return s, nil
}

// finish runs the survey, shows it, and returns the exit status of the verb.
func (s *survey) finish(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	err := s.run(ctx)
	if err := s.show(stdout, s.file, textOptions(stdout, s.wide)); err != nil {
		return exitFailed, err
	}
	if err := s.writeHTML(s.file); err != nil {
		return exitFailed, err
	}
	if files := slices.DeleteFunc([]string{s.saved, s.html}, func(f string) bool { return f == "" }); len(files) > 0 {
		fmt.Fprintf(stderr, "written: %s\n", strings.Join(files, ", "))
	}
	switch {
	case errors.Is(err, errInterrupted):
		return exitInterrupted, err
	case err != nil:
		return exitFailed, err
	case len(s.failed) > 0:
		return exitFailed, fmt.Errorf("%d of %d set-ups failed: see the tables", len(s.failed), len(s.tasks))
	}
	return exitOK, nil
}

func (s *survey) run(ctx context.Context) error {
	s.screen.begin(s.trials * len(s.tasks))
	defer s.screen.end()
	for trial := 1; trial <= s.trials; trial++ {
		if err := s.pass(ctx, trial); err != nil {
			return err
		}
	}
	return s.save(true)
}

// pass is one trial: first the set-ups that mostly wait, side by side, then the others one by one, in seeded random order.
func (s *survey) pass(ctx context.Context, trial int) error {
	var waiting, alone []task
	for _, i := range rand.New(rand.NewPCG(s.seed, uint64(trial))).Perm(len(s.tasks)) {
		if s.tasks[i].waits {
			waiting = append(waiting, s.tasks[i])
		} else {
			alone = append(alone, s.tasks[i])
		}
	}
	queue := make(chan task, len(waiting))
	for _, t := range waiting {
		queue <- t
	}
	close(queue)
	errs := make([]error, besides)
	var workers sync.WaitGroup
	for w := range besides {
		workers.Go(func() {
			for t := range queue {
				errs[w] = errors.Join(errs[w], s.one(ctx, t, trial))
			}
		})
	}
	workers.Wait()
	for _, t := range alone {
		errs = append(errs, s.one(ctx, t, trial))
	}
	switch {
	case ctx.Err() == nil:
		return errors.Join(errs...)
	case s.saved == "": // nothing is measured yet: what the file holds is worth more
		return errInterrupted
	}
	return errors.Join(errInterrupted, s.save(false))
}

// times is "1 trial" or "3 trials".
func times(trials int) string {
	if trials == 1 {
		return "1 trial"
	}
	return fmt.Sprintf("%d trials", trials)
}

// one measures a set-up once and saves; the error is that of the saving. What an interrupt cut short is not kept.
func (s *survey) one(ctx context.Context, t task, trial int) error {
	if ctx.Err() != nil {
		return nil
	}
	s.mu.Lock()
	s.screen.phase(t.name, fmt.Sprintf("trial %d", trial))
	s.mu.Unlock()
	keep, err := t.measure(ctx, trial)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		s.failed[t.name] = true
	}
	keep()
	s.screen.cellDone()
	return s.save(false)
}

// save rewrites the file: an interrupt loses at most what is running.
func (s *survey) save(complete bool) error {
	s.file.DurationNs = int64(time.Since(s.began))
	s.file.Complete = complete
	if s.out == "" {
		return nil
	}
	if err := result.Write(s.out, s.file); err != nil {
		s.saved = ""
		return err
	}
	s.saved = s.out
	return nil
}
