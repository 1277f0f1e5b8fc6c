package report

import (
	"fmt"
	"math"
	"strconv"

	"wsfanout/compare/result"
)

// figure is one column of numbers. It sees all cells at once, so that a column has one unit and one number of decimals.
type figure struct {
	column
	show func([]*result.Cell) []string // "" for a cell that did not measure it
}

var healthyFigures = []figure{
	{column{head: "last client"}, summaries("last_client_ns", duration, relative)},
	{column{head: "vs bare loop"}, summaries("vs_bare", ratio, absolute)},
	{column{"p50 ms", true}, scaled(p50, 1e6)},
	{column{"p99 ms", true}, scaled(p99, 1e6)},
	{column{head: "CPU/delivery (user)"}, cpuWithUser},
	{column{"KiB/client", true}, medians(bytesPerClient, kib)},
	{column{"goroutines", true}, medians(goroutines, count)},
}

var wideFigures = []figure{
	{column{"first ms", true}, scaled(firstClient, 1e6)},
	spreadFigure,
	{column{"worst ms", true}, worsts(worstClient, 1e6)},
	{column{"max ms", true}, worsts(longest, 1e6)},
	{column{"p99.9 ms", true}, scaled(p999, 1e6)},
	{column{"hub ms", true}, scaled(hub, 1e6)},
	{column{"RSS", true}, medians(rss, size)},
	{column{"threads", true}, medians(threads, count)},
	{column{"switches/round", true}, medians(switches, count)},
	{column{"GC pause", true}, medians(gcPause, pause)},
}

// each shows one cell after the other.
func each(show func(*result.Cell) string) func([]*result.Cell) []string {
	return func(cells []*result.Cell) []string {
		var out []string
		for _, c := range cells {
			out = append(out, show(c))
		}
		return out
	}
}

// medians shows the median of a measure over the trials.
func medians(measure result.Measure, format func(float64) string) func([]*result.Cell) []string {
	return each(func(c *result.Cell) string {
		s, ok := c.Over(measure)
		if !ok {
			return ""
		}
		return format(s.Median)
	})
}

// scaled shows medians in a fixed unit, all with the decimals that the smallest one needs.
func scaled(measure result.Measure, unit float64) func([]*result.Cell) []string {
	return aligned(func(c *result.Cell) float64 {
		s, _ := c.Over(measure)
		return s.Median / unit
	})
}

// worsts is scaled for the largest value of any trial: the worst is not softened by a median.
func worsts(measure result.Measure, unit float64) func([]*result.Cell) []string {
	return aligned(func(c *result.Cell) float64 { return worst(c, measure) / unit })
}

func kib(bytes float64) string { return strconv.FormatFloat(bytes/1024, 'f', 1, 64) }

// aligned writes numbers with equal decimals; 0 is a number that was not measured.
func aligned(value func(*result.Cell) float64) func([]*result.Cell) []string {
	return func(cells []*result.Cell) []string {
		smallest := math.Inf(1)
		for _, c := range cells {
			if v := math.Abs(value(c)); v != 0 {
				smallest = min(smallest, v)
			}
		}
		return each(func(c *result.Cell) string {
			v := value(c)
			if v == 0 {
				return ""
			}
			return strconv.FormatFloat(v, 'f', decimalsFor(smallest), 64)
		})(cells)
	}
}

// decimalsFor keeps two digits or more of the smallest number of a column.
func decimalsFor(smallest float64) int {
	switch {
	case smallest >= 10:
		return 1
	case smallest >= 1:
		return 2
	}
	return 3
}

// summaries shows a key of the summary with its interval, the intervals under each other.
func summaries(key string, format func(float64) string, interval func(result.Summary) string) func([]*result.Cell) []string {
	return func(cells []*result.Cell) []string {
		var halves [][2]string
		for _, c := range cells {
			s, ok := c.Summary[key]
			if !ok {
				halves = append(halves, [2]string{})
				continue
			}
			halves = append(halves, [2]string{format(s.Median), interval(s)})
		}
		return align(halves)
	}
}

// half is the longer side of an interval: what "+-" must cover. ok is false where nothing is claimed.
func half(s result.Summary) (width float64, ok bool) {
	if s.Lo == nil || s.Hi == nil {
		return 0, false
	}
	return max(s.Median-*s.Lo, *s.Hi-s.Median), true
}

func relative(s result.Summary) string {
	h, ok := half(s)
	if !ok || s.Median == 0 {
		return ""
	}
	return "+-" + percent(h/s.Median)
}

// absolute rounds up: an interval is never shown narrower than it is.
func absolute(s result.Summary) string {
	h, ok := half(s)
	if !ok {
		return ""
	}
	return fmt.Sprintf("+-%.2f", math.Ceil(h*100-1e-9)/100)
}

func ratio(v float64) string { return fmt.Sprintf("%.2f", v) }

// pause is duration for a sum that may be nothing.
func pause(ns float64) string {
	if ns == 0 {
		return "0"
	}
	return duration(ns)
}

// cpuWithUser shows "13.1 us (1.9)": server CPU of a delivery, and the user part in the same unit.
func cpuWithUser(cells []*result.Cell) []string {
	var halves [][2]string
	for _, c := range cells {
		all, ok := c.Over(cpu)
		if !ok {
			halves = append(halves, [2]string{})
			continue
		}
		user, ok := c.Over(cpuUser)
		if !ok {
			halves = append(halves, [2]string{duration(all.Median), "(-)"})
			continue
		}
		halves = append(halves, [2]string{duration(all.Median), "(" + inUnitOf(user.Median, all.Median) + ")"})
	}
	return align(halves)
}

// inUnitOf writes part without a unit, in the one that duration chooses for whole, with a decimal.
func inUnitOf(part, whole float64) string {
	unit := 1.0
	for math.Abs(whole)/unit >= 999.5 && unit < 1e9 {
		unit *= 1e3
	}
	return strconv.FormatFloat(part/unit, 'f', 1, 64)
}
