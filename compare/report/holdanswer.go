package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// answers are the figures that a reader came for, of every engine in one sentence each. None before anything is measured.
func (h *held) answers() answer {
	if h.trials == 0 {
		return answer{}
	}
	a := answer{title: "The answer"}
	for _, line := range []keyed{
		{"at rest", h.perEngine("each connection takes, in heap and stacks: ", func(e *result.Hold) string { return slopeCell(e, heldMemory, perBytes).text })},
		{"goroutines", h.goroutines()},
		{"a message", h.perEngine("to all, until the last one has it: ", sweptText)},
		{"afterwards", h.back()},
		{"a million", h.projected()},
		{"compared", unclaimed(h.trials)},
	} {
		if line.Text != "" {
			a.lines = append(a.lines, line)
		}
	}
	return a
}

// perEngine says something of each engine that was measured, "" of none.
func (h *held) perEngine(head string, say func(*result.Hold) string) string {
	var parts []string
	for i := range h.Hold {
		if text := say(&h.Hold[i]); text != "" {
			parts = append(parts, h.Hold[i].Engine+" "+text)
		}
	}
	if parts == nil {
		return ""
	}
	return head + strings.Join(parts, "; ")
}

// flat is a slope of goroutines that a run of threads and timers may have: one in two hundred connections.
const flat = 0.005

// goroutines tells the engines that need them from those that do not.
func (h *held) goroutines() string {
	var none, one, other []string
	for i := range h.Hold {
		e := &h.Hold[i]
		s, ok := slopeOf(e, heldGo)
		switch {
		case !ok:
		case math.Abs(s.Median) < flat:
			none = append(none, fmt.Sprintf("%s (%s)", e.Engine, atMost(e, heldGo)))
		case math.Abs(s.Median-1) < flat:
			one = append(one, e.Engine)
		default:
			other = append(other, fmt.Sprintf("%s %s", e.Engine, perOne(s.Median)))
		}
	}
	var parts []string
	for _, group := range []struct {
		head  string
		names []string
	}{{"one for each connection: ", one}, {"flat, whatever the connections: ", none}, {"for each connection: ", other}} {
		if group.names != nil {
			parts = append(parts, group.head+strings.Join(group.names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// atMost is the most of a number that any trial and count had.
func atMost(e *result.Hold, number holdNumber) string {
	var all []float64
	for _, n := range e.Counts() {
		all = append(all, e.At(n, number)...)
	}
	return "at most " + count(slices.Max(all))
}

// sweptText is slope and constant of each strategy.
func sweptText(e *result.Hold) string {
	var parts []string
	for _, strategy := range sweepsOf(e) {
		l, ok := e.Line(ofSweep(strategy, sweepLast))
		if !ok {
			continue
		}
		constant, sign := l.Intercept().Median, "+"
		if constant < 0 {
			constant, sign = -constant, "-"
		}
		parts = append(parts, fmt.Sprintf("%s %s for each connection %s %s", strategy, intervalText(l.Slope(), duration), sign, duration(constant)))
	}
	return strings.Join(parts, ", ")
}

// back says that everything is as before, or who keeps what.
func (h *held) back() string {
	var stayed, clean []string
	for i := range h.Hold {
		e := &h.Hold[i]
		var kept []string
		known := false
		for _, row := range []struct {
			what string
			cell expCell
		}{
			{"members", stayedCell(e, ofLeft(func(l *result.Left) int64 { return int64(l.Members) }))},
			{"descriptors", stayedCell(e, ofLeft(func(l *result.Left) int64 { return int64(l.FDs) }))},
			{"goroutines", stayedCell(e, ofLeft(func(l *result.Left) int64 { return int64(l.Goroutines) }))},
			{"heap", heapStayed(e)},
		} {
			known = known || row.cell.text != ""
			if row.cell.text != "" && !strings.HasPrefix(row.cell.text, "back") {
				kept = append(kept, row.what+" "+row.cell.text)
			}
		}
		switch {
		case kept != nil:
			stayed = append(stayed, e.Engine+" "+strings.Join(kept, ", "))
		case known:
			clean = append(clean, e.Engine)
		}
	}
	const all = "members, descriptors, goroutines and heap are back: "
	switch {
	case stayed == nil && clean == nil:
		return ""
	case stayed == nil:
		return "members, descriptors, goroutines and heap are back on all"
	case clean == nil:
		return "not everything is back: " + strings.Join(stayed, "; ")
	}
	return all + strings.Join(clean, ", ") + "; not everything: " + strings.Join(stayed, "; ")
}

// projected is the memory for a million connections with its assumption, or why nobody should believe it.
func (h *held) projected() string {
	var refusal string
	text := h.perEngine("", func(e *result.Hold) string {
		if why := refused(e); why != "" {
			refusal = why
			return ""
		}
		return projectedCell(e, heldMemory, size).text
	})
	if text == "" {
		return refusal
	}
	return fmt.Sprintf("%s of heap and stacks, if the slope holds: up to %s times beyond what was measured; memory only, and so many clients take several hosts",
		text, count(h.furthest()))
}

func (h *held) furthest() float64 {
	times := 0.0
	for i := range h.Hold {
		if e := &h.Hold[i]; refused(e) == "" {
			times = max(times, timesBeyond(e))
		}
	}
	return times
}
