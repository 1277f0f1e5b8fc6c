//go:build linux

package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"wsfanout/compare/report"
	"wsfanout/compare/result"
)

// display is how results are shown.
type display struct {
	wide   bool
	format string
	html   string

	show report.Format
}

func (d *display) flags(fs *flag.FlagSet) {
	fs.BoolVar(&d.wide, "wide", false, "more columns than fit 120 characters")
	fs.StringVar(&d.format, "format", "text", "of the result on stdout: "+strings.Join(report.Formats(), ", "))
	fs.StringVar(&d.html, "html", "", "also write a report with pictures to this `file`: one page, nothing else needed to read it")
}

// open says before anything starts what cannot work.
func (d *display) open() (err error) {
	if d.show, err = report.FindFormat(d.format); err != nil {
		return fmt.Errorf("-format: %w", err)
	}
	if d.html != "" {
		if err := result.CheckWritable(d.html); err != nil {
			return fmt.Errorf("-html: %w", err)
		}
	}
	return nil
}

// writeHTML writes the page, if one is asked for.
func (d *display) writeHTML(files ...*result.File) error {
	if d.html == "" {
		return nil
	}
	var page bytes.Buffer
	if err := report.HTML(&page, files); err != nil {
		return err
	}
	return result.Replace(d.html, page.Bytes())
}

// output is what `compare run` and `compare report` have in common: how results are shown, and the gates they must pass.
type output struct {
	display
	gates    []gate
	baseline string
	base     *result.File // nil without -baseline
}

func (o *output) flags(fs *flag.FlagSet) {
	o.display.flags(fs)
	fs.StringVar(&o.baseline, "baseline", "", "results `file` that gates with a sign compare with")
	fs.Func("fail-if", "`gate`, repeatable: exit status 3 if it holds. [ENGINE/STRATEGY[@GROUP]:] METRIC(>|<)[+-]N[%], such as "+
		"'nbio/shard: late_clients>0', 'last_client>200ms', or with -baseline 'vs_bare>+10%'; metrics: "+strings.Join(result.Metrics(), ", "),
		func(text string) error {
			g, err := parseGate(text)
			o.gates = append(o.gates, g)
			return err
		})
}

// open says before anything starts what cannot work, and reads the baseline.
func (o *output) open() (err error) {
	if err := o.display.open(); err != nil {
		return err
	}
	relative := slices.IndexFunc(o.gates, func(g gate) bool { return g.relative })
	switch {
	case o.baseline == "" && relative >= 0:
		return fmt.Errorf("-fail-if %q: a sign compares with a run before: add -baseline FILE", o.gates[relative].text)
	case o.baseline != "" && relative < 0:
		return errors.New("-baseline needs a -fail-if with a sign, such as 'vs_bare>+10%'")
	case o.baseline != "":
		if o.base, err = result.Read(o.baseline); err != nil {
			return fmt.Errorf("-baseline: %w", err)
		}
	}
	return nil
}

// admit refuses gates that a file with these cells, plan and host can never pass or fail in earnest.
func (o *output) admit(f *result.File) error {
	if len(o.gates) > 0 && len(f.Cells) == 0 {
		return fmt.Errorf("-fail-if %q: gates are for cells of the matrix, and %q has none", o.gates[0].text, f.Plan.Scenario)
	}
	for _, g := range o.gates {
		if g.metric.Name == "late_clients" && f.Plan.Stuck+f.Plan.Slow+f.Plan.Vanish == 0 {
			return fmt.Errorf("-fail-if %q: late_clients are those of a stuck phase: want -stuck 1 or more", g.text)
		}
		if err := cmp.Or(g.admitCell(f), g.admitBaseline(f, o.base)); err != nil {
			return fmt.Errorf("-fail-if %q: %w", g.text, err)
		}
	}
	return nil
}

func (g gate) admitCell(f *result.File) error {
	if g.cell == "" || len(g.cells(f)) > 0 {
		return nil
	}
	var names []string
	for _, c := range f.Compared() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("no such cell here: want %s", strings.Join(names, ", "))
}

func (g gate) admitBaseline(f, base *result.File) error {
	if !g.relative {
		return nil
	}
	// The lists of cells may differ: a gate looks at one cell at a time.
	if changes := result.PlanChanges(base.Plan, f.Plan, "engines", "strategies"); len(changes) > 0 {
		return fmt.Errorf("the baseline had another plan: %s", strings.Join(changes, ", "))
	}
	if changes := result.HostChanges(base.Host, f.Host); len(changes) > 0 && g.metric.OfHost() {
		return fmt.Errorf("the baseline is of another host (%s), where times mean something else: gate vs_bare, or measure both here",
			strings.Join(changes, ", "))
	}
	if n := min(f.Plan.Trials, base.Plan.Trials); n < result.IntervalTrials && !g.metric.EveryTrialCounts() {
		return fmt.Errorf("%d trials have no interval: want %d or more, in the baseline, too", n, result.IntervalTrials)
	}
	for _, c := range g.cells(f) {
		if base.Find(c.Name()) == nil {
			return fmt.Errorf("the baseline has no cell %s", c.Name())
		}
	}
	return nil
}

// cells are those that the gate is about. The A/A control is none: it repeats one of them.
func (g gate) cells(f *result.File) []*result.Cell {
	return slices.DeleteFunc(f.Compared(), func(c *result.Cell) bool { return g.cell != "" && c.Name() != g.cell && c.Base() != g.cell })
}

// judge says on w which gates failed, for which cell and by what.
func (o *output) judge(f *result.File, w io.Writer) (failed int) {
	for _, g := range o.gates {
		held := false
		for _, c := range g.cells(f) {
			var base *result.Cell
			if g.relative {
				base = o.base.Find(c.Name())
			}
			if why := g.failure(c, base); why != "" {
				held = true
				fmt.Fprintf(w, "gate %q failed: %s: %s: %s\n", g.text, c.Name(), g.metric.Name, why)
			}
		}
		if held {
			failed++
		}
	}
	return failed
}

// gated turns a status of 0 into exitGate if a gate fails. Another failure stays what it is: then nothing was measured well
// enough to be judged, but what failed is named all the same.
func (o *output) gated(f *result.File, w io.Writer, status int, err error) (int, error) {
	failed := o.judge(f, w)
	if status != exitOK || failed == 0 {
		return status, err
	}
	return exitGate, fmt.Errorf("%d of %d gates failed", failed, len(o.gates))
}
