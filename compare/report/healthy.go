package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"wsfanout/compare/result"
)

// healthy is the upper table: nobody is stuck. One row a cell, the failed ones with their reason.
func healthy(p *page) string {
	if len(p.Cells) == 0 {
		return ""
	}
	return p.fitted(p.healthyGrid())
}

func (p *page) healthyGrid() *grid {
	figures := p.withAsked(p.healthyFigures())
	g := &grid{columns: []column{{head: "HEALTHY"}, {}}}
	p.fill(g, p.healthyRows(g), figures, p.marks(upper))
	return g
}

// selection is the measured cells of a table and the rows in which they stand.
type selection struct {
	cells []*result.Cell
	rows  []int
}

// fill adds the columns: the figures of the measured cells, and the numbers of the notes on them.
func (p *page) fill(g *grid, measured selection, figures []figure, marks map[int]string) {
	for _, f := range figures {
		g.columns = append(g.columns, f.column)
		for i, text := range f.show(measured.cells) {
			r := &g.rows[measured.rows[i]]
			r.cells = append(r.cells, cmp.Or(text, "-"))
		}
	}
	if len(marks) == 0 {
		return
	}
	g.columns = append(g.columns, column{head: "notes"})
	for _, row := range measured.rows {
		g.rows[row].cells = append(g.rows[row].cells, marks[row])
	}
}

// fitted is the table in the width of the terminal, with the legend that this may take. The wide one may exceed it.
func (p *page) fitted(g *grid) string {
	legend := ""
	if !p.opt.Wide {
		legend = shorten(g, p.opt.Width)
	}
	return g.text(p.opt) + legend
}

// rows gives every cell a row. decide says whether it has figures; a row without is complete afterwards.
func (p *page) rows(g *grid, decide func(*result.Cell, *gridRow) bool) selection {
	var s selection
	for i := range p.Cells {
		c := &p.Cells[i]
		row := gridRow{cells: []string{c.Engine, c.Strategy}}
		if c.ControlOf != "" {
			row.cells[1] += " (A/A)"
		}
		if decide(c, &row) {
			s.cells, s.rows = append(s.cells, c), append(s.rows, i)
		}
		g.rows = append(g.rows, row)
	}
	return s
}

func (p *page) healthyRows(g *grid) selection {
	return p.rows(g, func(c *result.Cell, row *gridRow) (figures bool) {
		switch errors := failures(c); {
		case isMeasured(c):
			return true
		case len(errors) > 0:
			row.free, row.color = "failed: "+errors[len(errors)-1], red
		default:
			row.free = "not measured yet"
		}
		return false
	})
}

// isMeasured says whether a trial of the cell is a measurement.
func isMeasured(c *result.Cell) bool {
	_, ok := c.Over(func(t *result.Trial) (float64, bool) { return 0, t.Healthy != nil })
	return ok
}

// failures are the reasons of the trials that are none.
func failures(c *result.Cell) []string {
	var reasons []string
	for _, t := range c.Trials {
		if t.Error != "" {
			reasons = append(reasons, oneLine(t.Error))
		}
	}
	return reasons
}

// shorten makes the table fit into width: first with narrower gaps, then with the longest specs replaced by name and number, which
// the legend explains.
func shorten(g *grid, width int) (legend string) {
	g.narrow = g.width() > width
	for n := 1; g.width() > width; n++ {
		longest := ""
		for _, r := range g.rows {
			for _, spec := range r.cells[:labelColumns] {
				if strings.Contains(spec, ":") && len(spec) > len(longest) {
					longest = spec
				}
			}
		}
		if longest == "" {
			break
		}
		name, _, _ := strings.Cut(longest, ":")
		name = fmt.Sprintf("%s*%d", name, n)
		for _, r := range g.rows {
			for i, spec := range r.cells[:labelColumns] {
				if spec == longest {
					r.cells[i] = name
				}
			}
		}
		legend += wrap(name+" is ", longest, width)
	}
	return legend
}

// marks are the numbers of the notes that a row of one table should send its reader to, by row.
func (p *page) marks(t table) map[int]string {
	marks := map[int]string{}
	for n, note := range p.notes {
		if note.table != t {
			continue
		}
		for _, row := range note.rows {
			marks[row] = strings.TrimPrefix(marks[row]+","+strconv.Itoa(n+1), ",")
		}
	}
	return marks
}
