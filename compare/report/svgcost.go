package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"wsfanout/compare/result"
)

// spot is a cell in the picture of cost against speed.
type spot struct {
	label  string
	series int
	cpu    result.Summary
	last   result.Summary
}

// spots are the cells in which both were measured.
func (s *sheet) spots() []spot {
	var all []spot
	for _, at := range s.rows() {
		for j, r := range s.runs {
			c := r.cells[at]
			if c == nil {
				continue
			}
			cost, ok := c.Over(cpu)
			last, also := c.Over(lastOf)
			if ok && also {
				all = append(all, spot{strings.TrimSpace(s.label(at) + " " + r.letter), s.series(j, at), cost, last})
			}
		}
	}
	return all
}

// cost shows what a delivery costs the server against when the last client has it; down and left is better. "" without data.
func (s *sheet) cost() string {
	spots := s.spots()
	if len(spots) == 0 {
		return ""
	}
	var cpus, lasts []result.Summary
	for _, one := range spots {
		cpus, lasts = append(cpus, one.cpu), append(lasts, one.last)
	}
	const height = 270
	left, right := extent(cpus)
	bottom, top := extent(lasts)
	x, y := timeAxis(left, right, 5, "server CPU per delivery, "), timeAxis(bottom, top, 5, "last client, ")
	p := newPlot(chartWidth, height, margins{left: 44, right: 12, top: 40, bottom: 34}, x, y)
	p.class, p.title = "chart", "CPU per delivery against the last client"
	p.text(0, 11, "name", p.title)
	taken := &occupied{within: box{p.x.from, p.y.to, p.x.to, p.y.from}}
	for _, one := range spots {
		taken.addCross(p, one)
	}
	var said []string
	for _, one := range spots {
		text := fmt.Sprintf("%s: %s CPU per delivery, last client %s", one.label, duration(one.cpu.Median), duration(one.last.Median))
		said = append(said, text)
		p.group("mark "+seriesClass(one.series), text)
		p.cross(one)
		p.end()
	}
	for _, one := range spots {
		p.name(taken, one)
	}
	p.desc = strings.Join(said, "; ")
	return p.inline()
}

// extent is the range of medians and intervals with room around, from 0 on where that does not squeeze them.
func extent(all []result.Summary) (low, high float64) {
	low = math.Inf(1)
	for _, s := range all {
		low, high = min(low, lower95(s)), max(high, upper95(s))
	}
	if low < high/2 {
		return 0, roomAbove(high)
	}
	room := 0.12 * max(high-low, high/10)
	return low - room, high + room
}

func lower95(s result.Summary) float64 {
	if s.Lo != nil {
		return *s.Lo
	}
	return s.Median
}

// upper95 is the upper end of the interval, or the median where there is none.
func upper95(s result.Summary) float64 {
	if s.Hi != nil {
		return *s.Hi
	}
	return s.Median
}

// cross is the medians as a mark and the intervals as two lines.
func (p *plot) cross(one spot) {
	x, y := p.x.at(one.cpu.Median), p.y.at(one.last.Median)
	if one.cpu.Lo != nil && one.cpu.Hi != nil {
		p.line(p.x.at(*one.cpu.Lo), y, p.x.at(*one.cpu.Hi), y, "thin")
	}
	if one.last.Lo != nil && one.last.Hi != nil {
		p.line(x, p.y.at(*one.last.Lo), x, p.y.at(*one.last.Hi), "thin")
	}
	p.path("glyph", glyph(one.series, x, y, 4))
}

// name puts the label of a spot where nothing is yet, as near as can be. In a crowd it may cross the line of an interval, and
// at last it stands where it is least in the way of the edge.
func (p *plot) name(taken *occupied, one spot) {
	x, y := p.x.at(one.cpu.Median), p.y.at(one.last.Median)
	half := 2.9 * float64(utf8.RuneCountInString(one.label))
	for _, strict := range []bool{true, false} {
		for _, away := range []float64{9, 0, 20, 32, 44} {
			for _, dy := range []float64{-away, away} {
				for _, side := range []float64{1, -1} {
					if at := around(x+side*(7+half), y+dy, half, 5.5); taken.free(at, strict) {
						taken.boxes = append(taken.boxes, at)
						p.tag(x, y, at, side > 0, one.label)
						return
					}
				}
			}
		}
	}
	p.tag(x, y, around(x-7-half, y, half, 5.5), false, one.label)
}

// tag is the label in its box, with a line to the spot if it stands apart.
func (p *plot) tag(x, y float64, at box, right bool, label string) {
	class, edge := "tick halo", at.left
	if !right {
		class, edge = "tick halo end", at.right
	}
	middle := (at.top + at.bottom) / 2
	if math.Abs(middle-y) > 12 {
		p.line(x, y, edge, middle, "grid")
	}
	p.text(edge, middle+3.5, class, label)
}

type box struct{ left, top, right, bottom float64 }

func around(x, y, dx, dy float64) box { return box{x - dx, y - dy, x + dx, y + dy} }

// occupied is where a picture has no room for another label.
type occupied struct {
	within       box
	boxes, lines []box
}

// addCross keeps labels off a mark and, if they can, off the lines of its intervals.
func (o *occupied) addCross(p *plot, one spot) {
	x, y := p.x.at(one.cpu.Median), p.y.at(one.last.Median)
	o.boxes = append(o.boxes, around(x, y, 4, 4))
	o.lines = append(o.lines,
		box{p.x.at(lower95(one.cpu)), y - 1, p.x.at(upper95(one.cpu)), y + 1},
		box{x - 1, p.y.at(upper95(one.last)), x + 1, p.y.at(lower95(one.last))})
}

// free says whether nothing is in b; strictly, no line either.
func (o *occupied) free(b box, strict bool) bool {
	if b.left < o.within.left || b.right > o.within.right || b.top < o.within.top || b.bottom > o.within.bottom {
		return false
	}
	return !slices.ContainsFunc(o.boxes, b.meets) && !(strict && slices.ContainsFunc(o.lines, b.meets))
}

func (b box) meets(t box) bool {
	return b.left < t.right && t.left < b.right && b.top < t.bottom && t.top < b.bottom
}
