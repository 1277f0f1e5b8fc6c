package report

import (
	"slices"
	"strings"
)

// lineChart is a picture of numbers that grow: a line for each set-up through what was measured, its name at the end.
type lineChart struct {
	id, title, caption string
	x, y               axis
	lines              []chartLine
}

type chartLine struct {
	label, tip string
	series     int
	points     [][2]float64 // ascending
}

// Geometry of the pictures of lines.
const (
	linesHeight = 270.0
	linesLabels = 138.0
	linesApart  = 12.0 // of two names
)

// picture is none without two points to draw a line through.
func (c *lineChart) picture() (all []expPicture) {
	if slices.ContainsFunc(c.lines, func(l chartLine) bool { return len(l.points) > 1 }) {
		all = append(all, expPicture{c.id, c.title, c.caption, c.drawn})
	}
	return all
}

func (c *lineChart) drawn() *plot {
	p := newPlot(rowsWidth, linesHeight, margins{left: 44, right: linesLabels, top: 42, bottom: 34}, c.x, c.y)
	p.class, p.title = "chart", c.title
	p.text(0, 11, "name", pretty(c.title))
	var said []string
	for i, at := range c.labelsAt(p) {
		line := &c.lines[i]
		p.group("mark "+seriesClass(line.series), line.tip)
		var path strings.Builder
		for j, point := range line.points {
			path.WriteString(map[bool]string{true: "M", false: "L"}[j == 0] + px(p.x.at(point[0])) + " " + px(p.y.at(point[1])))
		}
		class := "curve"
		if line.series >= seriesKept { // its colour and shape are taken
			class += " broken"
		}
		p.path(class, path.String())
		for _, point := range line.points {
			p.path("glyph", glyph(line.series, p.x.at(point[0]), p.y.at(point[1]), 3.6))
		}
		p.path("glyph", glyph(line.series, p.x.to+11, at, 3.2))
		p.text(p.x.to+19, at+3.5, "tick", shortLabel(line.label))
		p.end()
		said = append(said, line.tip)
	}
	p.desc = strings.Join(said, "; ")
	return p
}

// labelsAt are the heights of the names: beside the ends of the lines, moved apart where those meet.
func (c *lineChart) labelsAt(p *plot) []float64 {
	at := make([]float64, len(c.lines))
	var order []int
	for i, l := range c.lines {
		at[i] = p.y.at(l.points[len(l.points)-1][1])
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case at[a] < at[b]:
			return -1
		case at[a] > at[b]:
			return 1
		}
		return 0
	})
	lowest := p.height - 10
	for n := len(order) - 1; n >= 0; n-- {
		at[order[n]] = min(at[order[n]], lowest)
		lowest = at[order[n]] - linesApart
	}
	return at
}

// shortLabel is what fits beside a line or a row.
func shortLabel(text string) string {
	label := []rune(pretty(text))
	if len(label) > 25 {
		label = append(label[:24:24], '…')
	}
	return string(label)
}
