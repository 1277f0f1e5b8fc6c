package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"wsfanout/compare/result"
)

// benchRun is one set-up measured once: its name in keys and words, and its numbers. failed is why it has none.
type benchRun struct {
	of     string // the experiment, with a capital: "Tune"
	labels []keyed
	trial  int
	failed string
	values []benchValue
}

type benchValue struct {
	value  float64
	unit   string
	better string // lower, higher
}

// benchExperimentUnits says which way each unit of the experiments is better, once.
func benchExperimentUnits(w io.Writer, f *result.File) {
	said := map[string]bool{}
	for _, e := range experimentsOf(f) {
		for _, r := range e.bench {
			for _, v := range r.values {
				if !said[v.unit] {
					said[v.unit] = true
					fmt.Fprintf(w, "Unit %s better=%s\n", v.unit, v.better)
				}
			}
		}
	}
}

// benchExperiments writes a line for each set-up and trial, those that failed as comments.
func benchExperiments(w io.Writer, f *result.File) {
	for _, e := range experimentsOf(f) {
		for _, r := range e.bench {
			fmt.Fprintln(w, r.line(f.Plan.GOMAXPROCS))
		}
	}
}

func (r *benchRun) line(procs int) string {
	name := "Benchmark" + r.of
	for _, l := range r.labels {
		name += "/" + l.Key + "=" + benchName(l.Text)
	}
	switch {
	case r.failed != "":
		return fmt.Sprintf("# %s trial %d failed: %s", strings.TrimPrefix(name, "Benchmark"), r.trial, oneLine(r.failed))
	case len(r.values) == 0:
		return fmt.Sprintf("# %s trial %d measured nothing", strings.TrimPrefix(name, "Benchmark"), r.trial)
	}
	if procs > 0 {
		name += fmt.Sprintf("-%d", procs)
	}
	line := name + " 1"
	for _, v := range r.values {
		line += fmt.Sprintf(" %.10g %s", v.value, v.unit)
	}
	return line
}

// benchName is text as a part of a name: a space would end the name, a slash the part.
func benchName(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '/':
			return '|'
		case unicode.IsSpace(r):
			return '-'
		}
		return r
	}, strings.TrimSpace(text))
}
