package report

import (
	"fmt"
	"io"
	"strings"

	"wsfanout/compare/result"
)

// Geometry of the picture of the whole matrix.
const (
	matrixWidth = 860.0
	matrixTop   = 84.0
	matrixRowsH = 24.0
	barLeft     = 128.0 // of the healthy half
	lateLeft    = 480.0 // of the stuck half
	barLength   = 220.0
	lateLength  = 96.0
	reasonRunes = 100 // of a cell without figures, as many as fit
	barHeight   = 11.0
)

// SVG writes one picture of the matrix as a file of its own, for a README: the last client of every cell when everybody reads, and
// how many clients are late while one does not. It is readable on a light and on a dark page.
func SVG(w io.Writer, f *result.File) error {
	if onlyExperiments(f) {
		return experimentSVG(w, f)
	}
	s := newSheet([]*result.File{f})
	d := &drawing{width: matrixWidth, class: "whole", title: s.question()}
	stuck := anyStuck(f)
	d.text(16, 26, "head", d.title)
	d.text(16, 45, "quiet", pretty(strings.Split(heading(&page{File: f}), "\n")[0]))
	d.text(barLeft, matrixTop-10, "name", "last client, everybody reads")
	if stuck {
		d.text(lateLeft, matrixTop-10, "name", "late clients, "+strings.ToLower(strings.Join(s.runs[0].misbehaviour(), ", ")))
	}
	_, rows := s.matrix()
	y, longest, said := matrixTop, longestLast(f), []string{}
	for i, row := range rows {
		if row.Apart && i > 0 {
			y += 8
		}
		y += matrixRowsH
		said = append(said, s.matrixBars(d, row, y-matrixRowsH/2, longest, stuck))
	}
	for _, text := range append(footOf(s.runs[0]), s.legend()) {
		d.text(16, y+24, "tick quiet", text)
		y += 16
	}
	d.height = y + 20
	d.desc = strings.Join(said, "; ")
	return d.writeTo(w)
}

func longestLast(f *result.File) float64 {
	longest := 0.0
	for i := range f.Cells {
		if s, ok := f.Cells[i].Over(lastOf); ok {
			longest = max(longest, upper95(s))
		}
	}
	return longest
}

// footOf says what the marks are and how sure they are.
func footOf(r *run) []string {
	text := "bars: medians over " + plural(mostTrials(r.File), "trial")
	for i := range r.Cells {
		if s, ok := r.Cells[i].Over(lastOf); ok && s.Lo != nil {
			text += "; lines: 95 % confidence intervals"
			break
		}
	}
	return []string{text, "loopback on one host, so ratios travel and milliseconds do not; measured on " + r.Started.UTC().Format("2 January 2006")}
}

// matrixBars draws a row around y and says it in words.
func (s *sheet) matrixBars(d *drawing, row matrixRow, y, longest float64, stuck bool) string {
	c := s.runs[0].cells[row.At]
	d.text(16, y+4, "row", s.label(row.At))
	last, ok := c.Over(lastOf)
	if !ok {
		reason := row.Figures[0].Text
		d.text(barLeft, y+4, "quiet", cut(reason, reasonRunes))
		return s.label(row.At) + ": " + reason
	}
	series := s.series(0, row.At)
	text := pretty(duration(last.Median) + " " + relative(last))
	said := fmt.Sprintf("%s: last client %s", s.label(row.At), text)
	length := scale{high: longest, from: 0, to: barLength}
	d.group("mark "+seriesClass(series), said)
	d.bar(series, barLeft, y, length.at(last.Median))
	if last.Lo != nil && last.Hi != nil {
		for _, class := range []string{"whisker outline", "whisker"} {
			d.line(barLeft+length.at(*last.Lo), y, barLeft+length.at(*last.Hi), y, class)
		}
	}
	d.end()
	d.text(barLeft+length.at(upper95(last))+8, y+4, bestClass(row, "last_client_ns"), text)
	if stuck {
		said += ", " + s.lateBar(d, c, row, y)
	}
	return said
}

// bar is full for the first engine and hollow for the next, so that they differ without colour.
func (d *drawing) bar(series int, x, y, length float64) {
	class := "solid"
	if series%2 == 1 {
		class = "hollow"
	}
	d.rect(x, y-barHeight/2, max(length, 1), barHeight, class)
}

func (s *sheet) lateBar(d *drawing, c *result.Cell, row matrixRow, y float64) string {
	late, ok := c.Over(lateClients)
	if !hasProof(c) || !ok || !resolvable(c) {
		text := "never jammed"
		if hasProof(c) {
			text = lateOf(c)
		} else if len(neverJammed(c)) == 0 {
			text = "not measured"
		}
		d.text(lateLeft, y+4, "quiet", text)
		return text
	}
	text := count(late.Median) + " late"
	if late.Median > 0 {
		text = lateOf(c)
	}
	if worst, ok := c.Over(worstHealthy); ok {
		text += ", worst delivery " + duration(worst.Median)
	}
	length := lateLength * late.Median / float64(max(c.Clients, 1))
	series := s.series(0, row.At)
	d.group("mark "+seriesClass(series), text)
	d.bar(series, lateLeft, y, length)
	d.end()
	d.text(lateLeft+length+8, y+4, bestClass(row, "late_clients"), pretty(text))
	return text
}

// bestClass sets a figure in bold if its row is among the best of the column.
func bestClass(row matrixRow, key string) string {
	for _, f := range row.Figures {
		if f.Key == key && f.Best {
			return "best"
		}
	}
	return "row"
}
