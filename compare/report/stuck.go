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
	return p.opt.paint(bold, cut(p.stuckTitle(), p.opt.Width)) + "\n" + p.fitted(p.stuckGrid())
}

func (p *page) stuckGrid() *grid {
	figures := stuckFigures
	if p.opt.Wide {
		figures = append(figures[:len(figures):len(figures)], wideStuckFigures...)
	}
	g := &grid{columns: []column{{}, {}}}
	p.fill(g, p.stuckRows(g), figures, p.marks(lower))
	return g
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
			row.free, row.color = "never jammed: "+oneLine(calm[len(calm)-1].Stuck.Jam.Arithmetic), red
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

// stuckTitle says who misbehaves how, where in the list, and what a write may take.
func (p *page) stuckTitle() string {
	return fmt.Sprintf("%s (%s; %s)", strings.Join(p.misbehaviour(), ", "), p.place(), p.patience())
}

// misbehaviour counts the extra clients of the first phase by what they do.
func (p *page) misbehaviour() []string {
	counts := map[string]int{}
	for i := range p.Cells {
		if phases := stuckPhases(&p.Cells[i]); len(phases) > 0 {
			for _, o := range phases[0].Others {
				counts[o.Kind]++
			}
			break
		}
	}
	if len(counts) == 0 {
		counts["stuck"] = p.Plan.Stuck
	}
	var parts []string
	for _, m := range []struct{ kind, one, many string }{
		{"stuck", "ONE CLIENT STOPS READING", "CLIENTS STOP READING"},
		{"resumed", "ONE CLIENT STOPS READING FOR A WHILE", "CLIENTS STOP READING FOR A WHILE"},
		{"slow", "ONE CLIENT READS SLOWLY", "CLIENTS READ SLOWLY"},
		{"vanished", "ONE CLIENT VANISHES", "CLIENTS VANISH"},
	} {
		switch n := counts[m.kind]; {
		case n == 1:
			parts = append(parts, m.one)
		case n > 1:
			parts = append(parts, count(float64(n))+" "+m.many)
		}
	}
	return parts
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
