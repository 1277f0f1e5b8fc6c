package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// What a line must have to be put into a sentence: the machine's noise has a slope, too.
const (
	leastR2   = 0.9
	leastSpan = 300 // connections between the fewest and the most
)

// noLine is why there is no line to speak of, "" if there is one.
func noLine(e *result.Hold, number holdNumber) string {
	l, ok := e.Line(number)
	counts := e.Counts()
	switch {
	case !ok:
		return "no line"
	case l.R2 != nil && *l.R2 < leastR2:
		return "no line (R2 " + r2(l) + ")"
	case l.Slope().Median < 0:
		return "no line (it falls)"
	case counts[len(counts)-1]-counts[0] < leastSpan:
		return fmt.Sprintf("no line (through %s to %s connections only)", count(float64(counts[0])), count(float64(counts[len(counts)-1])))
	}
	return ""
}

// unproven is what is said behind a line through two points, "" of another.
func unproven(e *result.Hold, number holdNumber) string {
	if l, ok := e.Line(number); ok && l.R2 == nil {
		return " (two points: R2 cannot tell)"
	}
	return ""
}

// lineText is a slope in a sentence, or why there is none; "" of an engine that was not measured.
func lineText(e *result.Hold, number holdNumber, show func(float64) string) string {
	if len(e.Good()) == 0 {
		return ""
	}
	if why := noLine(e, number); why != "" {
		return why
	}
	return slopeCell(e, number, show).text + unproven(e, number)
}

// lineCell is a cell of a line that nobody should read where there is none.
func lineCell(e *result.Hold, number holdNumber, cell expCell) expCell {
	if _, ok := e.Line(number); ok && noLine(e, number) != "" {
		return words("no line")
	}
	return cell
}

// firstOnly says that all points are of the connections that such an engine serves in another way than those that follow.
func firstOnly(e *result.Hold) bool {
	counts := e.Counts()
	return strings.Contains(e.Engine, "iomod=mixed") && len(counts) > 0 && counts[len(counts)-1] <= mixedBlocking
}

// A projection goes to so many connections, and not further than so many times the largest number measured.
const (
	aMillion     = 1e6
	millionTimes = 200
)

func timesBeyond(e *result.Hold) float64 { return aMillion / float64(slices.Max(e.Counts())) }

// refused is why a line is not followed that far, "" if it is.
func refused(e *result.Hold) string {
	switch why := noLine(e, heldMemory); {
	case why != "":
		return why
	case firstOnly(e):
		return fmt.Sprintf("refused: the first %s connections only: beyond them it serves as nonblocking does", count(mixedBlocking))
	case timesBeyond(e) > millionTimes:
		return fmt.Sprintf("refused: %s times beyond the largest number measured, at most %d; measure %s",
			count(timesBeyond(e)), millionTimes, count(aMillion/millionTimes))
	}
	return ""
}

// projectedCell is where the line would be.
func projectedCell(e *result.Hold, number holdNumber, show func(float64) string) expCell {
	l, ok := e.Line(number)
	if !ok {
		return expCell{}
	}
	at := l.At(aMillion)
	at.Median = max(at.Median, 0) // a line that falls by noise does not fall below nothing
	return expCell{intervalText(at, show), plainNumber(at.Median)}
}

// roundCount is a count to three digits: a projection knows no more.
func roundCount(v float64) string {
	if v < 1000 {
		return count(v)
	}
	digits := math.Pow(10, math.Floor(math.Log10(v))-2)
	return count(math.Round(v/digits) * digits)
}
