package report

import "wsfanout/compare/result"

// benchRuns have one for each engine, load and trial; connecting counts as a load.
func (e *echoed) benchRuns() []benchRun {
	var runs []benchRun
	for i := range e.Echo {
		s := &e.Echo[i]
		for j := range s.Trials {
			t := &s.Trials[j]
			if t.Error != "" {
				runs = append(runs, benchRun{of: "Echo", labels: []keyed{{"engine", s.Engine}}, trial: t.Trial, failed: t.Error})
				continue
			}
			for _, l := range []struct {
				name   string
				values []benchValue
			}{{"connect", connectValues(t)}, {"rate", phaseValues(t.Rate)}, {"closed", phaseValues(t.Closed)}} {
				runs = append(runs, benchRun{of: "Echo", labels: []keyed{{"engine", s.Engine}, {"load", l.name}}, trial: t.Trial, values: l.values})
			}
		}
	}
	return runs
}

func connectValues(t *result.EchoTrial) []benchValue {
	var values []benchValue
	if v, ok := ofConnect(t); ok {
		values = append(values, benchValue{v, "connections/s", "higher"})
	}
	for _, q := range quantiles {
		if v, ok := q.ofDial(t); ok {
			values = append(values, benchValue{v, "dial-" + q.unit(), "lower"})
		}
	}
	return values
}

// phaseValues are none of a load that was not measured.
func phaseValues(p *result.EchoPhase) []benchValue {
	if p == nil {
		return nil
	}
	values := []benchValue{{p.PerSecond, "echoes/s", "higher"}}
	put := func(number phaseNumber, unit string) {
		if v, ok := number(p); ok {
			values = append(values, benchValue{v, unit, "lower"})
		}
	}
	for _, q := range quantiles {
		if bound, _ := q.bound(p); bound == 0 { // a lower bound is no figure to compare
			put(q.ofLoad, q.unit())
		}
	}
	put(serverNs, "cpu-ns/echo")
	put(userNs, "user-ns/echo")
	put(fleetNs, "fleet-ns/echo")
	put(phaseLost, "lost")
	put(phaseRSS, "rss-B")
	return values
}
