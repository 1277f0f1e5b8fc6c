package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// warningsShown bounds the list of a run in which much went wrong; the file has all.
const warningsShown = 12

// gathered is texts in the order of their first appearance, each with the cells that said it.
type gathered struct {
	texts []string
	rows  map[string][]int
}

func gather(f *result.File, of func(*result.Cell) []string) gathered {
	g := gathered{rows: map[string][]int{}}
	for i := range f.Cells {
		for _, text := range of(&f.Cells[i]) {
			text = oneLine(text)
			if g.rows[text] == nil {
				g.texts = append(g.texts, text)
			}
			if !slices.Contains(g.rows[text], i) {
				g.rows[text] = append(g.rows[text], i)
			}
		}
	}
	return g
}

// differences are what is not a library's default, one note for each set of cells that shares some.
func differences(f *result.File) []note {
	g := gather(f, func(c *result.Cell) []string { return c.Footnotes })
	var order []string
	texts := map[string][]string{}
	for _, text := range g.texts {
		cells := who(f, g.rows[text])
		if texts[cells] == nil {
			order = append(order, cells)
		}
		texts[cells] = append(texts[cells], text)
	}
	var notes []note
	for _, cells := range order {
		notes = append(notes, note{text: fmt.Sprintf("not the library's defaults, %s: %s", cells, strings.Join(texts[cells], "; "))})
	}
	return notes
}

// warnings are those of the run, then those of the trials.
func warnings(f *result.File) []note {
	var notes []note
	for _, text := range f.Warnings {
		notes = append(notes, note{text: "warning: " + oneLine(text)})
	}
	g := gather(f, func(c *result.Cell) []string {
		var all []string
		for _, t := range c.Trials {
			all = append(all, t.Warnings...)
		}
		return all
	})
	for _, text := range g.texts {
		notes = append(notes, note{text: fmt.Sprintf("warning, %s: %s", who(f, g.rows[text]), text)})
	}
	if more := len(notes) - warningsShown; more > 0 {
		notes = append(notes[:warningsShown], note{text: fmt.Sprintf("and %s in the results file", plural(more, "more warning"))})
	}
	return notes
}
