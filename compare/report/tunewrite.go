package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// writeTimeouts is a row for each engine, policy and timeout: the damage of one stuck client, and what the policy does to the living.
func (t *tuned) writeTimeouts() expTable {
	table := expTable{title: "write timeouts, one client stuck", columns: []expColumn{
		{}, {}, {"late clients", "late_clients", true}, {"worst", "worst_ns", true}, {head: "the stuck client", key: "evict_after_ns"},
		{"held", "held_bytes_max", true},
	}}
	groups := t.livingGroups(result.TuneWrite)
	if groups != nil {
		table.columns = append(table.columns, expColumn{head: "false kills"})
		table.lead = "false kills: closed of all the living, in this order: " + strings.Join(groups, "; ")
	}
	for _, s := range t.part(result.TuneWrite) {
		row, ok := t.row(s)
		if ok {
			row.cells = append(row.cells, lateCell(s), writeCell(s, func(w *result.TuneDamage) int64 { return w.WorstNs }, duration),
				evictedCell(s), heldCell(s))
			if groups != nil {
				row.cells = append(row.cells, words(closedOf(s, groups)))
			}
		}
		table.rows = append(table.rows, row)
	}
	return table
}

// damages are those of the good trials that measured them.
func damages(s *result.Tune) []*result.TuneDamage {
	var all []*result.TuneDamage
	for _, trial := range s.Good() {
		if trial.Write != nil {
			all = append(all, trial.Write)
		}
	}
	return all
}

// writeCell is the median of a number that is never 0 where it was measured.
func writeCell(s *result.Tune, number func(*result.TuneDamage) int64, show func(float64) string) expCell {
	v, ok := s.Median(func(trial *result.TuneTrial) (float64, bool) {
		if trial.Write == nil || number(trial.Write) == 0 {
			return 0, false
		}
		return float64(number(trial.Write)), true
	})
	if !ok {
		return expCell{}
	}
	return figureCell(v, show)
}

// lateCell is the damage, which is a figure only if the client was stuck and the timeout can be resolved in every trial.
func lateCell(s *result.Tune) expCell {
	all := damages(s)
	switch {
	case len(all) == 0:
		return expCell{}
	case slices.ContainsFunc(all, func(w *result.TuneDamage) bool { return !w.Jammed }):
		return words("never jammed")
	case slices.ContainsFunc(all, func(w *result.TuneDamage) bool { return !w.Resolvable }):
		return words("not resolvable")
	}
	late, _ := lateMedian(s)
	return expCell{fmt.Sprintf("%s of %s", count(late), count(float64(all[0].Clients))), plainNumber(late)}
}

func lateMedian(s *result.Tune) (float64, bool) {
	return s.Median(func(trial *result.TuneTrial) (float64, bool) {
		if trial.Write == nil || !trial.Write.Jammed || !trial.Write.Resolvable {
			return 0, false
		}
		return float64(trial.Write.LateClients), true
	})
}

func evictedCell(s *result.Tune) expCell {
	var by []string
	bounded, evicted := false, 0
	all := damages(s)
	for _, w := range all {
		bounded = bounded || w.Bounded
		if w.EvictedBy != "" {
			evicted++
			by = append(by, w.EvictedBy)
		}
	}
	after := writeCell(s, func(w *result.TuneDamage) int64 { return w.EvictAfterNs }, duration)
	switch {
	case len(all) == 0, !slices.ContainsFunc(all, func(w *result.TuneDamage) bool { return w.Jammed }):
		return expCell{} // who was never stuck is not to be evicted
	case evicted == 0 && bounded:
		return words("not evicted: ended with the run")
	case evicted == 0:
		return words("not evicted")
	}
	text := strings.TrimPrefix(after.text+" by "+strings.Join(distinct(by), ", "), " ")
	if evicted < len(all) {
		text += fmt.Sprintf(", %d of %d trials", evicted, len(all))
	}
	return expCell{text, after.exact}
}

// heldCell is the median of the most that was held, which may be nothing.
func heldCell(s *result.Tune) expCell {
	v, ok := s.Median(func(trial *result.TuneTrial) (float64, bool) {
		if trial.Write == nil {
			return 0, false
		}
		return float64(trial.Write.HeldBytesMax), true
	})
	if !ok {
		return expCell{}
	}
	return figureCell(v, size)
}

// livingGroups are the living behaviours of a part, in the order of their first appearance.
func (t *tuned) livingGroups(part string) []string {
	var names []string
	for _, s := range t.part(part) {
		for _, g := range s.Behaviours() {
			if (g.Kind == result.GroupCovered || g.Kind == result.GroupUncovered) && !slices.Contains(names, g.Behaviour) {
				names = append(names, g.Behaviour)
			}
		}
	}
	return names
}

// closedOf is "5/5  0/5" for these behaviours, "-" where the set-up had no such clients.
func closedOf(s *result.Tune, behaviours []string) string {
	var parts []string
	for _, name := range behaviours {
		text := "-"
		for _, g := range s.Behaviours() {
			if g.Behaviour == name {
				text = fmt.Sprintf("%d/%d", g.Lost(), g.Clients)
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "  ")
}
