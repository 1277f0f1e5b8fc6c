//go:build linux

package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"wsfanout/compare/report"
	"wsfanout/compare/result"
)

// failure is why a cell does not pass the gate, "" if it does. base is the cell in the baseline, nil for an absolute gate. What was
// not measured fails: a gate that nobody could have failed protects nothing.
func (g gate) failure(c, base *result.Cell) string {
	if why := g.unmeasured(c); why != "" {
		return why
	}
	if !g.relative {
		return g.absolute(c)
	}
	if why := g.unmeasured(base); why != "" {
		return "baseline: " + why
	}
	if g.metric.EveryTrialCounts() {
		return g.beyond(g.value(c), g.target(g.value(base)), g.valueIs(c), fmt.Sprintf(", baseline %s", figure(g.metric, g.value(base))))
	}
	return g.nearBound(c, base)
}

// absolute judges a value by itself. One that the clocks leave on either side of the bound was not measured well enough for it.
func (g gate) absolute(c *result.Cell) string {
	value, doubt := g.value(c), c.ClockDoubt(g.metric.Key)
	if doubt > 0 && math.Abs(value-g.bound) <= doubt {
		return fmt.Sprintf("%s %s, bound %s: not measured well enough, the clocks of server and clients leave open +-%s",
			g.valueIs(c), figure(g.metric, value), figure(g.metric, g.bound), figure(g.metric, doubt))
	}
	return g.beyond(value, g.bound, g.valueIs(c), "")
}

// nearBound holds the end of the interval that is nearer to no change against the bound: only what is shown fails.
func (g gate) nearBound(c, base *result.Cell) string {
	is, _ := c.Over(g.metric.Measure)
	was, _ := base.Over(g.metric.Measure)
	if is.Lo == nil || was.Lo == nil {
		return fmt.Sprintf("no interval: %d trials, %d in the baseline, and it takes %d in both",
			len(c.Values(g.metric.Measure)), len(base.Values(g.metric.Measure)), result.IntervalTrials)
	}
	clocks := base.ClockDoubt(g.metric.Key) + c.ClockDoubt(g.metric.Key) // what is below is not shown
	from, to := *was.Hi, *is.Lo-clocks
	if !g.above {
		from, to = *was.Lo, *is.Hi+clocks
	}
	context := fmt.Sprintf(", median %s, baseline %s", figure(g.metric, is.Median), figure(g.metric, was.Median))
	if !g.percent {
		return g.beyond(to-from, g.bound, "changed by at least", context)
	}
	if from <= 0 {
		return "the baseline is 0: a percentage of it means nothing"
	}
	change := to/from - 1
	if g.above == (change > g.bound) && change != g.bound {
		return fmt.Sprintf("changed by at least %s, bound %s%s", signedPercent(change), signedPercent(g.bound), context)
	}
	return ""
}

// unmeasured says why there is no value to judge. Where one bad trial counts, a trial that did not measure might be it.
func (g gate) unmeasured(c *result.Cell) string {
	if c == nil {
		return "the cell is not in the file"
	}
	have, all := len(c.Values(g.metric.Measure)), len(c.Trials)
	switch {
	case have == 0:
		return "not measured" + whyNot(c)
	case g.metric.EveryTrialCounts() && have < all:
		return fmt.Sprintf("not measured in %d of %d trials%s", all-have, all, whyNot(c))
	}
	return ""
}

// whyNot is the first reason that the trials themselves give.
func whyNot(c *result.Cell) string {
	for i := range c.Trials {
		switch t := &c.Trials[i]; {
		case t.Error != "":
			return ": a trial failed"
		case t.Stuck != nil && !t.Proven():
			return ": the stuck client never jammed"
		case t.Stuck != nil && t.Stuck.Blast != nil && !t.Stuck.Blast.Resolvable:
			return ": late clients are not resolvable at this write timeout"
		}
	}
	return ""
}

// value is what an absolute gate judges: the worst trial of a count, the median of a measurement.
func (g gate) value(c *result.Cell) float64 {
	values := c.Values(g.metric.Measure)
	switch {
	case !g.metric.EveryTrialCounts():
		s, _ := c.Over(g.metric.Measure)
		return s.Median
	case g.above:
		return slices.Max(values)
	}
	return slices.Min(values)
}

func (g gate) valueIs(c *result.Cell) string {
	n := len(c.Values(g.metric.Measure))
	switch {
	case n == 1:
		return "one trial"
	case g.metric.EveryTrialCounts():
		return fmt.Sprintf("the worst of %d trials", n)
	}
	return fmt.Sprintf("the median of %d trials", n)
}

// target is the bound of a relative gate on a count.
func (g gate) target(base float64) float64 {
	if g.percent {
		return base * (1 + g.bound)
	}
	return base + g.bound
}

func (g gate) beyond(value, bound float64, what, context string) string {
	if g.above && value <= bound || !g.above && value >= bound {
		return ""
	}
	return fmt.Sprintf("%s %s, bound %s%s", what, figure(g.metric, value), figure(g.metric, bound), context)
}

// figure keeps the digits that a bound may turn on.
func figure(m result.Metric, v float64) string {
	if m.Kind == result.Duration || m.Kind == result.Bytes {
		return report.Figure(m, v)
	}
	return strconv.FormatFloat(v, 'g', 10, 64)
}

func signedPercent(share float64) string { return fmt.Sprintf("%+.1f %%", 100*share) }
