package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// grown is one figure that grows, and how it is written.
type grown struct {
	head    string
	measure result.Measure
	show    func(float64) string
}

var grownFigures = []grown{
	{"last client", lastOf, duration},
	{"CPU/round", ofHealthy(func(p *result.Phase) float64 { return p.Server.CPUNsPerRound }), duration},
	{"memory", memoryInUse, size},
}

// memoryInUse is heap and stacks of the server with all its clients, in bytes.
func memoryInUse(t *result.Trial) (float64, bool) {
	if t.Healthy == nil || t.Healthy.Rounds == 0 || t.Healthy.Server.BytesPerClient == 0 {
		return 0, false
	}
	clients := t.Healthy.Expected / int64(t.Healthy.Rounds)
	return t.Healthy.Server.BytesPerClient * float64(clients), true
}

// growth is how the figures grow along the lists: what each client or KiB adds, and what is there without any.
func growth(p *page) string {
	var parts []string
	for _, a := range p.growthGrids() {
		parts = append(parts, p.fitted(a))
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, "\n") + p.keyed("growth", growthLegend)
}

const growthLegend = "a line through the values of each trial, the median of these lines and [its 95 % interval over the trials]; R2 is of the " +
	"medians, from three values on; what a client or a KiB adds is the slope, never the quotient"

func (p *page) growthGrids() (grids []*grid) {
	for _, a := range []struct {
		axis      result.Axis
		what, per string
		apart     bool // the other list, too
	}{
		{result.ByClients, "GROWTH WITH CLIENTS", "each client adds", p.Plan.SizeList != nil},
		{result.BySize, "GROWTH WITH SIZE", "each KiB adds", p.Plan.ClientsList != nil},
	} {
		g := &grid{columns: []column{{head: a.what}, {}, {head: "figure"}, {head: a.per}, {head: "fixed part"}, {"R2", true}}}
		for _, cells := range p.Along(a.axis) {
			for i, fig := range grownFigures {
				labels := []string{cells[0].Engine, lineName(cells, a.axis, a.apart)}
				if i > 0 {
					labels = []string{"", ""}
				}
				if l, ok := result.Fit(cells, a.axis, fig.measure); ok {
					g.rows = append(g.rows, gridRow{cells: append(labels, fig.head, estimate(l.Slope(), fig.show), estimate(l.Intercept(), fig.show), r2(l))})
				}
			}
		}
		if g.rows != nil {
			grids = append(grids, g)
		}
	}
	return grids
}

// lineName is the strategy of a line, and what is held along it where that differs from line to line.
func lineName(cells []*result.Cell, a result.Axis, apart bool) string {
	c := cells[0]
	switch {
	case !apart:
		return c.Strategy
	case c.SizeBytes == cells[1].SizeBytes:
		return c.Strategy + ", " + size(float64(c.SizeBytes))
	}
	return c.Strategy + ", " + plural(c.Clients, "client")
}

// estimate is a median and the interval of it, if there is one.
func estimate(s result.Summary, show func(float64) string) string {
	if s.Lo == nil {
		return show(s.Median)
	}
	return fmt.Sprintf("%s [%s, %s]", show(s.Median), show(*s.Lo), show(*s.Hi))
}

func r2(l result.Line) string {
	if l.R2 == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", *l.R2)
}
