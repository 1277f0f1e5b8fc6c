package report

import (
	"fmt"
	"slices"
	"strings"
)

// trialsOf is what the report of any experiment says of the trials of a set-up.
type trialsOf struct {
	all, good int
	failures  []string
	warnings  []string
	notes     []string // as they are
}

// notesOf are the indexes of the notes on these trials: that some failed, and what they warned of.
func (e *experiment) notesOf(t trialsOf) []int {
	var notes []int
	if len(t.failures) > 0 && t.good > 0 {
		notes = append(notes, e.note(fmt.Sprintf("%d of %d trials failed: %s", len(t.failures), t.all, strings.Join(distinct(t.failures), "; "))))
	}
	texts := slices.Clone(t.notes)
	for _, text := range t.warnings {
		texts = append(texts, "warning: "+text)
	}
	for _, text := range texts {
		if at := e.note(text); !slices.Contains(notes, at) {
			notes = append(notes, at)
		}
	}
	return notes
}

// begin is the row of a set-up up to its label. One that was not measured is complete, with its reason.
func (e *experiment) begin(label [2]string, t trialsOf) (row expRow, measured bool) {
	row = expRow{cells: []expCell{words(label[0]), words(label[1])}, notes: e.notesOf(t)}
	row.free = t.missing()
	return row, row.free == ""
}

// missing is why there are no figures, "" if there are.
func (t trialsOf) missing() string {
	switch {
	case t.good > 0:
		return ""
	case len(t.failures) > 0:
		return "failed: " + oneLine(t.failures[len(t.failures)-1])
	}
	return "not measured yet"
}

// defaults are notes on what differs from each library's own defaults, once for the engines that share it.
func (e *experiment) defaults(engines []string, footnotes func(engine int) []string) {
	var texts []string
	have := map[string][]string{}
	for i, engine := range engines {
		for _, text := range footnotes(i) {
			if text = oneLine(text); have[text] == nil {
				texts = append(texts, text)
			}
			have[text] = append(have[text], engine)
		}
	}
	said := map[string][]string{}
	var order []string
	for _, text := range texts {
		who := strings.Join(have[text], "; ")
		if said[who] == nil {
			order = append(order, who)
		}
		said[who] = append(said[who], text)
	}
	for _, who := range order {
		name := who
		if len(engines) > 1 && who == strings.Join(engines, "; ") {
			name = "all engines"
		}
		e.note(fmt.Sprintf("not the library's defaults, %s: %s", name, strings.Join(said[who], "; ")))
	}
}
