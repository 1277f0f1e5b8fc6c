package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// stuck is the lower table: the same members while some do not read. One row a cell.
func stuck(p *page) string {
	if !anyStuck(p.File) {
		return ""
	}
	figures := stuckFigures
	if p.opt.Wide {
		figures = append(figures[:len(figures):len(figures)], wideStuckFigures...)
	}
	g := &grid{columns: []column{{}, {}}}
	p.fill(g, p.stuckRows(g), figures, p.marks(lower))
	return p.opt.paint(bold, cut(p.stuckTitle(), p.opt.Width)) + "\n" + p.fitted(g)
}

// anyStuck says whether the run got as far as a stuck phase anywhere.
func anyStuck(f *result.File) bool {
	return slices.ContainsFunc(f.Cells, func(c result.Cell) bool {
		return slices.ContainsFunc(c.Trials, func(t result.Trial) bool { return t.Stuck != nil })
	})
}

// stuckRows gives every cell a row. A cell whose clients never jammed has no figures: its calm proves nothing.
func (p *page) stuckRows(g *grid) selection {
	return p.rows(g, func(c *result.Cell, row *gridRow) (figures bool) {
		errors := failures(c)
		switch calm := neverJammed(c); {
		case len(proven(c)) > 0:
			return true
		case len(calm) > 0:
			row.free, row.color = "never jammed: "+withoutVerdict(calm[len(calm)-1].Stuck.Jam.Arithmetic), red
		case len(errors) > 0:
			row.free, row.color = "failed: "+errors[len(errors)-1], red
		case len(c.Trials) == 0:
			row.free = "not measured yet"
		default:
			row.free = "-"
		}
		return false
	})
}

// withoutVerdict leaves the numbers: that the client never jammed is said already.
func withoutVerdict(arithmetic string) string {
	return strings.Replace(oneLine(arithmetic), " never jammed:", ":", 1)
}

// stuckTitle says who stopped reading, where in the list, and what a write may take.
func (p *page) stuckTitle() string {
	who := "ONE CLIENT STOPS READING"
	if p.Plan.Stuck != 1 {
		who = count(float64(p.Plan.Stuck)) + " CLIENTS STOP READING"
	}
	return fmt.Sprintf("%s (%s; %s)", who, p.place(), p.patience())
}

func (p *page) place() string {
	places := map[string]string{
		"first":  "first in the list, the worst place",
		"middle": "in the middle of the list",
		"last":   "last in the list, the best place",
		"random": "at random in the list",
	}
	if p.Plan.Order == "map" {
		return "in map order, at another place every round"
	}
	return places[p.Plan.StuckAt]
}

// patience is the plan's write timeout, or those of the cells where they differ.
func (p *page) patience() string {
	limits := map[string]bool{}
	for i := range p.Cells {
		limits[timeoutText(&p.Cells[i])] = true
	}
	if len(limits) > 1 {
		return "a write may take " + strings.Join(slices.Sorted(maps.Keys(limits)), " or ")
	}
	for only := range limits {
		return "every write may take " + only
	}
	return ""
}

func timeoutText(c *result.Cell) string {
	if d := writeTimeout(c); d > 0 {
		return exact(float64(d))
	}
	return "for ever"
}
