package report

import "wsfanout/compare/result"

// machineWhileStuck are the doubts about the machine once more, for the phase in which some do not read. That rounds fall behind
// there is the experiment, not a doubt.
func machineWhileStuck(f *result.File) []note {
	var notes []note
	for _, d := range []struct {
		title string
		of    func(*result.Cell, *result.Phase) float64
		limit float64
		show  func(float64) string
	}{
		{"while some were stuck, the fleet was the limit, its readers were busy for more than 80 % of the time",
			func(_ *result.Cell, p *result.Phase) float64 { return p.Fleet.BusyShare }, busyLimit, percent},
		{"while some were stuck, the hypervisor took CPU time away (steal), more than 1 % of the phase",
			func(_ *result.Cell, p *result.Phase) float64 { return stealShare(p, f.Host.CPUs) }, stealLimit, percent},
		{"while some were stuck, the wall clock was set, arrivals around it are off",
			func(_ *result.Cell, p *result.Phase) float64 { return float64(p.Fleet.ClockSteps) }, 0, steps},
		{"while some were stuck, messages whose arrival is known less exactly",
			func(c *result.Cell, p *result.Phase) float64 { return inexactShare(p, c.Clients) }, stampLimit, percent},
	} {
		notes = append(notes, doubtStuck(f, d.title, func(c *result.Cell) string {
			most := 0.0
			for _, p := range stuckPhases(c) {
				most = max(most, d.of(c, p))
			}
			if most <= d.limit {
				return ""
			}
			return d.show(most)
		})...)
	}
	return notes
}

func steps(n float64) string { return plural(int(n), "step") }
