package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wsfanout/compare/result"
)

// holding is a file with one recommendation that held, changed by spoil.
func holding(spoil func(*result.TuneTrial)) *result.File {
	f := tunedFile()
	f.Tune = []result.Tune{setupOf(result.TuneAdvice, "gorilla:keepalive=900ms:ping=300ms:refresh=pong", 900*msNs, 300*msNs, 0)}
	spoil(&f.Tune[0].Trials[1])
	return f
}

// Each way in which a measurement refutes a recommendation is said on its own line, and takes the code away.
func TestTuneRefutesARecommendation(t *testing.T) {
	for want, spoil := range map[string]func(*result.TuneTrial){
		"": func(*result.TuneTrial) {},
		"NOT HELD, 5 of 20 healthy clients closed":            func(trial *result.TuneTrial) { trial.Groups[2].Closed = 5 },
		"NOT HELD, 2 of 14 clients closed before they died":   func(trial *result.TuneTrial) { g := &trial.Groups[0]; g.Closed, g.Before = 3, 2 },
		"NOT HELD, 1 of 14 dead peers not noticed":            func(trial *result.TuneTrial) { trial.Groups[1].Closed = 1 },
		"NOT HELD, dead peers noticed up to 1.10 s after dea": func(trial *result.TuneTrial) { trial.Groups[0].AfterNs.Max = 1100 * msNs },
	} {
		f := holding(spoil)
		text := strings.Join(strings.Fields(rendered(t, "text", f)), " ")
		if got := NotHeld(f); (want == "") != (got == nil) || want != "" && !slices.Equal(got, []string{"gorilla"}) {
			t.Errorf("%q: not held are %v", want, got)
		}
		if !strings.Contains(text, "ping period 9 s"+map[bool]string{true: ": "}[want != ""]+want) || strings.Contains(text, "pingPeriod = ") != (want == "") {
			t.Errorf("no %q, or code without it:\n%s", want, text)
		}
	}
}

// Nobody noticed is a miss, said in words.
func TestTuneNoticesNobody(t *testing.T) {
	f := holding(func(trial *result.TuneTrial) {})
	for i := range f.Tune[0].Trials {
		g := &f.Tune[0].Trials[i].Groups[0]
		g.Closed, g.Reasons, g.AfterNs = 0, nil, nil
	}
	text := strings.Join(strings.Fields(rendered(t, "text", f)), " ")
	if want := "0 of 10 dead peers noticed in the 5 s of the watch, predicted 600 to 900 ms, target 1 s: MISSED"; !strings.Contains(text, want) {
		t.Errorf("no %q in:\n%s", want, text)
	}
}

func TestTuneNothingMeasuredRefutesNothing(t *testing.T) {
	f := tunedFile()
	for i := range f.Tune {
		f.Tune[i].Trials = nil
	}
	if got := NotHeld(f); got != nil {
		t.Errorf("not held are %v", got)
	}
	if got := NotHeld(tunedFile()); !slices.Equal(got, []string{"nbio:executor=inline"}) {
		t.Errorf("not held are %v", got)
	}
}

// False kills are of the covered and of those that were to die. They are the same in every part.
func TestTuneFalseKillsMeanTheSame(t *testing.T) {
	for _, part := range []string{result.TuneAdvice, result.TuneGrid, result.TuneReference, result.TuneLayers} {
		f := holding(func(trial *result.TuneTrial) { trial.Groups[0].Closed, trial.Groups[0].Before = 3, 2 })
		f.Tune[0].Part = part
		f.Tune[0].Trials[0].Groups[2].Closed = 1
		text := rendered(t, "text", f)
		for _, want := range []string{"8 of 10", "1 of 20 +2", "2 of 14 dead peers were closed before they died"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in:\n%s", part, want, text)
			}
		}
		if bench := rendered(t, "gobench", f); !strings.Contains(bench, " 2 false-kills") || !strings.Contains(bench, " 0 unnoticed") {
			t.Errorf("%s: %s", part, bench)
		}
	}
}

