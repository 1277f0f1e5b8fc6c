package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wsfanout/compare/result"
)

// experiment is a run beside the matrix, made ready once for every format. Renderers know nothing of what it was about.
type experiment struct {
	name     string // of the scenario, as in the file
	question string // what the run was made to answer
	asked    string // the plan in a few words
	done     int    // measurements
	planned  int
	answer   answer
	tables   []expTable
	notes    []string // footnotes; rows refer to them by index
	first    int      // the index of the first among those of all experiments of the file
	pictures []expPicture
	method   []string // how it was measured, one sentence or two each
	limits   []string // what must not be concluded
	facts    []keyed  // of the plan
	entries  any      // the array of the file, for CSV
	bench    []benchRun
	config   []string // the plan, for the Go benchmark format
}

// experiments are asked in this order; nil is a file that has none of the kind. A new one is a line here and files of its own.
var experiments = []func(*result.File) *experiment{tune, hold, block, echo}

func experimentsOf(f *result.File) []*experiment {
	var all []*experiment
	notes := 0
	for _, ask := range experiments {
		if e := ask(f); e != nil {
			e.first = notes
			notes += len(e.notes)
			all = append(all, e)
		}
	}
	return all
}

// onlyExperiments says that there is no matrix, and is not meant to be.
func onlyExperiments(f *result.File) bool { return len(f.Cells) == 0 && len(experimentsOf(f)) > 0 }

// answer is what a reader came for: one sentence a key, and code to paste.
type answer struct {
	title string
	lines []keyed
	code  []snippet
}

type snippet struct{ title, code string }

// expPicture is a picture of an experiment; the id is its own on the page.
type expPicture struct {
	id, title, caption string
	drawn              func() *plot
}

// expTable is one table of an experiment. The first two columns name the row.
type expTable struct {
	title, lead string // lead: what the columns mean, "" if they say it themselves
	columns     []expColumn
	rows        []expRow
}

// expColumn has a key with a unit for the exact values, as in the results file; "" where there are only words.
type expColumn struct {
	head, key string
	right     bool
}

type expRow struct {
	cells []expCell
	free  string // why there are no cells behind those of the label
	notes []int  // indexes into those of the experiment
}

// expCell is a figure as shown, and exactly; "" is not measured.
type expCell struct{ text, exact string }

func words(text string) expCell { return expCell{text: text} }

func figureCell(v float64, show func(float64) string) expCell {
	return expCell{show(v), plainNumber(v)}
}

// note is the index of a footnote, which is new or said already.
func (e *experiment) note(text string) int {
	text = oneLine(text)
	at := slices.Index(e.notes, text)
	if at < 0 {
		at, e.notes = len(e.notes), append(e.notes, text)
	}
	return at
}

// add appends a table that has rows.
func (e *experiment) add(t expTable) {
	if len(t.rows) > 0 {
		e.tables = append(e.tables, t)
	}
}

// grid is the table as all formats with tables have it. offset is added to the indexes of its notes; the marks are the numbers.
func (t *expTable) grid(offset int) *grid {
	g := &grid{label: cmp.Or(strings.TrimSpace(t.columns[0].head+" "+t.columns[1].head), "set-up")}
	for _, c := range t.columns {
		g.columns = append(g.columns, column{c.head, c.right})
	}
	marked := slices.ContainsFunc(t.rows, func(r expRow) bool { return len(r.notes) > 0 })
	if marked {
		g.columns = append(g.columns, column{head: "notes"})
	}
	for _, r := range t.rows {
		row := gridRow{free: r.free}
		for i, c := range r.cells {
			if i >= labelColumns {
				c.text = cmp.Or(c.text, "-")
			}
			row.cells = append(row.cells, c.text)
		}
		if row.free != "" {
			row.color = red
		} else if marked {
			row.cells = append(row.cells, marksOf(r.notes, offset))
		}
		g.rows = append(g.rows, row)
	}
	return g
}

func marksOf(notes []int, offset int) string {
	var numbers []string
	for _, n := range notes {
		numbers = append(numbers, strconv.Itoa(offset+n+1))
	}
	return strings.Join(numbers, ",")
}

// experimentNotes are first among the notes of a page, so that a row's index is the number less one.
func experimentNotes(f *result.File) []note {
	var notes []note
	for _, e := range experimentsOf(f) {
		for _, text := range e.notes {
			notes = append(notes, note{text: text})
		}
	}
	return notes
}

// headline says in one line what was asked for and how long it took.
func (e *experiment) headline(f *result.File) string {
	return fmt.Sprintf("%s: %s, %s, %s (%s)", e.name, e.asked, plural(f.Plan.Trials, "trial"), cores(f.Host), long(f.DurationNs))
}
