package report

import (
	"fmt"
	"math"
	"slices"

	"wsfanout/compare/result"
)

// spread is a round's last client minus its first: it needs no clock but the clients'.
var spread = ofHealthy(medianSpread)

// medianSpread is from the rounds in files of before, 0 if no round reached anybody.
func medianSpread(p *result.Phase) float64 {
	if p.Spread != nil {
		return float64(p.Spread.Median)
	}
	var spreads []int64
	for _, r := range p.RoundsDetail {
		if r.FirstNs != 0 {
			spreads = append(spreads, r.LastNs-r.FirstNs)
		}
	}
	if len(spreads) == 0 {
		return 0
	}
	slices.Sort(spreads)
	n := len(spreads)
	return float64(spreads[(n-1)/2]+spreads[n/2]) / 2
}

// clockDoubt is by how much every latency of a trial may be off because the clocks are two.
func clockDoubt(t *result.Trial) (float64, bool) {
	if t.Clock == nil || t.Clock.Shared {
		return 0, false
	}
	return float64(t.Clock.UncertaintyNs), true
}

var (
	spreadFigure = figure{column{"spread ms", true}, scaled(spread, 1e6)}
	clockFigure  = figure{column{"clock", true}, each(clockText)}
)

// clockText is "+-29 us", by which the latencies of the row may be off.
func clockText(c *result.Cell) string {
	if n := c.ClockUncertainty(); n > 0 {
		return giveOrTake(n)
	}
	return "one"
}

// giveOrTake is a doubt in two digits, rounded up: it is never shown smaller than it is.
func giveOrTake(ns int64) string {
	step := math.Pow(10, max(math.Floor(math.Log10(float64(ns)))-1, 0))
	return "+-" + exact(math.Ceil(float64(ns)/step)*step)
}

// healthyFigures are the columns of the upper table. Where the clocks are two, their doubt stands beside the latencies; in the narrow
// table the spread takes the place of the last column.
func (p *page) healthyFigures() []figure {
	figures := healthyFigures
	if p.ClockUncertainty() > 0 {
		figures = slices.Insert(slices.Clone(figures), 1, clockFigure)
		if !p.opt.Wide {
			figures = slices.Insert(figures[:len(figures)-1], 2, spreadFigure)
		}
	}
	if p.opt.Wide {
		figures = slices.Concat(figures, wideFigures)
	}
	return figures
}

// worstWithClock is the longest healthy delivery, with the doubt where the clocks are two.
func worstWithClock(cells []*result.Cell) []string {
	texts := medians(worstHealthy, duration)(cells)
	for i, c := range cells {
		if n := c.ClockUncertainty(); n > 0 && texts[i] != "" {
			texts[i] += " " + giveOrTake(n)
		}
	}
	return texts
}

// otherClocks says how well the clocks are known.
func otherClocks(f *result.File) []note {
	const title = "server and clients have different clocks: by so much every latency may be off, and no difference below that is claimed; " +
		"the spread from the first client to the last needs no common clock"
	return doubt(f, title, func(c *result.Cell) string {
		var worst *result.Clock
		for i := range c.Trials {
			if k := c.Trials[i].Clock; c.Trials[i].Error == "" && k != nil && !k.Shared && (worst == nil || k.UncertaintyNs > worst.UncertaintyNs) {
				worst = k
			}
		}
		if worst == nil {
			return ""
		}
		return fmt.Sprintf("%s at %s, drift %.3g ppm", clockText(c), plural(worst.Exchanges, "exchange"), worst.DriftPPM)
	})
}

// clockFloor is what a sentence about the noise floor adds where the clocks are two.
func clockFloor(f *result.File) string {
	if n := f.ClockUncertainty(); n > 0 {
		return fmt.Sprintf("; nor is a difference of latencies below what the clocks of server and clients leave open (up to %s each)", giveOrTake(n))
	}
	return ""
}

// clockMethod says by which clock latencies are taken.
func (s *sheet) clockMethod() string {
	if s.all(func(r *run) bool { return r.ClockUncertainty() == 0 }) {
		return "The clock is CLOCK_MONOTONIC, which all processes of a host share."
	}
	return "The clock is CLOCK_MONOTONIC, which all processes of a host share. Between hosts a client asks the server for its clock before, " +
		"during and after the rounds: half the shortest round trip bounds the error of the offset, whatever the two ways take, and the " +
		"drift is interpolated. That bound stands beside the latencies."
}
