package report

import (
	"fmt"

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
		caption: "From p50 to p99.9, the mark is p99; medians of the trials, on a logarithmic scale. Right: what came of the rate asked for.", right: "came",
	}
	rate := underLoad(atRate)
	e.spread(&c, rate.of(quantiles[0].ofLoad), rate.of(quantiles[2].ofLoad), rate.of(quantiles[3].ofLoad), "p99.9")
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
	e.spread(&c, quantiles[0].ofDial, quantiles[2].ofDial, quantiles[4].ofDial, "max")
	fastest := 0.0
	for _, row := range c.rows {
		if rate, ok := result.Over(e.Echo[row.series].Values(ofConnect)); ok {
			fastest = max(fastest, rate.Median)
		}
	}
	for i := range c.rows {
		if rate, ok := result.Over(e.Echo[c.rows[i].series].Values(ofConnect)); ok {
			c.rows[i].share, c.rows[i].text = rate.Median/fastest, count(rate.Median)
			c.rows[i].tip += fmt.Sprintf(", %s connections/s", count(rate.Median))
		}
	}
	return c
}

// spread adds a row for each engine, which is its series, with three quantiles of something.
func (e *echoed) spread(c *rowChart, low, middle, high echoNumber, highest string) {
	least, longest := 0.0, 0.0
	for i := range e.Echo {
		s := &e.Echo[i]
		from, ok := result.Over(s.Values(low))
		if !ok {
			continue
		}
		mark, _ := result.Over(s.Values(middle))
		to, _ := result.Over(s.Values(high))
		c.rows = append(c.rows, chartRow{
			label: s.Engine, series: i, low: from.Median, middle: mark.Median, high: to.Median,
			tip: fmt.Sprintf("%s: p50 %s, p99 %s, %s %s", s.Engine, duration(from.Median), duration(mark.Median), highest, duration(to.Median)),
		})
		if least == 0 || from.Median < least {
			least = from.Median
		}
		longest = max(longest, to.Median)
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
