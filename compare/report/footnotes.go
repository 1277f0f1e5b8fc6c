package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// note is one footnote. The rows are those that carry its number: where it casts doubt on some of the cells. What holds for all of
// them, or merely explains, marks none.
type note struct {
	text  string
	rows  []int
	table table // in which the rows stand
}

// table is one of the two that a note can mark.
type table int

const (
	upper table = iota // everybody reads
	lower              // some have stopped
)

// noter asks a file for its notes of one kind.
type noter = func(*result.File) []note

// doubters say what weakens a figure.
var doubters = []noter{
	experimentNotes,
	failedCells, failedTrials, undelivered, disordered, fleetLimit, fellBehind, stolen, otherClocks, clockSteps, mergedStamps, lateSomewhere,
	calmTrials, notResolvable, noticedVaries, undeliveredWhileStuck, closedHealthy, closedOthers, outcomes, lateSomewhereWhileStuck, machineWhileStuck, notBack,
	rearmed, unbounded, neverEvicted, swallowed, dropCameLate, dropCannotAct,
}

// explainers say what a figure is.
var explainers = []noter{trialsNote, latencyNote, noBareRounds, tlsNote, sloNote, wireNote, inboundNote, preemptions, fleetCost, loopback, lateMeans, heldMeans, mixedMode}

// noters are in the order of the page: doubts first, then what the columns mean, then what was set up how.
var noters = slices.Concat(doubters, explainers, []noter{differences, warnings})

// collectNotes asks all noters. A file in which nothing is measured has only its warnings and reasons.
func collectNotes(f *result.File) []note { return ask(f, noters) }

func ask(f *result.File, noters []noter) []note {
	var notes []note
	for _, ask := range noters {
		for _, n := range ask(f) {
			if len(n.rows) == len(f.Cells) {
				n.rows = nil
			}
			notes = append(notes, n)
		}
	}
	return notes
}

// footnotes are numbered in the order in which the rows refer to them.
func footnotes(p *page) string {
	if len(p.notes) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString(p.opt.paint(bold, "footnotes") + "\n")
	for i, n := range p.notes {
		out.WriteString(wrap(fmt.Sprintf("%3d  ", i+1), n.text, p.opt.Width))
	}
	return out.String()
}

// name is the cell as footnotes call it.
func name(c *result.Cell) string {
	text := c.Engine + " " + c.Strategy
	if c.Group != "" {
		text += "@" + c.Group
	}
	if c.ControlOf != "" {
		text += " (A/A)"
	}
	return text
}

// who names a set of cells, given in the order of the file, in as few words as possible: "all cells", "gorilla", "gorilla seq,
// shard; nbio seq".
func who(f *result.File, rows []int) string {
	if len(rows) == len(f.Cells) {
		return "all cells"
	}
	var order []string
	chosen := map[string][]string{}
	for _, row := range rows {
		c := &f.Cells[row]
		if chosen[c.Engine] == nil {
			order = append(order, c.Engine)
		}
		chosen[c.Engine] = append(chosen[c.Engine], strings.TrimPrefix(name(c), c.Engine+" "))
	}
	var parts []string
	for _, engine := range order {
		if len(chosen[engine]) == cellsOf(f, engine) {
			parts = append(parts, engine)
		} else {
			parts = append(parts, engine+" "+strings.Join(chosen[engine], ", "))
		}
	}
	return strings.Join(parts, "; ")
}

func cellsOf(f *result.File, engine string) int {
	n := 0
	for _, c := range f.Cells {
		if c.Engine == engine {
			n++
		}
	}
	return n
}
