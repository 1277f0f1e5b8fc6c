package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// metric is what pictures show with its interval and every trial.
type metric struct {
	title  string
	value  result.Measure
	format func(float64) string
	axis   func(low, high float64) axis
	unity  bool // 1 means something
}

var (
	lastClientMetric = metric{"Last client of a round", lastOf, duration,
		func(_, high float64) axis { return timeAxis(0, roomAbove(high), 5, "") }, false}
	vsBareMetric = metric{"Last client against the bare loop's", vsBareOf, ratio,
		func(low, high float64) axis {
			return linear(min(low, 1)-0.04, max(high, 1)+0.04, 1, 5, "times the bare loop")
		}, true}
	memoryMetric = metric{"Server memory per client", bytesPerClient, size,
		func(_, high float64) axis { return byteAxis(roomAbove(high), 5, "") }, false}
)

// Geometry of the pictures with a row for each cell.
const (
	chartWidth  = 400
	rowHeight   = 18.0
	chartLabels = 118.0
)

// intervals show a metric of every cell: the median as a mark, its interval as a line, every trial as a stroke. "" if no cell
// has it.
func (s *sheet) intervals(m metric) string {
	rows := s.rows()
	var low, high float64
	lanes := 0
	for _, at := range rows {
		for _, r := range s.runs {
			if c := r.cells[at]; c != nil {
				for _, v := range c.Values(m.value) {
					if lanes++; lanes == 1 {
						low = v
					}
					low, high = min(low, v), max(high, v)
				}
			}
		}
	}
	if lanes == 0 {
		return ""
	}
	height := rowHeight * max(1, 0.7*float64(len(s.runs)))
	x := m.axis(low, high)
	p := newChart(m.title, float64(len(rows))*height, x)
	if m.unity {
		p.line(p.x.at(1), p.y.to, p.x.at(1), p.y.from, "unity")
	}
	var said []string
	for i, at := range rows {
		p.text(chartLabels-8, p.y.to+(float64(i)+0.5)*height+3.5, "end", s.label(at))
		for j, r := range s.runs {
			if c := r.cells[at]; c != nil {
				y := p.y.to + (float64(i)+(float64(j)+0.5)/float64(len(s.runs)))*height
				if text := p.interval(c, m, s.series(j, at), y); text != "" {
					said = append(said, strings.TrimSpace(r.letter+" "+s.label(at)+" "+text))
				}
			}
		}
	}
	p.desc = strings.Join(said, "; ")
	return p.inline()
}

// newChart has a row for each cell: lines run down from the ticks, labels stand on the left.
func newChart(title string, height float64, x axis) *plot {
	m := margins{left: chartLabels, right: 12, top: 26, bottom: 34}
	p := newPlot(chartWidth, m.top+height+m.bottom, m, x, axis{})
	p.class, p.title = "chart", title
	p.text(0, 11, "name", pretty(title))
	for _, t := range x.ticks {
		p.line(p.x.at(t.at), p.y.to, p.x.at(t.at), p.y.from, "grid")
	}
	return p
}

func (p *plot) interval(c *result.Cell, m metric, series int, y float64) (said string) {
	s, ok := c.Over(m.value)
	if !ok {
		return ""
	}
	said = m.format(s.Median)
	if s.Lo != nil && s.Hi != nil {
		said += fmt.Sprintf(" (%s to %s)", m.format(*s.Lo), m.format(*s.Hi))
	}
	p.group("mark "+seriesClass(series), name(c)+": "+said)
	for _, v := range c.Values(m.value) {
		p.line(p.x.at(v), y-4, p.x.at(v), y+4, "trial")
	}
	if s.Lo != nil && s.Hi != nil {
		p.line(p.x.at(*s.Lo), y, p.x.at(*s.Hi), y, "span")
	}
	p.path("glyph", glyph(series, p.x.at(s.Median), y, 3.6))
	p.end()
	return said
}
