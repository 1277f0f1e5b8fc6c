package report

import (
	"fmt"
	"math"
	"slices"

	"wsfanout/compare/result"
)

// flips say under which change of the plan a recommendation would turn over. They are arithmetic on measured figures, no
// measurements, and call themselves so.
func flips(f *result.File, k picks) []result.Claim {
	var claims []result.Claim
	for _, ask := range []func(*result.File, picks) *result.Claim{flipOfPlace, flipOfNumber, flipOfQueue, flipOfMemory, flipOfRate} {
		if c := ask(f, k); c != nil {
			c.Kind, c.Evidence = result.KindFlip, "arithmetic on the figures of this run, not measured"
			claims = append(claims, *c)
		}
	}
	return claims
}

// flipOfPlace: a hub that waits makes those wait who stand behind the stuck client.
func flipOfPlace(f *result.File, _ picks) *result.Claim {
	var waiting []*result.Cell
	for _, c := range f.Compared() {
		if sound(c) && worst(c, lateRounds) > 0 {
			waiting = append(waiting, c)
		}
	}
	if waiting == nil {
		return nil
	}
	c := waiting[0]
	here := fmt.Sprintf("%s of %s of %s", count(worst(c, lateClients)), count(float64(c.Clients)), name(c))
	text := map[string]string{
		"first": "last in the list nobody would wait within the round, in map order half of them on average",
		"last":  "first in the list everybody behind it would wait, in map order half of them on average",
	}[f.Plan.StuckAt]
	if text == "" || f.Plan.Order == "map" {
		text = "first in the list everybody behind it waits, last nobody within the round"
	}
	return &result.Claim{Cells: cellNames(waiting...), Text: fmt.Sprintf(
		"flips with the stuck client's place, where the hub waits (%s): late are those behind it, here %s; %s; "+
			"rounds due meanwhile start up to %s late at any place", named(waiting), here, text, duration(worst(c, worstHealthy)))}
}

// flipOfNumber: a hub that waits does so for each stuck client in turn.
func flipOfNumber(f *result.File, k picks) *result.Claim {
	for _, c := range f.Compared() {
		limit := float64(writeTimeout(c))
		if !sound(c) || worst(c, lateRounds) == 0 || limit == 0 {
			continue
		}
		calm := ""
		if len(k.calm) > 0 {
			calm = fmt.Sprintf("; nobody waits with %s, which hold as much for each of them", named(k.calm))
		}
		return &result.Claim{Cells: cellNames(append([]*result.Cell{c}, k.calm...)...), Text: fmt.Sprintf(
			"flips with the number of stuck clients: a hub that waits does so for each in turn, three would hold up %s for %s; of shards "+
				"only those that hold a stuck client wait, each for its own%s", name(c), exact(3*limit), calm)}
	}
	return nil
}

// flipOfQueue: a queue that fills before the write timeout drops or evicts first.
func flipOfQueue(f *result.File, k picks) *result.Claim {
	for _, c := range k.calm {
		block, known := writesBlock(c, extrasOf(c))
		limit := int64(writeTimeout(c))
		if !queues(c) || !block || !known || limit == 0 || f.Plan.IntervalNs == 0 {
			continue
		}
		slots := int64(queueLength(c))
		fills := slots * f.Plan.IntervalNs
		first := "the write timeout comes first"
		if fills < limit {
			first = "the queue is full first"
		}
		return &result.Claim{Cells: cellNames(c), Text: fmt.Sprintf(
			"flips with rate and write timeout: the queue of %s holds %d messages, %s at this rate against a write timeout of %s: here %s; "+
				"it turns at a write timeout of %s, or at a round every %s",
			name(c), slots, exact(float64(fills)), exact(float64(limit)), first, exact(float64(fills)), duration(float64(limit)/float64(slots)))}
	}
	return nil
}

// flipOfMemory: copies for stuck clients grow with what is sent; a goroutine and a queue for every client do not.
func flipOfMemory(f *result.File, k picks) *result.Claim {
	var copying, fixed *result.Cell
	for _, cells := range k.leanest {
		c := cells[0]
		if heldAs(c, extrasOf(c)) == copies && worst(c, heldMost) > 0 {
			copying = c
		} else {
			fixed = c
		}
	}
	if copying == nil || fixed == nil || perClient(copying) >= perClient(fixed) || perClient(fixed) == math.MaxFloat64 {
		return nil
	}
	spare := (perClient(fixed) - perClient(copying)) * float64(fixed.Clients)
	held := worst(copying, heldMost)
	times := spare / (held * float64(max(extrasOf(copying), 1)))
	return &result.Claim{Cells: cellNames(copying, fixed), Text: fmt.Sprintf(
		"flips with size x rate x write timeout x stuck clients: %s holds %s for each stuck client and needs %s less than %s for all clients; "+
			"that turns at %s times as much", name(copying), size(held), size(spare), name(fixed), count(times))}
}

// flipOfRate: beyond it rounds wait for each other, and no cell is good.
func flipOfRate(f *result.File, k picks) *result.Claim {
	var slowest *result.Cell
	var takes float64
	for _, c := range slices.Concat(slices.Concat(k.leanest...), k.sharded) {
		if s, ok := c.Over(lastOf); ok && s.Median > takes {
			slowest, takes = c, s.Median
		}
	}
	interval := float64(f.Plan.IntervalNs)
	if slowest == nil || takes >= interval {
		return nil
	}
	return &result.Claim{Cells: cellNames(slowest), Text: fmt.Sprintf(
		"flips with clients, size and rate: a round of %s takes %s of %s; above %s clients, if it grows with them, or a round every %s "+
			"rounds fall behind", name(slowest), duration(takes), exact(interval), count(float64(slowest.Clients)*interval/takes), duration(takes))}
}
