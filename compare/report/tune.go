package report

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"wsfanout/compare/result"
)

// tune is the experiment about keepalive, pings and write timeouts, nil where the file has none.
func tune(f *result.File) *experiment {
	if len(f.Tune) == 0 {
		return nil
	}
	t := &tuned{File: f, experiment: &experiment{
		name: "tune", entries: f.Tune, planned: len(f.Tune) * f.Plan.Trials,
		method: tuneMethod, limits: tuneLimits,
	}}
	for i := range f.Tune {
		t.done += len(f.Tune[i].Trials)
	}
	t.question, t.asked, t.facts, t.config = t.ask(), t.plan(), t.planFacts(), t.benchPlan()
	t.answer = t.answers()
	t.collectNotes()
	t.add(t.noticed(result.TuneAdvice, "as recommended", true))
	t.behaviours(result.TuneAdvice)
	t.add(t.noticed(result.TuneGrid, "keepalive and ping", true))
	t.behaviours(result.TuneGrid)
	t.add(t.noticed(result.TuneReference, "ways to notice a dead peer", false))
	t.add(t.closedAlive(result.TuneReference))
	t.add(t.noticed(result.TuneLayers, "which deadline is in force, and what moves it", false))
	t.add(t.closedAlive(result.TuneLayers))
	t.add(t.writeTimeouts())
	t.add(t.closedAlive(result.TuneWrite))
	t.pictures = t.charts()
	t.bench = t.benchRuns()
	return t.experiment
}

// tuned is the experiment in the making.
type tuned struct {
	*result.File
	*experiment
}

// part is the set-ups of one part, in the order of the file.
func (t *tuned) part(name string) []*result.Tune {
	var all []*result.Tune
	for i := range t.Tune {
		if t.Tune[i].Part == name {
			all = append(all, &t.Tune[i])
		}
	}
	return all
}

// scale is by how much the times were divided, 1 for a file that does not say.
func (t *tuned) scale() float64 {
	if t.Plan.Scale <= 0 {
		return 1
	}
	return t.Plan.Scale
}

// real is a measured time as it would be without the scale, to the millisecond.
func (t *tuned) real(ns int64) time.Duration {
	return time.Duration(math.Round(float64(ns) * t.scale())).Round(time.Millisecond)
}

func (t *tuned) scaled() string {
	if t.scale() == 1 {
		return "at real times"
	}
	return fmt.Sprintf("at 1/%s of the real times", shortNumber(t.scale()))
}

func shortNumber(v float64) string { return plain(math.Round(v*100) / 100) }

func (t *tuned) target() string { return exact(float64(t.Plan.DetectWithinNs)) }

func (t *tuned) ask() string {
	if t.Plan.DetectWithinNs == 0 {
		return "Which keepalive and ping notice a dead peer soon and kill no healthy one?"
	}
	return fmt.Sprintf("Which keepalive and ping notice a dead peer within %s and kill no healthy one?", t.target())
}

func (t *tuned) plan() string {
	text := plural(len(t.Tune), "set-up")
	if t.Plan.DetectWithinNs > 0 {
		text = fmt.Sprintf("dead peers within %s, measured %s, %s", t.target(), t.scaled(), text)
	}
	if t.Plan.UnderLoad {
		text += " under load"
	}
	return text
}

// row begins that of a set-up. One that was not measured is complete with its reason.
func (t *tuned) row(s *result.Tune) (row expRow, measured bool) {
	label := t.labelOf(s)
	row = expRow{cells: []expCell{words(label[0]), words(cmp.Or(label[1], "-"))}, notes: t.notesOn(s)}
	switch failed := s.Failures(); {
	case len(s.Good()) > 0:
		return row, true
	case len(failed) > 0:
		row.free = "failed: " + oneLine(failed[len(failed)-1])
	default:
		row.free = "not measured yet"
	}
	return row, false
}
