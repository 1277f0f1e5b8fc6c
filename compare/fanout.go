//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"wsfanout/compare/report"
	"wsfanout/compare/result"
)

// experiment is the matrix: trials are passes over all cells, in an order drawn anew for each pass, so that a slow minute
// of the machine does not hit one cell alone.
type experiment struct {
	*config
	cells   []cell
	file    *result.File
	began   time.Time
	screen  *screen
	saved   string // the results file, once it has been written
	measure func(ctx context.Context, k cell, trial int) result.Trial
}

// runMatrix is `compare run`.
func runMatrix(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) (int, error) {
	c, err := parseRun(args, stdout)
	if err != nil {
		return exitUsage, err
	}
	if err := checkFiles(c.out, c.html, c.explicit["o"]); err != nil {
		return exitUsage, err
	}
	host, err := preflightRun(ctx, c, stderr)
	if ctx.Err() != nil {
		return exitInterrupted, errEarly
	}
	if err != nil {
		return exitUsage, err
	}
	// The file records the defaults that follow from GOMAXPROCS: those of the server, not of this process.
	runtime.GOMAXPROCS(c.cpus.serverProcs())
	x := newExperiment(c, host, newScreen(stderr, c.progress))
	if err := x.admit(x.file); err != nil {
		return exitUsage, err
	}
	if c.behave.extras() > 0 {
		if c.absorb, err = measureDefaultBuffers(c.size); err != nil {
			return exitFailed, err
		}
	}
	x.announce(stderr)
	err = x.run(ctx)
	if err := c.show(stdout, x.file, textOptions(stdout, c.wide)); err != nil {
		return exitFailed, err
	}
	if err := c.writeHTML(x.file); err != nil {
		return exitFailed, err
	}
	if files := slices.DeleteFunc([]string{x.saved, c.html}, func(f string) bool { return f == "" }); len(files) > 0 {
		fmt.Fprintf(stderr, "written: %s\n", strings.Join(files, ", "))
	}
	status, err := x.status(err)
	if status == exitInterrupted {
		return status, err
	}
	return x.gated(x.file, stderr, status, err)
}

// checkFiles says before a run which file could not be written after it; named: -o was given.
func checkFiles(out, html string, named bool) error {
	switch {
	case named && out == "":
		return errors.New("-o: want the name of a results file")
	case out == "":
		return nil
	case out == html:
		return fmt.Errorf("-o and -html name the same file, %s", out)
	}
	if err := cmp.Or(result.CheckWritable(out), result.CheckOverwrite(out)); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

func newExperiment(c *config, host result.Host, s *screen) *experiment {
	x := &experiment{config: c, screen: s, began: time.Now()}
	x.cells = cellsOf(c, false)
	if c.budget > 0 {
		c.trials = trialsWithin(c, len(x.cells), c.budget)
	}
	x.addControl()
	x.file = newFile(c, host, x.cells, x.began)
	c.told = x.keepNotes
	x.measure = func(ctx context.Context, k cell, trial int) result.Trial {
		return runTrial(ctx, c, k, trial, func(phase string) { s.phase(k.String(), phase) })
	}
	return x
}

// announce says what will be done and how long it takes, before anything starts.
func (x *experiment) announce(w io.Writer) {
	matrices := len(x.matrices())
	compared, control, times := len(x.engines)*len(x.strategies)*matrices, "", ""
	if len(x.cells) > compared {
		control = fmt.Sprintf(" and %s once more as the A/A control", x.cells[0])
	}
	if matrices > 1 {
		times = fmt.Sprintf(" x %d matrices", matrices)
		if control != "" {
			control += ", as in each matrix"
		}
	}
	fmt.Fprintf(w, "plan: %d engines x %d strategies%s = %d cells%s, %d trials, about %v\n",
		len(x.engines), len(x.strategies), times, compared, control, x.trials, planned(x.config, len(x.cells)).Round(time.Second))
	for _, sentence := range x.advise() {
		fmt.Fprintln(w, "note:", sentence)
	}
}

// errInterrupted ends a run early with what is measured saved.
var errInterrupted = errors.New("interrupted: finished cells are kept")

// errEarly is for an interrupt before the first cell.
var errEarly = errors.New("interrupted: nothing was measured yet")

func (x *experiment) run(ctx context.Context) error {
	x.screen.begin(x.trials * len(x.cells))
	defer x.screen.end()
	for trial := 1; trial <= x.trials; trial++ {
		for _, i := range x.shuffled(trial) {
			t := x.measure(ctx, x.cells[i], trial)
			if ctx.Err() != nil {
				if x.saved == "" { // nothing is measured yet: what the file holds is worth more
					return errInterrupted
				}
				return errors.Join(errInterrupted, x.save(false))
			}
			x.file.Cells[i].Trials = append(x.file.Cells[i].Trials, t)
			x.screen.cellDone()
			if err := x.save(false); err != nil {
				return err
			}
		}
		if x.budget > 0 {
			x.fitBudget(trial)
		}
		if trial < x.trials {
			x.provisional(trial)
		}
	}
	return x.save(true)
}

// shuffled is the order of the cells in one pass, the same for the same seed.
func (x *experiment) shuffled(trial int) []int {
	return rand.New(rand.NewPCG(x.seed, uint64(trial))).Perm(len(x.cells))
}

// save brings summary and duration up to date and rewrites the file: an interrupt loses at most the running cell.
func (x *experiment) save(complete bool) error {
	x.file.DurationNs = int64(time.Since(x.began))
	x.file.Complete = complete
	x.file.Summarize()
	x.file.Verdict = report.Verdict(x.file)
	if x.out == "" {
		return nil
	}
	if err := result.Write(x.out, x.file); err != nil {
		x.saved = ""
		return err
	}
	x.saved = x.out
	return nil
}

// provisional shows the table so far. It goes where the progress goes: stdout holds only the result.
func (x *experiment) provisional(trial int) {
	x.screen.print(func(w io.Writer) {
		fmt.Fprintf(w, "\nafter trial %d of %d:\n", trial, x.trials)
		report.Text(w, x.file, textOptions(w, x.wide))
	})
}

// fitBudget replaces the planned duration of a pass by the measured one.
func (x *experiment) fitBudget(done int) {
	perPass := time.Since(x.began) / time.Duration(done)
	left := int((x.budget - time.Since(x.began)) / perPass)
	if fit := done + max(left, 0); fit != x.trials {
		x.trials = min(fit, maxTrials)
		x.file.Plan.Trials = x.trials
		x.screen.resize(x.trials * len(x.cells))
	}
}

// status is the exit status: 0 only if every trial of every cell is a measurement.
func (x *experiment) status(err error) (int, error) {
	switch {
	case errors.Is(err, errInterrupted):
		return exitInterrupted, err
	case err != nil:
		return exitFailed, err
	}
	failed, unproven := 0, 0
	for _, c := range x.file.Cells {
		if slices.ContainsFunc(c.Trials, func(t result.Trial) bool { return t.Error != "" }) {
			failed++
		} else if slices.ContainsFunc(c.Trials, func(t result.Trial) bool { return t.Stuck != nil && !t.Proven() }) {
			unproven++
		}
	}
	switch {
	case failed > 0:
		return exitFailed, fmt.Errorf("%d of %d cells failed: see the table", failed, len(x.file.Cells))
	case unproven > 0:
		return exitFailed, fmt.Errorf("a stuck client never jammed in %d of %d cells: see the line jam", unproven, len(x.file.Cells))
	}
	return exitOK, nil
}
