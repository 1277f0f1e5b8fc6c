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

// difference is what a set of cells has that is not a library's default.
type difference struct {
	cells string
	texts []string
}

// differencesBySet has one for each set of cells that shares some.
func differencesBySet(f *result.File) []difference {
	g := gather(f, func(c *result.Cell) []string { return c.Footnotes })
	var all []difference
	for _, text := range g.texts {
		cells := who(f, g.rows[text])
		at := slices.IndexFunc(all, func(d difference) bool { return d.cells == cells })
		if at < 0 {
			at, all = len(all), append(all, difference{cells: cells})
		}
		all[at].texts = append(all[at].texts, text)
	}
	return all
}

func differences(f *result.File) []note {
	var notes []note
	for _, d := range differencesBySet(f) {
		notes = append(notes, note{text: fmt.Sprintf("not the library's defaults, %s: %s", d.cells, strings.Join(d.texts, "; "))})
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
