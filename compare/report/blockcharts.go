package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// charts are what is left for each kind of blockers, and the latency of the others beside the first kind.
func (b *blocked) charts() []expPicture {
	var charts []rowChart
	for _, kind := range b.kinds() {
		charts = append(charts, b.leftChart(kind))
	}
	if kinds := b.kinds(); kinds != nil { // of one kind: the others show in what is left
		charts = append(charts, b.waitChart(kinds[0]))
	}
	return rowPictures(charts...)
}

// placeShort is for a row of a picture.
var placeShort = strings.NewReplacer("pool of ", "pool ", "inline on ", "inline ", " pollers", "", " poller", "", "the connection's goroutine", "goroutine")

func (b *blocked) chartRow(s *result.Block) chartRow {
	name := b.placeName(s)
	load := predictedLoad(s).text
	row := chartRow{label: bare(name[0]) + " " + placeShort.Replace(name[1]) + ", " + count(float64(s.Blocking)), series: b.series(s)}
	row.tip = fmt.Sprintf("%s, %s blocking", b.spoken(s), count(float64(s.Blocking)))
	if load != "" {
		row.tip += ", predicted " + load
	}
	return row
}

// series is the engine's place among the bare names of the file.
func (b *blocked) series(s *result.Block) int {
	var names []string
	for i := range b.Block {
		if name := bare(b.Block[i].Engine); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return slices.Index(names, bare(s.Engine))
}

func (b *blocked) leftChart(kind string) rowChart {
	c := rowChart{
		id: "block-left-" + benchName(kind), title: "Echoes of the others, " + b.kindTitle(kind),
		caption: "Left: echoes per second, the median of the trials. Right: what is left of those of the same engine with nothing that blocks. Behind the comma: the blocking connections.",
		right:   "left",
	}
	highest := 0.0
	for _, s := range b.of(kind) {
		rate, ok := result.Over(s.Values(echoesOf))
		if !ok {
			continue
		}
		row := b.chartRow(s)
		row.bar, row.middle = true, rate.Median
		row.tip += fmt.Sprintf(", %s echoes/s", count(rate.Median))
		if b.judge(s).fate == starving {
			row.tip += ", " + starvedText(s) + " connections starve"
		}
		if left, ok := result.Over(s.Kept(b.Baseline(s))); ok && s.Blocking > 0 {
			row.share, row.text = min(left.Median, 1), leftText(left.Median)
			row.tip += ", left " + row.text
		}
		highest = max(highest, rate.Median)
		c.rows = append(c.rows, row)
	}
	c.x = linear(0, roomAbove(highest), 1, 2, "echoes/s")
	return c
}

func (b *blocked) waitChart(kind string) rowChart {
	c := rowChart{
		id: "block-wait-" + benchName(kind), title: "Latency of the others, " + b.kindTitle(kind),
		caption: "From p50 to the longest, the mark is p99; medians of the trials, on a logarithmic scale. Behind the comma: the blocking connections. Right: what is left of the echoes.",
		right:   "left",
	}
	least, longest := 0.0, 0.0
	for _, s := range b.of(kind) {
		if len(s.Good()) == 0 {
			continue
		}
		row := b.chartRow(s)
		if b.waits(&row, s); row.missing == "" {
			if least == 0 || row.low < least {
				least = row.low
			}
			longest = max(longest, row.high)
		}
		if left, ok := result.Over(s.Kept(b.Baseline(s))); ok && s.Blocking > 0 {
			row.share, row.text = min(left.Median, 1), leftText(left.Median)
		}
		c.rows = append(c.rows, row)
	}
	if least <= 0 || longest <= least {
		least, longest = 1e6, 1e9
	}
	c.x = logTimeAxis(least, longest)
	return c
}

// waits puts the latencies of the others on a row. One that too few echoes carry ends where the one before it does.
func (b *blocked) waits(row *chartRow, s *result.Block) {
	at := [3]*float64{&row.low, &row.middle, &row.high}
	row.missing = "no echo came"
	for i, q := range []quantile{quantiles[0], quantiles[2], quantiles[4]} {
		if wait, ok := result.Over(s.Values(ofWait(q))); ok {
			*at[i], row.missing = wait.Median, ""
			row.tip += ", " + q.name + " " + waitText(s, q)
		} else if i > 0 {
			*at[i] = *at[i-1]
		}
	}
}
