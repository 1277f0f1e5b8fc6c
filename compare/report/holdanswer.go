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
		{"at rest", h.perEngine("each connection takes, in heap and stacks: ", func(e *result.Hold) string { return lineText(e, heldMemory, perBytes) })},
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
	var none, one, first, other []string
	for i := range h.Hold {
		e := &h.Hold[i]
		s, ok := slopeOf(e, heldGo)
		switch {
		case !ok:
		case math.Abs(s.Median) < flat:
			none = append(none, fmt.Sprintf("%s (%s)", e.Engine, atMost(e, heldGo)))
		case math.Abs(s.Median-1) < flat && firstOnly(e):
			first = append(first, e.Engine)
		case math.Abs(s.Median-1) < flat:
			one = append(one, e.Engine)
		default:
			other = append(other, e.Engine+" "+lineText(e, heldGo, perOne))
		}
	}
	var parts []string
	for _, group := range []struct {
		head  string
		names []string
	}{{"one for each connection: ", one}, {fmt.Sprintf("one for each of the first %s connections, none beyond them: ", count(mixedBlocking)), first}, {"flat, whatever the connections: ", none}, {"for each connection: ", other}} {
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
		number := ofSweep(strategy, sweepLast)
		l, ok := e.Line(number)
		if !ok {
			continue
		}
		if why := noLine(e, number); why != "" {
			parts = append(parts, strategy+" "+why)
			continue
		}
		constant, sign := l.Intercept().Median, "+"
		if constant < 0 {
			constant, sign = -constant, "-"
		}
		parts = append(parts, fmt.Sprintf("%s %s for each connection %s %s%s", strategy, intervalText(l.Slope(), duration), sign, duration(constant), unproven(e, number)))
	}
	return strings.Join(parts, ", ")
}

// projected is the memory for a million connections with its assumption, and whose line nobody should follow that far.
func (h *held) projected() string {
	text := h.perEngine("", func(e *result.Hold) string {
		if refused(e) != "" {
			return ""
		}
		return projectedCell(e, heldMemory, size).text + unproven(e, heldMemory)
	})
	var parts []string
	if text != "" {
		parts = append(parts, fmt.Sprintf("%s of heap and stacks, if the slope holds: up to %s times beyond what was measured; memory only, without the kernel's own "+
			"structures, and so many clients take several hosts", text, count(h.furthest())))
	}
	return strings.Join(append(parts, h.refusals()...), "; ")
}

// refusals name the engines that were measured and are not projected, those with the same reason together.
func (h *held) refusals() []string {
	var reasons, texts []string
	who := map[string][]string{}
	for i := range h.Hold {
		e := &h.Hold[i]
		if len(e.Good()) == 0 {
			continue
		}
		if why := refused(e); why != "" {
			reasons, who[why] = append(reasons, why), append(who[why], e.Engine)
		}
	}
	for _, why := range distinct(reasons) {
		texts = append(texts, "not projected: "+strings.Join(who[why], ", ")+" ("+strings.TrimPrefix(why, "refused: ")+")")
	}
	return texts
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