func TestTuneMarksWhatWasNotPredicted(t *testing.T) {
	for name, after := range map[string]struct {
		spread  result.Spread
		outside bool
	}{
		"as predicted":       {result.Spread{Min: 601 * msNs, Max: 899 * msNs}, false},
		"a timer's lateness": {result.Spread{Min: 581 * msNs, Max: 940 * msNs}, false},
		"too early":          {result.Spread{Min: 560 * msNs, Max: 899 * msNs}, true},
		"too late":           {result.Spread{Min: 601 * msNs, Max: 950 * msNs}, true},
	} {
		s := setupOf(result.TuneGrid, "nbio", 900*msNs, 300*msNs, 0)
		for i := range s.Trials {
			s.Trials[i].Groups[0].AfterNs = &after.spread
		}
		if got := outsideText(&s); (got != "") != after.outside {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Several specs of an engine are told apart everywhere, and equal code is there once.
func TestTuneNamesSpecs(t *testing.T) {
	f := tunedFile()
	f.Tune = nil
	for _, spec := range []string{"nbio", "nbio:executor=inline", "gobwas"} {
		f.Tune = append(f.Tune, setupOf(result.TuneAdvice, spec+":keepalive=900ms:ping=300ms", 900*msNs, 300*msNs, 0))
		reference := setupOf(result.TuneReference, spec+":tcpkeepalive=1s/1s/3", 0, 0, 0)
		reference.Name = "TCP keepalive, tuned"
		f.Tune = append(f.Tune, reference)
	}
	text := strings.Join(strings.Fields(rendered(t, "text", f)), " ")
	for want, times := range map[string]int{
		"nbio:executor=inline: KeepaliveTime 27 s": 1, "u.KeepaliveTime = ": 1, "read deadline 27 s, ping interval 9 s": 1,
		"gobwas has no server of its own": 1, " nbio TCP keepalive, tuned 10 of 10": 1, " nbio:executor=inline TCP keepalive, tuned 10 of 10": 1,
	} {
		if n := strings.Count(text, want); n != times {
			t.Errorf("%d times %q, want %d:\n%s", n, want, times, text)
		}
	}
}

// One behaviour may be covered by one set-up and not by another: the cells say so.
func TestTuneKindsOfARowMayDiffer(t *testing.T) {
	f := tunedFile()
	for i := range f.Tune[1].Trials {
		f.Tune[1].Trials[i].Groups[3].Kind = result.GroupUncovered
	}
	row := ""
	for line := range strings.Lines(rendered(t, "text", f)) {
		if strings.HasPrefix(line, "pongs delayed") && row == "" {
			row = strings.Join(strings.Fields(line), " ")
		}
	}
	if want := "pongs delayed mixed 0/10 covered 0/10 uncovered 1/10 covered at 902 ms 0/10 covered"; !strings.HasPrefix(row, want) {
		t.Errorf("%q, want %q", row, want)
	}
}

// What goes on beside the watch is said, and nothing is at rest.
func TestTuneUnderLoadIsSaid(t *testing.T) {
	f := tunedFile()
	f.Plan.UnderLoad, f.Plan.SizeBytes, f.Plan.IntervalNs = true, 1024, 100*msNs
	page := htmlOf(t, f)
	for _, want := range []string{"a round of 1 KiB every 100 ms", "the load among it"} {
		if !strings.Contains(page, strings.ReplaceAll(want, " ms", "\u202fms")) && !strings.Contains(page, want) && !strings.Contains(page, pretty(want)) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page, "at rest") {
		t.Error("a page under load speaks of rest")
	}
}

// Each table marks the rows of a set-up whose machine was late, once for all trials with the worst.
func TestTuneWarningsMarkTheirRows(t *testing.T) {
	f := tunedFile()
	for i := range f.Tune {
		for j := range f.Tune[i].Trials {
			f.Tune[i].Trials[j].Warnings = []string{fmt.Sprintf("this machine was late by up to %dms, more than a tenth", 200-100*j)}
		}
	}
	e := tune(f)
	late := slices.Index(e.notes, "warning: this machine was late by up to 200ms, more than a tenth")
	if late < 0 || slices.ContainsFunc(e.notes, func(text string) bool { return strings.Contains(text, "100ms") }) {
		t.Errorf("notes %q", e.notes)
	}
	for _, table := range e.tables {
		if !slices.ContainsFunc(table.rows, func(r expRow) bool { return slices.Contains(r.notes, late) }) {
			t.Errorf("%s: no row is marked", table.title)
		}
	}
}
