package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// doubtStuck is a note on rows of the lower table that have figures.
func doubtStuck(f *result.File, title string, show func(*result.Cell) string) []note {
	return noteOn(f, lower, hasProof, title, show)
}

func hasProof(c *result.Cell) bool { return len(proven(c)) > 0 }

// calmTrials are those in which a client never jammed, beside others of the cell in which all did.
func calmTrials(f *result.File) []note {
	return doubtStuck(f, "trials that never jammed and are not in the figures", func(c *result.Cell) string {
		calm := neverJammed(c)
		if len(calm) == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d: %s", len(calm), len(c.Trials), oneLine(calm[len(calm)-1].Stuck.Jam.Arithmetic))
	})
}

func notResolvable(f *result.File) []note {
	const title = "late clients are not resolvable at this D, because the same rule finds some in the healthy phase, where nobody is stuck; " +
		"a longer write timeout or fewer clients may help"
	return doubtStuck(f, title, func(c *result.Cell) string {
		noisy := unresolved(c)
		if len(noisy) == 0 || noisy[0].Blast == nil {
			return ""
		}
		control := 0
		for _, p := range noisy {
			control = max(control, p.Blast.Control)
		}
		text := fmt.Sprintf("%s of %s late by %s", count(float64(control)), count(float64(c.Clients)),
			exact(float64(noisy[0].Blast.LateThresholdNs)))
		if n := len(proven(c)); n > 1 {
			text = fmt.Sprintf("%d of %d trials, up to %s", len(noisy), n, text)
		}
		return text
	})
}

// noticedVaries spells out what the column only calls varying.
func noticedVaries(f *result.File) []note {
	return doubtStuck(f, "not every stuck client was noticed by the same", func(c *result.Cell) string {
		met := reasons(c, noticedBy)
		if len(met) < 2 {
			return ""
		}
		return tally(met)
	})
}

// tally is "queue full 4, nobody 2", the most frequent first, "" for nothing.
func tally(counts map[string]int) string {
	met := slices.SortedStableFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, reason := range met {
		parts = append(parts, fmt.Sprintf("%s %s", orNobody(reason), count(float64(counts[reason]))))
	}
	return strings.Join(parts, ", ")
}

func undeliveredWhileStuck(f *result.File) []note {
	return doubtStuck(f, "not every message arrived at the healthy clients while others were stuck",
		func(c *result.Cell) string { return ledger(stuckPhases(c)) })
}

// closedHealthy are false kills: healthy clients that the server closed.
func closedHealthy(f *result.File) []note {
	return doubtStuck(f, "false kills, healthy clients that were closed", func(c *result.Cell) string { return tally(falseKills(c)) })
}

// falseKills are over all proven trials, by reason.
func falseKills(c *result.Cell) map[string]int {
	kills := map[string]int{}
	for _, p := range stuckPhases(c) {
		for reason, n := range p.FalseKills {
			kills[oneLine(reason)] += n
		}
	}
	return kills
}

// closedOthers are false kills among the clients that misbehave but live: slow ones, and those that read again.
func closedOthers(f *result.File) []note {
	return doubtStuck(f, "false kills, clients that were closed although they were alive", func(c *result.Cell) string {
		return tally(others(c, func(o *result.Other) string { return o.FalseKill }))
	})
}

// outcomes are what became of those that were not closed wrongly.
func outcomes(f *result.File) []note {
	return doubtStuck(f, "what became of the clients that were slow or read again", func(c *result.Cell) string {
		return tally(others(c, func(o *result.Other) string {
			if o.FalseKill != "" {
				return ""
			}
			return o.Outcome
		}))
	})
}

// survivors are extra clients that are still members at the end, as they should be.
func survivors(o *result.Other) string {
	if strings.HasPrefix(o.Outcome, "evicted") {
		return ""
	}
	return o.Outcome
}

// others counts what is said of the extra clients of the proven trials, by kind; "" is nothing.
func others(c *result.Cell, said func(*result.Other) string) map[string]int {
	counts := map[string]int{}
	for _, p := range stuckPhases(c) {
		for i := range p.Others {
			if text := said(&p.Others[i]); text != "" {
				counts[p.Others[i].Kind+" client, "+oneLine(text)]++
			}
		}
	}
	return counts
}

func notBack(f *result.File) []note {
	return doubtStuck(f, "not back at the healthy state 2 s after the stuck phase", func(c *result.Cell) string {
		r := worstRecovery(c)
		if r == nil || *r == (result.Recovery{}) {
			return ""
		}
		text := strings.Join(recoveryParts(*r), ", ")
		if reasons(c, evictedBy)[""] > 0 {
			text += ", and its stuck client was never evicted"
		}
		if live := others(c, survivors); len(live) > 0 {
			text += ", those of its living extra clients included"
		}
		return text
	})
}

// worstRecovery is the one with most left over, nil if none was measured.
func worstRecovery(c *result.Cell) *result.Recovery {
	var most *result.Recovery
	for _, t := range proven(c) {
		if r := t.Recovery; r != nil && (most == nil || leftovers(r) > leftovers(most)) {
			most = r
		}
	}
	return most
}

func leftovers(r *result.Recovery) int {
	return max(r.Members, -r.Members) + max(r.FDs, -r.FDs) + max(r.Goroutines, -r.Goroutines)
}

// recoveryParts name what is not back, with its sign where there is too little.
func recoveryParts(r result.Recovery) []string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{r.Members, "member"}, {r.FDs, "fd"}, {r.Goroutines, "goroutine"}} {
		if part.n != 0 {
			parts = append(parts, plural(part.n, part.what))
		}
	}
	return parts
}
