package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// spanText is the median of the trials and how far they are apart: "[lo, hi]" is its 95 % interval, "(least-most)" the range where
// there are too few trials for one. A single trial has neither, nor have trials that look all alike.
func spanText(values []float64, show func(float64) string) string {
	s, ok := result.Over(values)
	switch {
	case !ok:
		return ""
	case s.Lo == nil && show(slices.Min(values)) != show(slices.Max(values)):
		return fmt.Sprintf("%s (%s)", show(s.Median), rangeText(show(slices.Min(values)), show(slices.Max(values)), "-"))
	}
	return intervalText(s, show)
}

// intervalText is a median and its interval, where there is one that is not finer than the figure.
func intervalText(s result.Summary, show func(float64) string) string {
	if s.Lo == nil || show(*s.Lo) == show(*s.Hi) {
		return show(s.Median)
	}
	return fmt.Sprintf("%s [%s]", show(s.Median), rangeText(show(*s.Lo), show(*s.Hi), ", "))
}

// rangeText names a unit that both have once: "9.8-10.3 KiB".
func rangeText(low, high, mark string) string {
	number, unit, _ := strings.Cut(low, " ")
	if _, other, _ := strings.Cut(high, " "); unit == other {
		low = number
	}
	return low + mark + high
}

func spanCell(values []float64, show func(float64) string) expCell {
	s, ok := result.Over(values)
	if !ok {
		return expCell{}
	}
	return expCell{spanText(values, show), plainNumber(s.Median)}
}

func medianCell(values []float64, show func(float64) string) expCell {
	s, ok := result.Over(values)
	if !ok {
		return expCell{}
	}
	return figureCell(s.Median, show)
}

// spanLegend says what stands behind the medians of a table of up to so many trials.
func spanLegend(trials int) string {
	switch {
	case trials >= result.IntervalTrials:
		return fmt.Sprintf("medians over %d trials, [95 %% interval]", trials)
	case trials > 1:
		return fmt.Sprintf("medians over %d trials (their range; an interval takes %d)", trials, result.IntervalTrials)
	}
	return fmt.Sprintf("one trial, which has no interval: that takes %d", result.IntervalTrials)
}

// unclaimed is why an answer names figures and calls no engine better.
func unclaimed(trials int) string {
	text := "figures stand side by side; no engine is called better, since a run of this kind has no A/A control"
	if trials < result.IntervalTrials {
		text += fmt.Sprintf(", and with %s no interval (that takes %d)", plural(trials, "trial"), result.IntervalTrials)
	}
	return text
}

// most is the largest number of good trials of the set-ups.
func most[T any](setups []T, good func(*T) int) int {
	n := 0
	for i := range setups {
		n = max(n, good(&setups[i]))
	}
	return n
}
