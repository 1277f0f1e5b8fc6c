package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// charts are the latency at the fixed rate, the CPU of an echo, and the dials.
func (e *echoed) charts() []expPicture {
	return rowPictures(e.lateChart(), e.cpuChart(), e.dialChart())
}

// lateChart has one row for each engine, from p50 to p99.9.
func (e *echoed) lateChart() rowChart {
	c := rowChart{
		id: "echo-late", title: "Latency from the schedule at a fixed rate",
		caption: "From p50 to p99.9, the mark is p99; medians of the trials, on a logarithmic scale. Right: what came of the rate asked for. Where messages were lost or skipped, the longest are lower bounds.", right: "came",
	}
	rate := underLoad(atRate)
	e.spread(&c, [3]quantile{quantiles[0], quantiles[2], quantiles[3]}, func(q quantile) echoNumber { return rate.of(q.ofLoad) },
		func(s *result.Echo, q quantile) string { return boundMark(s.Values(rate.of(q.bound))) })
	for i := range c.rows {
		if share, ok := result.Over(e.Echo[c.rows[i].series].Values(rate.of(achieved))); ok {
			c.rows[i].share, c.rows[i].text = min(share.Median, 1), percent(share.Median)
		}
	}
	return c
}

func (e *echoed) dialChart() rowChart {
	c := rowChart{
		id: "echo-dial", title: "Dials, each by itself",
		caption: "From p50 to the longest, the mark is p99; medians of the trials, on a logarithmic scale. Right: connections per second, 100 % is the fastest of the picture.", right: "connections/s",
	}
	e.spread(&c, [3]quantile{quantiles[0], quantiles[2], quantiles[4]}, func(q quantile) echoNumber { return q.ofDial },
		func(*result.Echo, quantile) string { return "" })
	fastest := 0.0
	for _, row := range c.rows {
		if rate, ok := result.Over(e.Echo[row.series].Values(ofConnect)); ok {
			fastest = max(fastest, rate.Median)
		}
	}
	for i := range c.rows {
		if rate, ok := result.Over(e.Echo[c.rows[i].series].Values(ofConnect)); ok {
			c.rows[i].share, c.rows[i].text = rate.Median/fastest, rateText(rate.Median)
			c.rows[i].tip += fmt.Sprintf(", %s connections/s", rateText(rate.Median))
		}
	}
	return c
}

// spread adds a row for each engine, which is its series, with three quantiles of something. One that too few samples carry ends where the
// one before it does.
func (e *echoed) spread(c *rowChart, of [3]quantile, number func(quantile) echoNumber, mark func(*result.Echo, quantile) string) {
	least, longest := 0.0, 0.0
	for i := range e.Echo {
		s := &e.Echo[i]
		var at [3]float64
		var said []string
		for k, q := range of {
			m, ok := result.Over(s.Values(number(q)))
			if ok {
				at[k] = m.Median
				said = append(said, q.name+" "+mark(s, q)+duration(m.Median))
			} else if k > 0 {
				at[k] = at[k-1]
			}
		}
		if said == nil {
			continue
		}
		c.rows = append(c.rows, chartRow{label: s.Engine, series: i, low: at[0], middle: at[1], high: at[2], tip: s.Engine + ": " + strings.Join(said, ", ")})
		if least == 0 || at[0] < least {
			least = at[0]
		}
		longest = max(longest, at[2])
	}
	if c.rows != nil {
		c.x = logTimeAxis(max(least, 1), max(longest, 2))
	}
}

func (e *echoed) cpuChart() rowChart {
	c := rowChart{
		id: "echo-cpu", title: "CPU of the server for an echo",
		caption: "Left: user and system in the measured window, the median of the trials, at the fixed rate and in the closed loop. Right: the fleet's share of all CPU.", right: "fleet",
	}
	highest := 0.0
	for i := range e.Echo {
		s := &e.Echo[i]
		for _, l := range loads {
			cpu, ok := result.Over(s.Values(l.load.of(serverNs)))
			if !ok {
				continue
			}
			row := chartRow{label: s.Engine + ", " + l.short, series: i, bar: true, middle: cpu.Median}
			row.tip = fmt.Sprintf("%s: %s", row.label, duration(cpu.Median))
			if share, ok := result.Over(s.Values(l.load.of(fleetShare))); ok {
				row.share, row.text = share.Median, percent(share.Median)
				row.tip += ", fleet's share " + row.text
			}
			highest = max(highest, cpu.Median)
			c.rows = append(c.rows, row)
		}
	}
	c.x = timeAxis(0, roomAbove(highest), 4, "CPU per echo, ")
	return c
}
