package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// The notes of this file say why a policy did not do what its name promises. Each is asked of the data, not of the name alone.

// rearmed: nbio has one deadline for a connection, and a hub that sets it before every write moves it away each round.
func rearmed(f *result.File) []note {
	const title = "not evicted although the write timeout had passed: each round arms the connection's one deadline anew before it fires"
	return doubtStuck(f, title, func(c *result.Cell) string {
		if !isRearmed(f, c) {
			return ""
		}
		text := fmt.Sprintf("%s, a round every %s", timeoutText(c), exact(float64(f.Plan.IntervalNs)))
		for _, j := range jammedClients(c) {
			if j.OnlyAtEnd {
				return text + "; closed only once the rounds stopped"
			}
		}
		return text
	})
}

func isRearmed(f *result.File, c *result.Cell) bool {
	block, known := writesBlock(c, extrasOf(c))
	return known && !block && c.Options["deadline"] == "native" && f.Plan.IntervalNs < int64(writeTimeout(c)) &&
		reasons(c, evictedBy)[""] > 0
}

// unbounded: only the end of the run freed a hub that hung in a write.
func unbounded(f *result.File) []note {
	return doubtStuck(f, "a write without a deadline hung until the experiment closed the stuck client", func(c *result.Cell) string {
		if !isBounded(c) {
			return ""
		}
		lost, _ := c.Over(neverStarted)
		return fmt.Sprintf("worst delivery %s, %s of %d rounds never started",
			duration(worst(c, worstHealthy)), count(lost.Median), stuckPhases(c)[0].Rounds)
	})
}

func isBounded(c *result.Cell) bool {
	for _, j := range jammedClients(c) {
		if j.Bounded {
			return true
		}
	}
	return worst(c, neverStarted) > 0
}

// neverEvicted are the other cells whose stuck clients outlived the run.
func neverEvicted(f *result.File) []note {
	return doubtStuck(f, "stuck clients that were still members at the end of the run", func(c *result.Cell) string {
		if reasons(c, evictedBy)[""] == 0 || isBounded(c) || isRearmed(f, c) {
			return ""
		}
		return limits(c)
	})
}

// limits are all that may end a stuck connection.
func limits(c *result.Cell) string {
	var parts []string
	if d := writeTimeout(c); d > 0 {
		parts = append(parts, "write timeout "+exact(float64(d)))
	}
	if d := option(c, "usertimeout"); d > 0 {
		parts = append(parts, "user timeout "+exact(float64(d)))
	}
	if limit := pendingCap(c); limit != "" {
		parts = append(parts, "pending cap "+limit)
	}
	if parts == nil {
		return "nothing there ends a write"
	}
	return strings.Join(parts, ", ")
}

// pendingCap is in the spec's own words, "" for none.
func pendingCap(c *result.Cell) string {
	if limit := c.Options["pendingcap"]; limit != "0" {
		return limit
	}
	return ""
}

// swallowed: a hub that waits for one client does not start the rounds that are due meanwhile.
func swallowed(f *result.File) []note {
	const title = "a write may take longer than the interval: rounds that were due while the hub was still in an earlier one"
	return doubtStuck(f, title, func(c *result.Cell) string {
		d, rounds := writeTimeout(c), worst(c, roundsSwallowed)
		if d > 0 && int64(d) <= f.Plan.IntervalNs || rounds == 0 || worst(c, lateRounds) == 0 {
			return ""
		}
		return fmt.Sprintf("%s of %d, worst delivery %s from the schedule",
			count(rounds), stuckPhases(c)[0].Rounds, duration(worst(c, stuckMaxDue)))
	})
}

var roundsSwallowed = ofStuck(func(p *result.Phase) *int64 {
	var n, busyUntil int64
	for _, r := range p.RoundsDetail {
		if r.DueNs < busyUntil {
			n++
		}
		busyUntil = r.StartNs + r.HubNs
	}
	return &n
})

// dropCameLate: the queue would have dropped, had the client stayed for long enough.
func dropCameLate(f *result.File) []note {
	return doubtStuck(f, "the drop could not act", func(c *result.Cell) string {
		block, known := writesBlock(c, extrasOf(c))
		if !queues(c) || gated(c) || !block || !known || worst(c, drops) > 0 {
			return ""
		}
		first := "the run ended first"
		if reasons(c, evictedBy)[""] == 0 {
			first = "the eviction came first"
		}
		if held := worst(c, waitingMost); held > 0 {
			return fmt.Sprintf("%s, queue held %s of %d", first, count(held), queueLength(c))
		}
		return first
	})
}

// dropCannotAct: a writer that never waits never lets its queue fill.
func dropCannotAct(f *result.File) []note {
	const title = "the drop cannot act where writes never block: the queue never fills and the engine holds what the client does not take"
	return doubtStuck(f, title, func(c *result.Cell) string {
		block, known := writesBlock(c, extrasOf(c))
		if !queues(c) || gated(c) || block || !known || worst(c, drops) > 0 {
			return ""
		}
		return fmt.Sprintf("0 drops, %s pending", size(worst(c, heldMost)))
	})
}

// mixedMode: below its threshold the mode is another one.
func mixedMode(f *result.File) []note {
	title := fmt.Sprintf("nbio's mixed mode serves the first %s connections as blocking ones", count(mixedBlocking))
	return noteOn(f, upper, func(c *result.Cell) bool { return c.Options["iomod"] == "mixed" }, title, func(c *result.Cell) string {
		clients := c.Clients + extrasOf(c)
		if clients <= mixedBlocking {
			return fmt.Sprintf("%s clients: this measures the blocking path", count(float64(clients)))
		}
		return fmt.Sprintf("%s of %s clients", count(mixedBlocking), count(float64(clients)))
	})
}
