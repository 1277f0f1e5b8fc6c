package result

import "slices"

// Good are the trials that measured every number of connections.
func (h *Hold) Good() []*HoldTrial {
	good, _ := goodOf(h.Trials, func(t *HoldTrial) string { return t.Error })
	return good
}

// Failures are the errors of the other trials, in their order.
func (h *Hold) Failures() []string {
	_, failures := goodOf(h.Trials, func(t *HoldTrial) string { return t.Error })
	return failures
}

// Counts are the numbers of connections that any trial measured, ascending.
func (h *Hold) Counts() []int {
	var all []int
	for _, t := range h.Trials {
		for _, p := range t.Points {
			all = append(all, p.Connections)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// At are a number's values with so many connections, one for each trial that has it. A point counts that was measured before its
// trial failed.
func (h *Hold) At(connections int, number func(*HoldPoint) (float64, bool)) []float64 {
	var points []*HoldPoint
	for i := range h.Trials {
		if p := h.Trials[i].at(connections); p != nil {
			points = append(points, p)
		}
	}
	return valuesOf(points, number)
}

func (t *HoldTrial) at(connections int) *HoldPoint {
	for i := range t.Points {
		if t.Points[i].Connections == connections {
			return &t.Points[i]
		}
	}
	return nil
}

// Line is how a number grows with the connections, a line for each trial that measured it at every count; ok is false if none did.
func (h *Hold) Line(number func(*HoldPoint) (float64, bool)) (l Line, ok bool) {
	var xs, medians []float64
	for _, n := range h.Counts() {
		if s, ok := Over(h.At(n, number)); ok {
			xs, medians = append(xs, float64(n)), append(medians, s.Median)
		}
	}
	if len(xs) < 2 {
		return Line{}, false
	}
	for _, t := range h.Good() {
		var ys []float64
		for _, x := range xs {
			p := t.at(int(x))
			if p == nil {
				break
			}
			if y, ok := number(p); ok {
				ys = append(ys, y)
			}
		}
		l.add(xs, ys)
	}
	l.explain(xs, medians)
	return l, len(l.trials) > 0
}

// Sweep is the broadcast with that strategy, nil if it was not measured.
func (p *HoldPoint) Sweep(strategy string) *Sweep {
	for i := range p.Sweeps {
		if p.Sweeps[i].Strategy == strategy {
			return &p.Sweeps[i]
		}
	}
	return nil
}
