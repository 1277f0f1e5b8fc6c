package report

import (
	"fmt"
	"maps"
	"slices"

	"wsfanout/compare/result"
)

// How many set-ups stand beside each other at most, and in how many columns of a terminal.
const (
	columnsOfBehaviours = 4
	tableWidth          = 120
)

// kindWords are what a reader should think of a group that was closed.
var kindWords = map[string]string{
	result.GroupDead: "dead", result.GroupCovered: "alive", result.GroupUncovered: "uncovered", result.GroupEnded: "ended",
}

// behaviours are tables of one row a behaviour and one column a set-up, for each engine and keepalive of the part.
func (t *tuned) behaviours(part string) {
	var keys []string
	setups := map[string][]*result.Tune{}
	for _, s := range t.part(part) {
		if len(s.Behaviours()) == 0 {
			continue
		}
		key := "as recommended"
		if part == result.TuneGrid {
			key = labelOf(s)[0] + " K " + keepaliveOf(s)
		}
		if setups[key] == nil {
			keys = append(keys, key)
		}
		setups[key] = append(setups[key], s)
	}
	first := true
	for _, key := range keys {
		for some := range slices.Chunk(setups[key], columnsOfBehaviours) {
			table := behaviourTable(key, some, first)
			first = false
			if len(some) < 3 || table.grid(0).width() <= tableWidth {
				t.add(table)
				continue
			}
			half := (len(some) + 1) / 2
			t.add(behaviourTable(key, some[:half], table.lead != ""))
			t.add(behaviourTable(key, some[half:], false))
		}
	}
}

func behaviourTable(key string, setups []*result.Tune, explained bool) expTable {
	table := expTable{title: "who was closed, " + key, columns: []expColumn{{head: "behaviour"}, {}, {head: "kind"}}}
	if explained {
		table.lead = "closed of how many, and after how long in the middle, for a read timeout where no other reason is named; uncovered: alive, but no read deadline can know; ended: its kernel said so"
	}
	var order []result.TuneGroup
	for _, s := range setups {
		head := "P " + pingOf(s)
		if s.Part == result.TuneAdvice {
			head = labelOf(s)[0]
		}
		table.columns = append(table.columns, expColumn{head, "closed", true})
		for _, g := range s.Behaviours() {
			if !slices.ContainsFunc(order, func(o result.TuneGroup) bool { return o.Behaviour == g.Behaviour }) {
				order = append(order, g)
			}
		}
	}
	for _, g := range order {
		row := expRow{cells: []expCell{words(g.Behaviour), {}, words(kindWords[g.Kind])}}
		for _, s := range setups {
			row.cells = append(row.cells, behaviourCell(s, g.Behaviour))
		}
		table.rows = append(table.rows, row)
	}
	return table
}

// behaviourCell is "5/5 at 1.00 s", with the reasons where a read timeout is not the only one.
func behaviourCell(s *result.Tune, behaviour string) expCell {
	for _, g := range s.Behaviours() {
		if g.Behaviour != behaviour {
			continue
		}
		text := fmt.Sprintf("%d/%d", g.Closed, g.Clients)
		if why := reasonWords(g.Reasons); why != "" && why != "read timeout" && g.Kind != result.GroupEnded {
			text += " " + why
		}
		if g.AfterNs != nil {
			text += " at " + duration(float64(g.AfterNs.Median))
		}
		return expCell{text, plainNumber(float64(g.Closed))}
	}
	return expCell{}
}

// reasonWords are the server's reasons, with numbers if there are several.
func reasonWords(reasons map[string]int) string {
	if len(reasons) != 1 {
		return reasonsText(reasons, " ")
	}
	return oneLine(slices.Collect(maps.Keys(reasons))[0])
}

// closedAlive is a row for each set-up of a part and living behaviour that it closed.
func (t *tuned) closedAlive(part string) expTable {
	table := expTable{title: closedTitles[part], columns: []expColumn{
		{}, {}, {head: "behaviour"}, {head: "kind"}, {"closed", "closed", true}, {head: "reason"},
		{"median", "after_median_ns", true}, {"max", "after_max_ns", true},
	}}
	for _, s := range t.part(part) {
		for _, g := range s.Behaviours() {
			if g.Closed == 0 || g.Kind == result.GroupDead || g.Kind == result.GroupEnded {
				continue
			}
			label := labelOf(s)
			row := expRow{cells: []expCell{words(label[0]), words(label[1]), words(g.Behaviour), words(kindWords[g.Kind]), share(g),
				words(reasonWords(g.Reasons))}}
			row.cells = append(row.cells, afterCells(g)[1:]...)
			table.rows = append(table.rows, row)
		}
	}
	return table
}

var closedTitles = map[string]string{
	result.TuneReference: "living clients that these ways closed",
	result.TuneLayers:    "living clients that these deadlines closed",
	result.TuneWrite:     "living clients that these write timeouts closed",
}
