package report

import (
	"fmt"

	"wsfanout/compare/result"
)

// kindTitle is how the blockers block.
func (b *blocked) kindTitle(kind string) string {
	if kind == halfFrame {
		return "some connections send half a frame"
	}
	if held := b.held(); held != "" {
		return fmt.Sprintf("some handlers sleep for %s", held)
	}
	return "some handlers " + oneLine(kind)
}

// rows are those of the kind, cells behind the label and the number of blocking connections.
func (b *blocked) rows(setups []*result.Block, cells func(*result.Block) []expCell) []expRow {
	var rows []expRow
	for _, s := range setups {
		row, ok := b.begin(b.placeName(s), blockTrials(s))
		if row.cells = append(row.cells, figureCell(float64(s.Blocking), count)); ok {
			row.cells = append(row.cells, cells(s)...)
		}
		rows = append(rows, row)
	}
	return rows
}

var blockingColumns = []expColumn{{}, {}, {"blocking", "blocking", true}}

// fallen is the prediction beside what is left of the echoes of the others.
func (b *blocked) fallen(kind string) expTable {
	setups := b.of(kind)
	lead := "the others echo; left: of the echoes of the same engine with nothing that blocks, trial by trial; predicted: blocking connections / handlers that can run at a time, " +
		"and where a connection is bound to one loop, k of n loops held: that share of the connections waits with them"
	t := expTable{
		title: b.kindTitle(kind), lead: lead + "; " + spanLegend(b.trials),
		columns: append(blockingColumns[:len(blockingColumns):len(blockingColumns)], expColumn{"predicted", "load", true},
			expColumn{"echoes/s", "per_second", true}, expColumn{"left", "kept", true}, expColumn{head: "measured"}),
		rows: b.rows(setups, func(s *result.Block) []expCell {
			j, left := b.judge(s), expCell{}
			if m, ok := result.Over(j.kept); ok && s.Blocking > 0 {
				left = expCell{leftSpan(j.kept), plainNumber(m.Median)}
			}
			measured := fateWords[j.fate]
			if j.fate == starving {
				measured = starvedText(s) + " starve"
			}
			return []expCell{predictedLoad(s), spanCell(s.Values(echoesOf), rateText), left, words(measured)}
		}),
	}
	for i, s := range setups {
		if j := b.judge(s); j.fate == undecided && j.why != "" {
			t.rows[i].notes = append(t.rows[i].notes, b.note("undecided: "+j.why))
		}
	}
	return t
}

// waiting is the latency of the others, and how often a handler was held.
func (b *blocked) waiting(kind string) expTable {
	return expTable{
		title: "latency of the others, " + b.kindTitle(kind), lead: "of an echo, from its send, in a closed loop; unanswered: echoes that never came, or not in the window; starved: connections with less than a fifth of the busiest one's; turns: handlers that the blocking connections held; " + spanLegend(b.trials),
		columns: append(blockingColumns[:len(blockingColumns):len(blockingColumns)], expColumn{"p50", "p50_ns", true}, expColumn{"p99", "p99_ns", true},
			expColumn{"max", "max_ns", true}, expColumn{"unanswered", "unanswered", true}, expColumn{"starved", "starved", true},
			expColumn{"turns", "turns", true}),
		rows: b.rows(b.of(kind), func(s *result.Block) []expCell {
			return []expCell{
				waitCell(s, quantiles[0], medianCell), waitCell(s, quantiles[2], spanCell), waitCell(s, quantiles[4], medianCell),
				medianCell(s.Values(unanswered), count), medianCell(s.Values(starvedOf), count), medianCell(s.Values(turnsOf), count),
			}
		}),
	}
}

// stalled names the handlers that held a loop for too long, of the set-ups in which one did.
func (b *blocked) stalled() expTable {
	t := expTable{title: "handlers that ran for longer than the limit",
		columns: append(blockingColumns[:len(blockingColumns):len(blockingColumns)], expColumn{head: "blockers"}, expColumn{"stalls", "stalls_count", true},
			expColumn{"worst", "stalls_worst_ns", true}, expColumn{head: "the worst"})}
	var setups []*result.Block
	for i := range b.Block {
		if worst := worstStall(&b.Block[i]); worst != nil {
			setups = append(setups, &b.Block[i])
			t.lead = fmt.Sprintf("longer than %s; stalls: the median of the trials; worst: of all trials; this is wall time, so that a handler is named, too, whose processor was "+
				"taken from it", exact(float64(worst.LimitNs)))
		}
	}
	t.rows = b.rows(setups, func(s *result.Block) []expCell {
		worst := worstStall(s)
		return []expCell{words(oneLine(s.Blockers)), medianCell(s.Values(stallsOf), count), figureCell(float64(worst.WorstNs), duration), words(oneLine(worst.Handler))}
	})
	return t
}

// worstStall is the longest of all good trials, nil if there was none.
func worstStall(s *result.Block) *result.Stalls {
	var worst *result.Stalls
	for _, t := range s.Good() {
		if t.Stalls != nil && t.Stalls.Count > 0 && (worst == nil || t.Stalls.WorstNs > worst.WorstNs) {
			worst = t.Stalls
		}
	}
	return worst
}

// detector is what looking for stalls costs, and the places with their specs.
func (b *blocked) detector() expTable {
	t := expTable{
		title: "the places, and what the detector costs",
		lead:  "cost: of looking at one handler, the median of all set-ups of the engine; share: of the time between two echoes with nothing that blocks",
		columns: []expColumn{{}, {}, {head: "engine"}, {"handlers at a time", "loops", true}, {"detector", "stalls_cost_ns", true},
			{"share", "stalls_cost_share", true}},
	}
	seen := map[string]bool{}
	for i := range b.Block {
		s := &b.Block[i]
		if seen[s.Engine] {
			continue
		}
		seen[s.Engine] = true
		loops := words("one a connection")
		if s.Loops > 0 {
			loops = figureCell(float64(s.Loops), count)
		}
		name := b.placeName(s)
		t.rows = append(t.rows, expRow{cells: append([]expCell{words(bare(s.Engine)), words(name[1]), words(s.Engine), loops}, b.detectorCells(s)...)})
	}
	return t
}

func (b *blocked) detectorCells(s *result.Block) []expCell {
	var costs []float64
	for i := range b.Block {
		if b.Block[i].Engine == s.Engine {
			costs = append(costs, b.Block[i].Values(stallCost)...)
		}
	}
	cost, ok := result.Over(costs)
	if !ok {
		return make([]expCell, 2)
	}
	cells := []expCell{figureCell(cost.Median, duration), {}}
	if base := b.Baseline(s); base != nil {
		if rate, ok := result.Over(base.Values(echoesOf)); ok && rate.Median > 0 {
			cells[1] = figureCell(cost.Median*rate.Median/1e9, smallShare)
		}
	}
	return cells
}

// smallShare does not round a cost down to nothing: "0.08 %".
func smallShare(share float64) string {
	if share > 0 && share < 0.01 {
		return significantSmall(100*share) + " %"
	}
	return percent(share)
}
