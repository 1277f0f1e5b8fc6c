package report

import (
	"fmt"

	"wsfanout/compare/result"
)

// charts are memory and the broadcasts by the number of connections, and what a connection adds.
func (h *held) charts() []expPicture {
	memory := h.growing("hold-memory", "Heap and stacks by connections",
		"One line for each engine through the medians of the trials. What a connection costs is the rise of its line; where the line would begin is what the server has without any.",
		heldMemory, size, func(most float64) axis { return byteAxis(roomAbove(most), 4, "heap and stacks, ") })
	all := append(memory.picture(), rowPictures(h.connectionChart())...)
	for _, strategy := range h.strategies() {
		swept := h.growing("hold-"+benchName(strategy), "A message to all by connections, "+strategy,
			"Until the last client has it, the median round of each trial, the median of the trials. A straight line is a cost for each connection; the sweep occupies whoever sends for as long.",
			ofSweep(strategy, sweepLast), duration, func(most float64) axis { return timeAxis(0, roomAbove(most), 4, "last client, ") })
		all = append(all, swept.picture()...)
	}
	return all
}

func (h *held) strategies() []string {
	var names []string
	for i := range h.Hold {
		names = append(names, sweepsOf(&h.Hold[i])...)
	}
	return distinct(names)
}

// growing is a number at every count, a line for each engine.
func (h *held) growing(id, title, caption string, number holdNumber, show func(float64) string, y func(most float64) axis) lineChart {
	c := lineChart{id: id, title: title, caption: caption}
	furthest, highest := 0.0, 0.0
	for i := range h.Hold {
		e := &h.Hold[i]
		line := chartLine{label: e.Engine, series: i, tip: e.Engine + ":"}
		for _, n := range e.Counts() {
			if s, ok := result.Over(e.At(n, number)); ok {
				line.points = append(line.points, [2]float64{float64(n), s.Median})
				line.tip += fmt.Sprintf(" %s with %s,", show(s.Median), count(float64(n)))
				furthest, highest = max(furthest, float64(n)), max(highest, s.Median)
			}
		}
		if line.points != nil {
			line.tip = line.tip[:len(line.tip)-1]
			c.lines = append(c.lines, line)
		}
	}
	c.x, c.y = linear(0, roomAbove(furthest), 1, 4, "connections"), y(highest)
	return c
}

// connectionChart is what a connection adds: memory on the left, a goroutine or none on the right.
func (h *held) connectionChart() rowChart {
	c := rowChart{
		id: "hold-connection", title: "What a connection adds at rest",
		caption: "Left: heap and stacks, the mark the median of the trials' slopes, the line its 95 % interval where there are trials enough. Right: goroutines, 100 % is one for each connection.",
		right:   "goroutines",
	}
	highest := 0.0
	for i := range h.Hold {
		e := &h.Hold[i]
		s, ok := slopeOf(e, heldMemory)
		if !ok {
			continue
		}
		row := chartRow{label: e.Engine, series: i, low: lower95(s), middle: s.Median, high: upper95(s)}
		row.tip = e.Engine + ": " + lineText(e, heldMemory, perBytes)
		if row.missing = noLine(e, heldMemory); row.missing != "" {
			row.low, row.middle, row.high = 0, 0, 0
		}
		if g, ok := slopeOf(e, heldGo); ok {
			row.share, row.text = min(max(g.Median, 0), 1), perOne(g.Median)
			row.tip += fmt.Sprintf(", %s goroutines", row.text)
		}
		highest = max(highest, row.high)
		c.rows = append(c.rows, row)
	}
	c.x = byteAxis(roomAbove(highest), 4, "heap and stacks of a connection, ")
	return c
}
