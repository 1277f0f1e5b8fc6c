package report

import (
	"fmt"
	"slices"

	"wsfanout/compare/result"
)

type blockNumber = func(*result.BlockTrial) (float64, bool)

func ofBlock(number func(*result.BlockTrial) float64) blockNumber {
	return func(t *result.BlockTrial) (float64, bool) { return number(t), true }
}

// ofWait is a latency of the others, which is nothing if fewer echoes came than carry it.
func ofWait(q quantile) blockNumber {
	return func(t *result.BlockTrial) (float64, bool) { return q.carried(&t.LatencyNs) }
}

// ofWaitBound is 1 where that latency is a lower bound, since the echoes that never came reach it.
func ofWaitBound(q quantile) blockNumber {
	return func(t *result.BlockTrial) (float64, bool) {
		return oneIf(q.reachedBy(t.Unanswered(), t.LatencyNs.N+t.Unanswered())), t.LatencyNs.N > 0
	}
}

// waitCell is a latency of the others with what the trials differ by, or as a lower bound.
func waitCell(s *result.Block, q quantile, show func([]float64, func(float64) string) expCell) expCell {
	return boundCell(s.Values(ofWait(q)), s.Values(ofWaitBound(q)), show)
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
	turnRate   = ofBlock(func(t *result.BlockTrial) float64 { return t.TurnsPerSecond })
	turnsOf    = ofBlock(func(t *result.BlockTrial) float64 { return float64(t.Turns) })
	lostEchoes = ofBlock(func(t *result.BlockTrial) float64 { return float64(t.Lost) })
	unanswered = ofBlock(func(t *result.BlockTrial) float64 { return float64(t.Unanswered()) })
	starvedOf  = ofBlock(func(t *result.BlockTrial) float64 { return float64(t.Starved) })
)

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
