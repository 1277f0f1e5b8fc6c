package report

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// scale places a number between two edges of a picture.
type scale struct {
	low, high float64 // data
	from, to  float64 // picture
	log       bool
}

func (s scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log10(max(v, low)), math.Log10(low), math.Log10(high)
	}
	if high == low {
		return s.from
	}
	return s.from + (v-low)/(high-low)*(s.to-s.from)
}

// axis is what a picture's edge shows: a range, what is meant, in which unit, and where the lines are.
type axis struct {
	low, high float64
	log       bool
	label     string
	ticks     []tick
}

type tick struct {
	at   float64
	text string
}

// roundNumbers are round numbers from the first above low to the last below high, about want of them: 1, 2 or 5 times a power of ten apart.
func roundNumbers(low, high float64, want int) []float64 {
	if high <= low {
		return []float64{low}
	}
	raw := (high - low) / float64(want)
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, factor := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if step >= raw*0.65 { // the nearer one: half as many again is still readable
			break
		}
		step *= factor
	}
	var at []float64
	for n := math.Ceil(low/step - 1e-9); n*step <= high*(1+1e-9); n++ {
		at = append(at, n*step)
	}
	return at
}

// plain writes a round number without the noise of its last bits.
func plain(v float64) string {
	if math.Abs(v) >= 1000 {
		return count(v)
	}
	return strconv.FormatFloat(math.Round(v*1e6)/1e6+0, 'f', -1, 64)
}

// linear is an axis of numbers in one unit; the label names it.
func linear(low, high, unit float64, want int, label string) axis {
	a := axis{low: low, high: high, label: label}
	for _, at := range roundNumbers(low/unit, high/unit, want) {
		a.ticks = append(a.ticks, tick{at * unit, plain(at)})
	}
	return a
}

// timeAxis begins at low, in the unit that fits the highest time. what stands before the unit.
func timeAxis(low, high float64, want int, what string) axis {
	unit, name := 1.0, "ns"
	for _, u := range []struct {
		ns   float64
		name string
	}{{1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}} {
		if high >= 1.5*u.ns {
			unit, name = u.ns, u.name
		}
	}
	return linear(low, high, unit, want, what+name)
}

func byteAxis(high float64, want int, what string) axis {
	unit, name := 1.0, "B"
	for _, u := range []struct {
		bytes float64
		name  string
	}{{1 << 10, "KiB"}, {1 << 20, "MiB"}, {1 << 30, "GiB"}} {
		if high >= 1.5*u.bytes {
			unit, name = u.bytes, u.name
		}
	}
	return linear(0, high, unit, want, what+name)
}

// logTimeAxis has a line at every power of ten in its range, which it widens to whole ones.
func logTimeAxis(low, high float64) axis {
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	a := axis{low: math.Pow(10, first), high: math.Pow(10, max(last, first+1)), log: true}
	for n := first; n <= last; n++ {
		a.ticks = append(a.ticks, tick{math.Pow(10, n), pretty(exact(math.Pow(10, n)))})
	}
	return a
}

// roomAbove is the end of an axis that must hold high.
func roomAbove(high float64) float64 {
	if high <= 0 {
		return 1
	}
	return high * 1.06
}

// plot is a drawing with axes around a field.
type plot struct {
	drawing
	x, y scale
}

// margins of the field in a drawing.
type margins struct{ left, right, top, bottom float64 }

var panelMargins = margins{left: 44, right: 10, top: 34, bottom: 32}

// The small pictures of a figure with many are alike, so that the eye can go from one to the next.
const (
	panelWidth  = 280
	panelHeight = 160
)

// newPanel is a small picture: its name above on the left, a word about it on the right.
func newPanel(title, aside string, x, y axis) *plot {
	p := newPlot(panelWidth, panelHeight, panelMargins, x, y)
	p.class, p.title = "panel", title
	p.text(0, 11, "name", title)
	p.text(panelWidth-panelMargins.right, 11, "aside end", pretty(aside))
	return p
}

func newPlot(width, height float64, m margins, x, y axis) *plot {
	p := &plot{drawing: drawing{width: width, height: height}}
	left, right, top, bottom := m.left, width-m.right, m.top, height-m.bottom
	p.x = scale{x.low, x.high, left, right, x.log}
	p.y = scale{y.low, y.high, bottom, top, y.log}
	for _, t := range y.ticks {
		at := p.y.at(t.at)
		p.line(left, at, right, at, "grid")
		p.text(left-5, at+3.5, "tick end", t.text)
	}
	for _, t := range x.ticks {
		at := p.x.at(t.at)
		p.line(at, bottom, at, bottom+3, "axis")
		if half := 3 * float64(utf8.RuneCountInString(t.text)); at+half > width {
			p.text(width, bottom+14, "tick end", t.text) // centred, it would be cut
			continue
		}
		p.text(at, bottom+14, "tick mid", t.text)
	}
	p.line(left, bottom, right, bottom, "axis")
	p.text(right, height-4, "label end", x.label)
	switch {
	case utf8.RuneCountInString(y.label) > 6:
		p.text(0, top-8, "label", y.label)
	case y.label != "":
		p.text(left-5, top-8, "label end", y.label)
	}
	p.put("\n")
	return p
}
