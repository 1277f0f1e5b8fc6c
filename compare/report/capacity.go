package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// reachTimes is how far beyond the largest measured number of clients a line is followed.
const reachTimes = 10

// inTime is the share of the deliveries within the SLO, and the clients that had all of theirs within it.
func inTime(c *result.Cell) string {
	share, ok := c.Over(ofSLO(func(s *result.SLO) float64 { return s.Share }))
	if !ok {
		return ""
	}
	clients, _ := c.Over(ofSLO(func(s *result.SLO) float64 { return float64(s.Clients) }))
	text := fmt.Sprintf("%.1f %%", 100*share.Median)
	if share.Median < 1 && share.Median >= 0.9995 {
		text = ">99.9 %" // a late delivery is not rounded away
	}
	return fmt.Sprintf("%s (%s)", text, count(clients.Median))
}

func ofSLO(number func(*result.SLO) float64) result.Measure {
	return func(t *result.Trial) (float64, bool) {
		if t.Healthy == nil || t.Healthy.SLO == nil {
			return 0, false
		}
		return number(t.Healthy.SLO), true
	}
}

// capacity says how many clients fit, and what another number of them would cost: both from lines, never from quotients.
func capacity(p *page) string {
	text := capacityText(p.File)
	if text == "" {
		return ""
	}
	table := ""
	if g := p.capacityGrid(); g != nil {
		table = p.fitted(g)
	}
	return table + p.keyed("capacity", text)
}

// capacityGrid is nil where there is no line.
func (p *page) capacityGrid() *grid {
	slo, n := float64(p.Plan.SLONs), p.Plan.ProjectClients
	series := p.Along(result.ByClients)
	if len(series) == 0 || slo == 0 && n == 0 {
		return nil
	}
	g := &grid{columns: []column{{head: "CAPACITY"}, {}}}
	if slo > 0 {
		g.columns = append(g.columns, column{head: "clients in " + exact(slo)})
	}
	if n > 0 {
		for _, f := range grownFigures {
			g.columns = append(g.columns, column{head: f.head + " at " + count(float64(n))})
		}
	}
	for _, cells := range series {
		row := gridRow{cells: []string{cells[0].Engine, lineName(cells, result.ByClients, p.Plan.SizeList != nil)}}
		if slo > 0 {
			row.cells = append(row.cells, fits(cells, slo))
		}
		for _, f := range grownFigures {
			if n == 0 {
				break
			}
			text := "-"
			if l, ok := result.Fit(cells, result.ByClients, f.measure); ok {
				text = estimate(l.At(float64(n)), f.show)
			}
			row.cells = append(row.cells, text)
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// fits is the number of clients of which the last has the message in the median round after so long.
func fits(cells []*result.Cell, slo float64) string {
	l, ok := result.Fit(cells, result.ByClients, lastOf)
	if !ok {
		return "-"
	}
	most := reachTimes * float64(cells[len(cells)-1].Clients)
	clients, rises := l.Reaches(slo)
	if !rises || clients.Median > most {
		return "above " + count(most)
	}
	return estimate(clients, count)
}

// capacityText is what the figures assume, or why there are none.
func capacityText(f *result.File) string {
	plan := f.Plan
	switch {
	case plan.SLONs == 0 && plan.ProjectClients == 0:
		return ""
	case plan.ClientsList == nil:
		return fmt.Sprintf("how many clients fit into %s takes a line, and a line two numbers of clients: give a list such as -clients %d,%d",
			exact(float64(plan.SLONs)), max(plan.Clients/5, 1), plan.Clients)
	}
	text := fmt.Sprintf("not measured: the lines through %s, followed further. They assume that a client goes on to cost what it does there, on this "+
		"machine with its fleet, and that limits of memory, descriptors and ports allow it", clientsText(plan))
	if plan.SLONs > 0 {
		text += fmt.Sprintf("; clients in %s: with as many the last one has the message of the median round just then, at most %d times the largest number measured",
			exact(float64(plan.SLONs)), reachTimes)
	}
	if late := projectedLate(f); late != "" {
		text += fmt.Sprintf("; a round would take longer than the interval of %s, so that rounds fall behind, with %s", exact(float64(plan.IntervalNs)), late)
	}
	return text
}

// projectedLate names the cells whose projected round is longer than the interval.
func projectedLate(f *result.File) string {
	if f.Plan.ProjectClients == 0 {
		return ""
	}
	var late []string
	for _, cells := range f.Along(result.ByClients) {
		l, ok := result.Fit(cells, result.ByClients, lastOf)
		if ok && l.At(float64(f.Plan.ProjectClients)).Median > float64(f.Plan.IntervalNs) {
			late = append(late, cells[0].Engine+" "+lineName(cells, result.ByClients, f.Plan.SizeList != nil))
		}
	}
	return strings.Join(late, ", ")
}
