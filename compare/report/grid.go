package report

import (
	"strings"
	"unicode/utf8"
)

// grid is a table without rules. A row may end early in free text, which runs over the columns that it has no figures for.
type grid struct {
	columns []column
	label   string // what a row is, where the columns of the label have one head
	rows    []gridRow
	narrow  bool // smaller gaps, where the table would not fit otherwise
}

type column struct {
	head  string
	right bool // numbers of one unit
}

type gridRow struct {
	cells []string
	free  string // instead of the columns behind cells
	color string
}

const (
	labelColumns = 2 // engine and strategy
	narrowGap    = 2 // between those two, and everywhere in a narrow table
	columnGap    = 3
)

// widths are those of the columns, heads and figures together.
func (g *grid) widths() []int {
	widths := make([]int, len(g.columns))
	for i, c := range g.columns {
		widths[i] = utf8.RuneCountInString(c.head)
	}
	for _, r := range g.rows {
		for i, cell := range r.cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// width is that of the widest line, free text aside.
func (g *grid) width() int {
	total := 0
	for i, w := range g.widths() {
		total += g.gapBefore(i) + w
	}
	return total
}

// text is the table, no line ending in a space. Free text is cut at the width of the terminal.
func (g *grid) text(opt Options) string {
	widths := g.widths()
	var heads []string
	for _, c := range g.columns {
		heads = append(heads, c.head)
	}
	var out strings.Builder
	for _, r := range append([]gridRow{{cells: heads, color: bold}}, g.rows...) {
		line := strings.TrimRight(g.line(r, widths, opt.Width), " ")
		out.WriteString(opt.paint(r.color, line) + "\n")
	}
	return out.String()
}

func (g *grid) line(r gridRow, widths []int, limit int) string {
	line := ""
	for i, cell := range r.cells {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		line += strings.Repeat(" ", g.gapBefore(i))
		if g.columns[i].right {
			line += pad + cell
		} else {
			line += cell + pad
		}
	}
	if r.free == "" {
		return line
	}
	return cut(line+strings.Repeat(" ", g.gapBefore(len(r.cells)))+r.free, limit)
}

func (g *grid) gapBefore(column int) int {
	switch {
	case column == 0:
		return 0
	case column < labelColumns || g.narrow:
		return narrowGap
	}
	return columnGap
}

// cut shortens a line to limit columns and shows that it did.
func cut(line string, limit int) string {
	if utf8.RuneCountInString(line) <= limit {
		return line
	}
	return string([]rune(line)[:limit-3]) + "..."
}

// align pads the first halves so that the second ones stand under each other: figures and their intervals.
func align(halves [][2]string) []string {
	first := 0
	for _, h := range halves {
		first = max(first, utf8.RuneCountInString(h[0]))
	}
	var out []string
	for _, h := range halves {
		if h[0] == "" {
			out = append(out, "")
			continue
		}
		pad := strings.Repeat(" ", first-utf8.RuneCountInString(h[0]))
		out = append(out, strings.TrimRight(pad+h[0]+" "+h[1], " "))
	}
	return out
}
