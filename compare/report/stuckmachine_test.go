package report

import (
	"strings"
	"testing"

	"wsfanout/compare/result"
)

// A clock that is set on purpose, and the other things that a machine does to a measurement, are said in both phases.
func TestTheMachineIsDoubtedInBothPhases(t *testing.T) {
	for _, row := range []struct {
		spoil          func(*result.Phase)
		healthy, stuck string
	}{
		{func(p *result.Phase) { p.Fleet.ClockSteps = 1 }, "the wall clock was set during the phase, arrivals around it are off: nbio seq (1 step)",
			"while some were stuck, the wall clock was set, arrivals around it are off: nbio seq (1 step)"},
		{func(p *result.Phase) { p.Fleet.BusyShare = 0.9 }, "busy for more than 80 % of the time: nbio seq (90 %)",
			"while some were stuck, the fleet was the limit, its readers were busy for more than 80 % of the time: nbio seq (90 %)"},
		{func(p *result.Phase) { p.StealNs = 1e9 }, "the hypervisor took CPU time away (steal), more than 1 % of the phase: nbio seq",
			"while some were stuck, the hypervisor took CPU time away (steal), more than 1 % of the phase: nbio seq"},
		{func(p *result.Phase) { p.Fleet.SharedStamps = 800 }, "or did not stamp them: nbio seq", "arrival is known less exactly: nbio seq"},
		{func(p *result.Phase) { p.AchievedRate = 0.9 }, "the rate reached of the planned one: nbio seq (90 %)", ""},
	} {
		healthy, stuck := load(t, "complete.json"), load(t, "complete.json")
		row.spoil(healthy.Find("nbio/seq").Trials[1].Healthy)
		row.spoil(stuck.Find("nbio/seq").Trials[1].Stuck)
		if all := noteTexts(healthy); !strings.Contains(all, row.healthy) {
			t.Errorf("no %q in\n%s", row.healthy, all)
		}
		if all := noteTexts(stuck); !strings.Contains(all, row.stuck) || strings.Contains(all, row.healthy) && row.stuck == "" {
			t.Errorf("no %q in\n%s", row.stuck, all)
		}
	}
}

func noteTexts(f *result.File) string {
	var texts []string
	for _, n := range collectNotes(f) {
		texts = append(texts, n.text)
	}
	return strings.Join(texts, "\n")
}
