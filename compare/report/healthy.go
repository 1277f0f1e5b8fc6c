package report

import (
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
	figures := healthyFigures
	if p.opt.Wide {
		figures = append(figures[:len(figures):len(figures)], wideFigures...)
	}
	g := &grid{columns: []column{{head: "HEALTHY"}, {}}}
	measured := p.labelRows(g)
	for _, f := range figures {
		g.columns = append(g.columns, f.column)
		for i, text := range f.show(measured.cells) {
			if text == "" {
				text = "-"
			}
			r := &g.rows[measured.rows[i]]
			r.cells = append(r.cells, text)
		}
	}
	if marks := p.marks(); len(marks) > 0 {
		g.columns = append(g.columns, column{head: "notes"})
		for _, row := range measured.rows {
			g.rows[row].cells = append(g.rows[row].cells, marks[row])
		}
	}
	legend := ""
	if !p.opt.Wide {
		legend = shorten(g, p.opt.Width)
	}
	return g.text(p.opt) + legend
}

// selection is the measured cells of a table and the rows in which they stand.
type selection struct {
	cells []*result.Cell
	rows  []int
}

// labelRows gives every cell a row. Rows without figures are complete afterwards.
func (p *page) labelRows(g *grid) selection {
	var s selection
	for i := range p.Cells {
		c := &p.Cells[i]
		row := gridRow{cells: []string{c.Engine, c.Strategy}}
		if c.ControlOf != "" {
			row.cells[1] += " (A/A)"
		}
		switch errors := failures(c); {
		case isMeasured(c):
			s.cells, s.rows = append(s.cells, c), append(s.rows, i)
		case len(errors) > 0:
			row.free, row.color = "failed: "+errors[len(errors)-1], red
		default:
			row.free = "not measured yet"
		}
		g.rows = append(g.rows, row)
	}
	return s
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

// marks are the numbers of the notes that a row should send its reader to, by row.
func (p *page) marks() map[int]string {
	marks := map[int]string{}
	for n, note := range p.notes {
		for _, row := range note.rows {
			marks[row] = strings.TrimPrefix(marks[row]+","+strconv.Itoa(n+1), ",")
		}
	}
	return marks
}
