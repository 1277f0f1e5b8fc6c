package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

var stuckFigures = []figure{
	{column{"late clients", true}, each(lateOf)},
	{column{"worst healthy", true}, worstWithClock},
	{column{"rounds late", true}, each(roundsLate)},
	{column{head: "noticed by"}, each(func(c *result.Cell) string { return reason(c, noticedBy) })},
	{column{"after", true}, medians(noticeAfter, duration)},
	{column{"server held for it", true}, each(heldOf)},
}

var wideStuckFigures = []figure{
	{column{"late, all trials", true}, each(lateSpan)},
	{column{"p50", true}, medians(stuckP50, duration)},
	{column{"p99", true}, medians(stuckP99, duration)},
	{column{"p99 from due", true}, medians(stuckP99Due, duration)},
	{column{"worst from due", true}, medians(stuckMaxDue, duration)},
	{column{"jam round", true}, each(jamRounds)},
	{column{"absorbed", true}, each(absorbed)},
	{column{head: "evicted by"}, each(evictedOf)},
	{column{"evicted after", true}, medians(evictAfter, duration)},
	{column{"drops", true}, medians(drops, count)},
	{column{"queued", true}, each(queuedOf)},
	{column{"left over", true}, each(leftOver)},
	{column{"false kills", true}, each(falseKillsOf)},
}

// lateOf is "5,000 of 10,000", and never 0 where late clients cannot be told from the healthy phase's own.
func lateOf(c *result.Cell) string {
	if _, damage := c.Over(lateRounds); !damage {
		return ""
	}
	s, ok := c.Over(lateClients)
	switch {
	case !ok || !resolvable(c):
		return "not resolvable"
	case s.Median == 0:
		return "0"
	}
	return fmt.Sprintf("%s of %s", count(s.Median), count(float64(c.Clients)))
}

func lateSpan(c *result.Cell) string {
	var late []float64
	for _, p := range stuckPhases(c) {
		if p.Blast != nil && p.Blast.LateClients != nil {
			late = append(late, float64(*p.Blast.LateClients))
		}
	}
	return between(late, count)
}

// roundsLate tells rounds that began late from those that never did.
func roundsLate(c *result.Cell) string {
	late, ok := c.Over(lateRounds)
	if !ok {
		return ""
	}
	if lost, _ := c.Over(neverStarted); lost.Median > 0 {
		return fmt.Sprintf("%s, %s never", count(late.Median), count(lost.Median))
	}
	return count(late.Median)
}

// reason is what the stuck clients of all trials met, if it was the same.
func reason(c *result.Cell, of func(*result.JamClient) string) string {
	met := slices.Sorted(maps.Keys(reasons(c, of)))
	switch {
	case len(met) == 0:
		return ""
	case len(met) > 1:
		return "varies"
	}
	return orNobody(met[0])
}

func orNobody(reason string) string {
	if reason == "" {
		return "nobody"
	}
	return reason
}

func evictedOf(c *result.Cell) string {
	evicted := reason(c, evictedBy)
	if evicted == reason(c, noticedBy) && evicted != "varies" && evicted != "nobody" {
		return "as noticed"
	}
	return evicted
}

func heldOf(c *result.Cell) string {
	s, ok := c.Over(heldMost)
	if !ok {
		return ""
	}
	text := size(s.Median)
	if as := heldAs(c, extrasOf(c)); s.Median > 0 && as != "" {
		text += " (" + as + ")"
	}
	return text
}

// extrasOf is how many clients a cell has beside the healthy ones.
func extrasOf(c *result.Cell) int {
	for _, t := range c.Trials {
		if extras := t.Connected - c.Clients; extras > 0 {
			return extras
		}
	}
	return 0
}

func jamRounds(c *result.Cell) string {
	var rounds []float64
	for _, j := range jammedClients(c) {
		if j.JamRound != nil {
			rounds = append(rounds, float64(*j.JamRound))
		}
	}
	return between(rounds, count)
}

func absorbed(c *result.Cell) string {
	var bytes []float64
	for _, j := range jammedClients(c) {
		bytes = append(bytes, float64(j.AbsorbedBytes))
	}
	return between(bytes, size)
}

func queuedOf(c *result.Cell) string {
	s, ok := c.Over(waitingMost)
	if !ok || !queues(c) {
		return ""
	}
	return fmt.Sprintf("%s of %d", count(s.Median), queueLength(c))
}

// leftOver is the worst recovery of any trial.
func leftOver(c *result.Cell) string {
	r := worstRecovery(c)
	switch {
	case r == nil:
		return ""
	case *r == result.Recovery{}:
		return "nothing"
	}
	return strings.Join(recoveryParts(*r), ", ")
}

func falseKillsOf(c *result.Cell) string {
	kills := 0
	for _, n := range falseKills(c) {
		kills += n
	}
	return count(float64(kills))
}

// between is the range of values, in one word if they look alike.
func between(values []float64, format func(float64) string) string {
	if len(values) == 0 {
		return ""
	}
	low, high := format(slices.Min(values)), format(slices.Max(values))
	if low == high {
		return low
	}
	if number, unit, ok := strings.Cut(low, " "); ok && strings.HasSuffix(high, " "+unit) {
		low = number // "8.45 to 9.45 KiB"
	}
	return low + " to " + high
}
