package result

import (
	"cmp"
	"slices"
)

// An Axis is one of the lists of a run: what differs along it, and what must be the same for two cells to lie on one line.
type Axis struct {
	X    func(*Cell) float64
	held func(*Cell) int
}

// The axes: clients, and message size in KiB.
var (
	ByClients = Axis{func(c *Cell) float64 { return float64(c.Clients) }, func(c *Cell) int { return c.SizeBytes }}
	BySize    = Axis{func(c *Cell) float64 { return float64(c.SizeBytes) / 1024 }, func(c *Cell) int { return c.Clients }}
)

// Along are the cells of each engine and strategy that differ along the axis only, ascending; those with one value are left out.
// The control is in none.
func (f *File) Along(a Axis) [][]*Cell {
	var all [][]*Cell
	for _, c := range f.Compared() {
		i := slices.IndexFunc(all, func(s []*Cell) bool { return s[0].Base() == c.Base() && a.held(s[0]) == a.held(c) })
		if i < 0 {
			i, all = len(all), append(all, nil)
		}
		all[i] = append(all[i], c)
	}
	all = slices.DeleteFunc(all, func(s []*Cell) bool { return len(s) < 2 })
	for _, s := range all {
		slices.SortFunc(s, func(x, y *Cell) int { return cmp.Compare(a.X(x), a.X(y)) })
	}
	return all
}

// A Line is how a measure grows along an axis. Each trial, which visits every cell once, has a line of its own; medians and
// intervals are over these lines, so that a slow minute of the machine is one line and not a bend in all of them.
type Line struct {
	trials []straight
	R2     *float64 // of the line through the medians; nil for two values, through which one always goes
}

type straight struct{ slope, intercept float64 }

// Fit is the line of a measure over cells as Along returns them; ok is false if no trial measured all of them.
func Fit(cells []*Cell, a Axis, measure Measure) (l Line, ok bool) {
	var xs, medians []float64
	values := map[int][]float64{} // by trial
	for _, c := range cells {
		xs = append(xs, a.X(c))
		s, _ := c.Over(measure)
		medians = append(medians, s.Median)
		for i := range c.Trials {
			t := &c.Trials[i]
			if v, ok := measure(t); ok && t.Error == "" {
				values[t.Trial] = append(values[t.Trial], v)
			}
		}
	}
	for _, ys := range values {
		l.add(xs, ys)
	}
	l.explain(xs, medians)
	return l, len(l.trials) > 0
}

// add is the line of another trial, which has none unless it measured all.
func (l *Line) add(xs, ys []float64) {
	if len(ys) == len(xs) {
		l.trials = append(l.trials, leastSquares(xs, ys))
	}
}

func (l *Line) explain(xs, medians []float64) {
	if len(xs) > 2 {
		l.R2 = new(explained(xs, medians))
	}
}

// Trials is how many have a line.
func (l Line) Trials() int { return len(l.trials) }

// Slope is per unit of the axis.
func (l Line) Slope() Summary { return l.over(func(s straight) float64 { return s.slope }) }

// Intercept is what does not grow.
func (l Line) Intercept() Summary { return l.over(func(s straight) float64 { return s.intercept }) }

// At is the measure at another place of the axis, if the line goes on.
func (l Line) At(x float64) Summary {
	return l.over(func(s straight) float64 { return s.intercept + s.slope*x })
}

// Reaches is the place of the axis at which the measure is y; ok is false if not every trial's line rises.
func (l Line) Reaches(y float64) (x Summary, ok bool) {
	if slices.ContainsFunc(l.trials, func(s straight) bool { return s.slope <= 0 }) {
		return Summary{}, false
	}
	return l.over(func(s straight) float64 { return max((y-s.intercept)/s.slope, 0) }), true
}

func (l Line) over(of func(straight) float64) Summary {
	var values []float64
	for _, s := range l.trials {
		values = append(values, of(s))
	}
	return summarize(values)
}

func leastSquares(xs, ys []float64) straight {
	var mx, my, xy, xx float64
	n := float64(len(xs))
	for i := range xs {
		mx, my = mx+xs[i]/n, my+ys[i]/n
	}
	for i := range xs {
		xy += (xs[i] - mx) * (ys[i] - my)
		xx += (xs[i] - mx) * (xs[i] - mx)
	}
	slope := xy / xx
	return straight{slope, my - slope*mx}
}

// explained is R2: the part of the variation that the line accounts for; 1 where nothing varies.
func explained(xs, ys []float64) float64 {
	s := leastSquares(xs, ys)
	var mean, off, all float64
	for _, y := range ys {
		mean += y / float64(len(ys))
	}
	for i, y := range ys {
		off += (y - s.intercept - s.slope*xs[i]) * (y - s.intercept - s.slope*xs[i])
		all += (y - mean) * (y - mean)
	}
	if all == 0 {
		return 1
	}
	return 1 - off/all
}
