package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
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

// labelOf names a set-up in two words: the engine, and what is special about it.
func labelOf(s *result.Tune) [2]string {
	engine := withoutOptions(s.Engine, "keepalive", "ping")
	base, _, _ := strings.Cut(s.Engine, ":")
	switch s.Part {
	case result.TuneGrid, result.TuneAdvice:
		return [2]string{engine, periods(s)}
	case result.TuneWrite:
		return [2]string{base, strings.TrimSpace(s.Policy + " " + timeLimit(s.WriteTimeoutNs))}
	}
	if s.Name != "" {
		return [2]string{base, s.Name}
	}
	return [2]string{engine, periods(s)}
}

func timeLimit(ns int64) string {
	if ns == 0 {
		return ""
	}
	return exact(float64(ns))
}

// periods are keepalive and ping, "1 s/333 ms".
func periods(s *result.Tune) string { return keepaliveOf(s) + "/" + pingOf(s) }

func keepaliveOf(s *result.Tune) string { return cmp.Or(timeLimit(s.KeepaliveNs), "none") }

func pingOf(s *result.Tune) string { return cmp.Or(timeLimit(s.PingNs), "none") }

// withoutOptions is a spec without those options, which are told otherwise.
func withoutOptions(spec string, names ...string) string {
	parts := strings.Split(spec, ":")
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		name, _, _ := strings.Cut(part, "=")
		return slices.Contains(names, name)
	}), ":")
}

// collectNotes are what casts doubt on a set-up: that it had to fail, that trials failed, what they warned of.
func (t *tuned) collectNotes() {
	for i := range t.Tune {
		t.notesOn(&t.Tune[i])
	}
}

// notesOn are the indexes of the notes on a set-up.
func (t *tuned) notesOn(s *result.Tune) []int {
	var notes []int
	if s.Doubt != "" {
		notes = append(notes, t.note("said before it ran: "+s.Doubt))
	}
	if failed := s.Failures(); len(failed) > 0 && len(s.Good()) > 0 {
		notes = append(notes, t.note(fmt.Sprintf("%d of %d trials failed: %s", len(failed), len(s.Trials), failed[len(failed)-1])))
	}
	for _, trial := range s.Trials {
		for _, text := range trial.Warnings {
			if at := t.note("warning: " + text); !slices.Contains(notes, at) {
				notes = append(notes, at)
			}
		}
	}
	return notes
}

// row begins that of a set-up. One that was not measured is complete with its reason.
func (t *tuned) row(s *result.Tune) (row expRow, measured bool) {
	label := labelOf(s)
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
