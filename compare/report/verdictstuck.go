package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// picks are the cells that a stuck client speaks for: proven in every trial, nothing lost, nobody closed who was alive.
type picks struct {
	asked   bool             // somebody was told to stop reading
	calm    []*result.Cell   // nobody late and no round late, in no trial
	leanest [][]*result.Cell // of the calm ones, by engine: those that cost least per client
	sharded []*result.Cell   // at most one shard of the clients is late
}

func picksOf(f *result.File) picks {
	var k picks
	for _, c := range f.Compared() {
		k.asked = k.asked || len(jammedClients(c)) > 0 || len(neverJammed(c)) > 0
		switch share := shardShare(f, c); {
		case !sound(c):
		case worst(c, lateClients) == 0 && worst(c, lateRounds) == 0:
			k.calm = append(k.calm, c)
		case share > 1 && worst(c, lateClients)*share <= float64(c.Clients)+share:
			k.sharded = append(k.sharded, c)
		}
	}
	for _, engine := range enginesOf(f) {
		if cells := leanest(ofEngine(k.calm, engine)); len(cells) > 0 {
			k.leanest = append(k.leanest, cells)
		}
	}
	return k
}

// sound says that all trials of the cell, and enough of them, prove that the stuck clients were stuck and that everybody else got
// everything. A calm that is not proven recommends nothing.
func sound(c *result.Cell) bool {
	return len(c.Trials) >= result.IntervalTrials && !slices.ContainsFunc(c.Trials, func(t result.Trial) bool {
		s := t.Stuck
		if t.Error != "" || t.Healthy == nil || s == nil || s.Jam == nil || !s.Jam.Jammed || s.Blast == nil || s.Blast.LateClients == nil {
			return true
		}
		lost := s.Received != s.Expected || t.Healthy.Received != t.Healthy.Expected || len(s.RoundsDetail) != s.Rounds
		closed := slices.ContainsFunc(s.Others, func(o result.Other) bool { return o.FalseKill != "" })
		return lost || closed || len(s.FalseKills) > 0
	})
}

// shardShare is into how many shards the cell cuts its clients, 1 for none.
func shardShare(f *result.File, c *result.Cell) float64 {
	strategy, n, given := strings.Cut(c.Strategy, ":")
	if !strings.HasPrefix(strategy, "shard") {
		return 1
	}
	shards := f.Plan.Shards
	if given {
		fmt.Sscanf(n, "%d", &shards) // another option leaves it as it is
	}
	return float64(shards)
}

func ofEngine(cells []*result.Cell, engine string) []*result.Cell {
	return slices.DeleteFunc(slices.Clone(cells), func(c *result.Cell) bool { return c.Engine != engine })
}

// leanest are the cells with the least memory per client, and those that are no worse by more than what is claimed.
func leanest(cells []*result.Cell) []*result.Cell {
	least := math.Inf(1)
	for _, c := range cells {
		least = min(least, perClient(c))
	}
	return slices.DeleteFunc(slices.Clone(cells), func(c *result.Cell) bool { return perClient(c) > least*(1+result.LeastEffect) })
}

// perClient is memory in bytes; a cell that did not measure it is never the leanest.
func perClient(c *result.Cell) float64 {
	s, ok := c.Over(bytesPerClient)
	if !ok {
		return math.MaxFloat64
	}
	return s.Median
}

// goroutinesPer is per client, to a tenth.
func goroutinesPer(c *result.Cell) float64 {
	s, _ := c.Over(goroutines)
	return math.Round(10*s.Median/float64(max(c.Clients, 1))) / 10
}

func (k picks) claims(f *result.File) []result.Claim {
	if !k.asked {
		return nil
	}
	claims := []result.Claim{k.noneLate(f)}
	if len(k.sharded) > 0 {
		claims = append(claims, k.oneShardLate(f))
	}
	return claims
}

func (k picks) noneLate(f *result.File) result.Claim {
	claim := result.Claim{Kind: result.KindRecommendation, Cells: cellNames(slices.Concat(k.leanest...)...)}
	if k.leanest == nil {
		claim.Text = "no late client needed: no cell has shown that, with the jam proven in every trial and every message delivered"
		return claim
	}
	var parts []string
	for _, cells := range k.leanest {
		parts = append(parts, fmt.Sprintf("%s (%s)", named(cells), costs(f, cells[0])))
	}
	claim.Text = "no late client needed: " + strings.Join(parts, " or ")
	claim.Evidence = "0 late clients and 0 late rounds, jam proven and everything delivered, in every trial"
	return claim
}

// costs are what a cell takes per client, and how much more that is than the leanest cell of its engine.
func costs(f *result.File, c *result.Cell) string {
	text := perClientText(perClient(c), goroutinesPer(c)) + " per client"
	base := leanest(ofEngine(f.Compared(), c.Engine))[0]
	if more := perClient(c) - perClient(base); more > result.LeastEffect*perClient(base) {
		text += fmt.Sprintf(": %s more than %s", perClientText(more, goroutinesPer(c)-goroutinesPer(base)), name(base))
	}
	if reasons(c, evictedBy)[""] > 0 {
		text += "; its stuck client was never evicted"
	}
	return text
}

func perClientText(bytes, goroutines float64) string {
	switch {
	case goroutines <= 0.05:
		return kib(bytes) + " KiB and no goroutine"
	case goroutines == 1:
		return kib(bytes) + " KiB and 1 goroutine"
	}
	return fmt.Sprintf("%s KiB and %.3g goroutines", kib(bytes), goroutines)
}

func (k picks) oneShardLate(f *result.File) result.Claim {
	var late, latest float64
	for _, c := range k.sharded {
		late, latest = max(late, worst(c, lateClients)), max(latest, worst(c, worstHealthy))
	}
	text := fmt.Sprintf("one shard of the clients late is fine (here up to %s of %s, a delivery up to %s): %s", count(late),
		count(float64(k.sharded[0].Clients)), duration(latest), named(k.sharded))
	if saved := k.savings(k.sharded[0]); saved != "" {
		text += ", which saves " + saved
	}
	return result.Claim{
		Kind: result.KindRecommendation, Text: text, Cells: cellNames(k.sharded...),
		Evidence: "the most late clients of any trial, jam proven and everything delivered in every one",
	}
}

// savings are against the calm cell of the same engine.
func (k picks) savings(c *result.Cell) string {
	for _, cells := range k.leanest {
		if calm := cells[0]; calm.Engine == c.Engine && perClient(calm) > perClient(c)*(1+result.LeastEffect) {
			return fmt.Sprintf("%s per client against %s",
				perClientText(perClient(calm)-perClient(c), goroutinesPer(calm)-goroutinesPer(c)), name(calm))
		}
	}
	return ""
}
