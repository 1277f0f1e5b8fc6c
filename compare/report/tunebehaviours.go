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

// behavioursLead says what such a table shows; kinds are those of the results file.
const behavioursLead = "closed of how many, and after how long in the middle, for a read timeout where no other reason is named; dead: after its death; " +
	"the living: after the begin of the watch, up to K after they were last heard; covered: alive, and such a keepalive can keep it with the right ping " +
	"interval, so closing it is a false kill; uncovered: alive, but this kind of deadline cannot tell it from a dead one, so closing it is accepted; " +
	"mixed: which of both is in the cell; ended: its process died, and its kernel said so"

// mixedKind is the kind of a behaviour that some set-ups can tell from death and others cannot.
const mixedKind = "mixed"

// countsAs is what the close of a living client is.
var countsAs = map[string]string{
	result.GroupCovered: "false kill", result.GroupUncovered: "accepted", result.GroupDead: "false kill", result.GroupEnded: "false kill",
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
			key = t.labelOf(s)[0] + " K " + keepaliveOf(s)
		}
		if setups[key] == nil {
			keys = append(keys, key)
		}
		setups[key] = append(setups[key], s)
	}
	first := true
	for _, key := range keys {
		for some := range slices.Chunk(setups[key], columnsOfBehaviours) {
			table := t.behaviourTable(key, some, first)
			first = false
			if len(some) < 3 || table.grid(0).width() <= tableWidth {
				t.add(table)
				continue
			}
			half := (len(some) + 1) / 2
			t.add(t.behaviourTable(key, some[:half], table.lead != ""))
			t.add(t.behaviourTable(key, some[half:], false))
		}
	}
}

func (t *tuned) behaviourTable(key string, setups []*result.Tune, explained bool) expTable {
	table := expTable{title: "who was closed, " + key, columns: []expColumn{{head: "behaviour"}, {}, {head: "kind"}}}
	if explained {
		table.lead = behavioursLead
	}
	var order []result.TuneGroup
	for _, s := range setups {
		head := "P " + pingOf(s)
		if s.Part == result.TuneAdvice {
			head = t.nameOf(s)
		}
		table.columns = append(table.columns, expColumn{head, "closed", true})
		for _, g := range s.Behaviours() {
			at := slices.IndexFunc(order, func(o result.TuneGroup) bool { return o.Behaviour == g.Behaviour })
			if at < 0 {
				order = append(order, g)
			} else if order[at].Kind != g.Kind {
				order[at].Kind = mixedKind
			}
		}
	}
	for _, g := range order {
		table.rows = append(table.rows, t.behaviourRow(g, setups))
	}
	return table
}

// behaviourRow has a cell for each set-up, and what these warned of where they closed somebody.
func (t *tuned) behaviourRow(of result.TuneGroup, setups []*result.Tune) expRow {
	row := expRow{cells: []expCell{words(of.Behaviour), {}, words(of.Kind)}}
	for _, s := range setups {
		cell := expCell{}
		for _, g := range s.Behaviours() {
			if g.Behaviour != of.Behaviour {
				continue
			}
			cell = behaviourCell(&g, of.Kind == mixedKind)
			if g.Closed+g.Before == 0 {
				continue
			}
			for _, at := range t.warned(s) {
				if !slices.Contains(row.notes, at) {
					row.notes = append(row.notes, at)
				}
			}
		}
		row.cells = append(row.cells, cell)
	}
	return row
}

// behaviourCell is "5/5 at 1.00 s", with the reasons where a read timeout is not the only one. Of those that died, who was closed
// before is apart. The kind is named where the row has several.
func behaviourCell(g *result.TuneGroup, mixed bool) expCell {
	dies := g.Kind == result.GroupDead || g.Kind == result.GroupEnded
	closed := g.Lost()
	if dies {
		closed = g.Closed
	}
	text := fmt.Sprintf("%d/%d", closed, g.Clients)
	if mixed {
		text += " " + g.Kind
	}
	if why := reasonWords(g.Reasons); why != "" && why != "read timeout" && g.Kind != result.GroupEnded {
		text += " " + why
	}
	if g.AfterNs != nil {
		text += " at " + duration(float64(g.AfterNs.Median))
	}
	if dies && g.Before > 0 {
		text += fmt.Sprintf(", %d before", g.Before)
	}
	return expCell{text, plainNumber(float64(closed))}
}

// reasonWords are the server's reasons, with numbers if there are several.
func reasonWords(reasons map[string]int) string {
	if len(reasons) != 1 {
		return reasonsText(reasons, " ")
	}
	return oneLine(slices.Collect(maps.Keys(reasons))[0])
}

// closedAlive is a row for each set-up of a part and behaviour of which it closed some while they were alive.
func (t *tuned) closedAlive(part string) expTable {
	table := expTable{title: closedTitles[part], lead: "times since the begin of the watch", columns: []expColumn{
		{}, {}, {head: "behaviour"}, {head: "counts as"}, {"closed", "closed", true}, {head: "reason"},
		{"median", "after_median_ns", true}, {"max", "after_max_ns", true},
	}}
	if part != result.TuneWrite {
		table.lead += ", up to K after the client was last heard"
	}
	for _, s := range t.part(part) {
		for _, g := range s.Behaviours() {
			if g.Lost() > 0 {
				table.rows = append(table.rows, t.closedRow(s, &g))
			}
		}
	}
	return table
}

func (t *tuned) closedRow(s *result.Tune, g *result.TuneGroup) expRow {
	label, behaviour, reasons := t.labelOf(s), g.Behaviour, reasonWords(g.Reasons)
	after := afterCells(*g)[1:]
	if g.Kind == result.GroupDead || g.Kind == result.GroupEnded { // the times and reasons are of those that died first
		behaviour, reasons, after = behaviour+", before it did", "", make([]expCell, 2)
	}
	return expRow{notes: t.warned(s), cells: append([]expCell{
		words(label[0]), words(label[1]), words(behaviour), words(countsAs[g.Kind]),
		{ofClients(g.Lost(), g.Clients), plainNumber(float64(g.Lost()))}, words(reasons),
	}, after...)}
}

var closedTitles = map[string]string{
	result.TuneReference: "living clients that these ways closed",
	result.TuneLayers:    "living clients that these deadlines closed",
	result.TuneWrite:     "living clients that these write timeouts closed",
}
