package report

import (
	"fmt"
	"math"
	"slices"

	"wsfanout/compare/result"
)

type blockNumber = func(*result.BlockTrial) (float64, bool)

func ofBlock(number func(*result.BlockTrial) float64) blockNumber {
	return func(t *result.BlockTrial) (float64, bool) { return number(t), true }
}

// ofWait is a latency of the others, which is nothing if no echo came.
func ofWait(number func(*result.Latency) int64) blockNumber {
	return func(t *result.BlockTrial) (float64, bool) { return float64(number(&t.LatencyNs)), t.LatencyNs.N > 0 }
}

func ofStalls(number func(*result.Stalls) float64) blockNumber {
	return func(t *result.BlockTrial) (float64, bool) {
		if t.Stalls == nil {
			return 0, false
		}
		return number(t.Stalls), true
	}
}

var (
	echoesOf   = ofBlock(func(t *result.BlockTrial) float64 { return t.PerSecond })
	stallsOf   = ofStalls(func(s *result.Stalls) float64 { return float64(s.Count) })
	stallCost  = ofStalls(func(s *result.Stalls) float64 { return s.CostNs })
	waitP50    = ofWait(func(l *result.Latency) int64 { return l.P50 })
	waitP99    = ofWait(func(l *result.Latency) int64 { return l.P99 })
	waitMax    = ofWait(func(l *result.Latency) int64 { return l.Max })
	turnsOf    = ofBlock(func(t *result.BlockTrial) float64 { return float64(t.Turns) })
	lostEchoes = ofBlock(func(t *result.BlockTrial) float64 { return float64(t.Lost) })
)

// predictedLoad is what arithmetic says before the measurement.
func predictedLoad(s *result.Block) expCell {
	switch {
	case s.Blocking == 0:
		return expCell{}
	case s.Loops == 0:
		return words("own goroutines")
	case s.Load == 0: // the engine keeps half a frame, and its handlers get whole messages
		return words("none held")
	case s.Load >= 1:
		return expCell{"saturated x" + plain(math.Round(s.Load*10)/10), plainNumber(s.Load)}
	}
	return expCell{smallShare(s.Load), plainNumber(s.Load)}
}

func saturated(s *result.Block) bool { return s.Load >= 1 }

// fate is what became of the echoes of the others, the worse the later.
type fate int

const (
	unknown   fate = iota
	noFall         // or none that the trials can show
	undecided      // fewer are left, and the trials are too few to call it a fall
	fell           // shown, and it may be that at least half is left
	collapsed      // less than half is left
	nothing        // is left
)

// Below these shares of the echoes, in every trial, fewer trials than an interval takes are a collapse. A single one has been 0.44 on a busy
// machine where nothing was held.
const (
	collapseOne = 0.25
	collapseFew = 0.5
	calm        = 0.9 // and from this on they are no fall
)

// fateOf judges what is left of the baseline's echoes.
func (b *blocked) fateOf(s *result.Block) (fate, []float64) {
	kept := s.Kept(b.Baseline(s))
	left, ok := result.Over(kept)
	switch {
	case !ok || s.Blocking == 0:
		return unknown, kept
	case slices.Max(kept) == 0:
		return nothing, kept
	case left.Hi == nil:
		return fateOfFew(kept), kept
	case *left.Hi < collapseFew:
		return collapsed, kept
	case *left.Hi < 1-result.LeastEffect:
		return fell, kept
	}
	return noFall, kept
}

func fateOfFew(kept []float64) fate {
	limit := collapseFew
	if len(kept) == 1 {
		limit = collapseOne
	}
	switch most := slices.Max(kept); {
	case most < limit:
		return collapsed
	case most < calm:
		return undecided
	}
	return noFall
}

// leftText is a share of the echoes, as a fraction where it is small: "98 %", "1/19", "nothing".
func leftText(share float64) string {
	switch {
	case share <= 0:
		return "nothing"
	case share < 0.5:
		return "1/" + factorText(1/share)
	}
	return percent(share)
}

func factorText(v float64) string {
	if v >= 9.95 {
		return count(v)
	}
	return fmt.Sprintf("%.1f", v)
}

// leftSpan is what is left and how far the trials are apart.
func leftSpan(kept []float64) string {
	s, ok := result.Over(kept)
	switch {
	case !ok:
		return ""
	case s.Lo != nil && leftText(*s.Lo) != leftText(*s.Hi):
		return fmt.Sprintf("%s [%s, %s]", leftText(s.Median), leftText(*s.Lo), leftText(*s.Hi))
	case s.Lo == nil && leftText(slices.Min(kept)) != leftText(slices.Max(kept)):
		return fmt.Sprintf("%s (%s to %s)", leftText(s.Median), leftText(slices.Min(kept)), leftText(slices.Max(kept)))
	}
	return leftText(s.Median)
}
