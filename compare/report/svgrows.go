package report

import "strings"

// rowChart is a picture with a row for each set-up: on the left a time or a number, on the right a share that was paid for it.
type rowChart struct {
	id, title, caption, foot string
	left, right              string // what the halves show
	x                        axis   // of the left half
	target                   float64
	targetText               string
	rows                     []chartRow
}

// chartRow has a range with a middle, or a bar up to the middle, or a reason why it has neither.
type chartRow struct {
	label, tip        string
	series            int
	low, middle, high float64
	band              [2]float64 // predicted; both 0: not
	bar               bool
	missing           string
	share             float64 // 0 to 1
	text              string  // of the share, "" if it was not measured
}

// Geometry of the pictures of set-ups. Not wider than a telephone can show with readable text.
const (
	rowsWidth  = 440.0
	rowsLabels = 136.0
	rowsRight  = 320.0 // where the right half begins
	rowsShare  = 52.0  // length of a share of 1
)

func (c *rowChart) picture() expPicture { return expPicture{c.id, c.title, c.caption, c.drawn} }

// drawn is the picture; its text alternative says every row.
func (c *rowChart) drawn() *plot {
	m := margins{left: rowsLabels, right: rowsWidth - rowsRight + 14, top: 42, bottom: 34}
	p := newPlot(rowsWidth, m.top+rowHeight*float64(len(c.rows))+m.bottom, m, c.x, axis{})
	p.class, p.title = "chart", c.title
	p.text(0, 11, "name", pretty(c.title))
	p.text(rowsRight, m.top-8, "label", c.right)
	for _, t := range c.x.ticks {
		p.line(p.x.at(t.at), p.y.to, p.x.at(t.at), p.y.from, "grid")
	}
	p.line(rowsRight+rowsShare, p.y.to, rowsRight+rowsShare, p.y.from, "grid")
	p.text(rowsRight+rowsShare, p.y.from+14, "tick mid", "100 %")
	if c.target > 0 {
		p.line(p.x.at(c.target), p.y.to-4, p.x.at(c.target), p.y.from, "unity")
		p.text(p.x.at(c.target), p.y.to-8, "tick mid", c.targetText)
	}
	if c.foot != "" {
		p.text(0, p.height-4, "tick", c.foot)
	}
	var said []string
	for i, row := range c.rows {
		p.setup(&row, p.y.to+(float64(i)+0.5)*rowHeight)
		said = append(said, row.tip)
	}
	p.desc = strings.Join(said, "; ")
	return p
}

// setup draws a row around y.
func (p *plot) setup(row *chartRow, y float64) {
	p.text(rowsLabels-6, y+3.5, "tick end", shortLabel(row.label))
	p.group("mark "+seriesClass(row.series), row.tip)
	if row.band[1] > 0 {
		p.rect(p.x.at(row.band[0]), y-6, max(p.x.at(row.band[1])-p.x.at(row.band[0]), 1.5), 12, "hollow faint")
	}
	switch {
	case row.missing != "":
		p.text(p.x.from+4, y+3.5, "tick", pretty(row.missing))
	case row.bar:
		p.bar(row.series, p.x.from, y, p.x.at(row.middle)-p.x.from)
	default:
		p.line(p.x.at(row.low), y, p.x.at(row.high), y, "span")
		p.path("glyph", glyph(row.series, p.x.at(row.middle), y, 3.6))
	}
	if row.text != "" {
		p.bar(row.series, rowsRight, y, rowsShare*row.share)
		p.text(rowsRight+rowsShare+5, y+3.5, "tick", row.text)
	}
	p.end()
}
