//go:build linux

package main

import (
	"time"

	"wsfanout/compare/result"
	"wsfanout/strategies"
)

// cell is one engine x strategy: a row of the matrix.
type cell struct {
	engine   row
	strategy strategies.Spec
	matrix
	control bool // the A/A control: it repeats another cell, to show what noise alone does
}

// matrix is where a cell of a run with lists stands.
type matrix struct {
	clients int    // 0: the plan's
	size    int    // bytes
	group   string // its name, "" where it is the only one
}

func (k cell) String() string {
	if k.control {
		return k.name() + " (A/A)"
	}
	return k.name()
}

func (k cell) name() string {
	name := k.engine.String() + "/" + k.strategy.String()
	if k.group != "" {
		name += "@" + k.group
	}
	return name
}

// addControl repeats the first cell of every matrix under another name, where cells are compared and there are trials enough to claim something:
// what the two differ by is noise. Below that it would only cost time.
func (x *experiment) addControl() {
	if len(x.engines)*len(x.strategies) < 2 {
		return
	}
	trials := x.trials
	if x.budget > 0 {
		trials = trialsWithin(x.config, len(x.cells)+len(x.matrices()), x.budget)
	}
	if trials < result.IntervalTrials {
		return
	}
	x.trials = trials
	x.cells = cellsOf(x.config, true)
}

// cellsOf are the cells of every matrix, one matrix after the other, each with its control at the end.
func cellsOf(c *config, control bool) []cell {
	var cells []cell
	for _, one := range c.matrices() {
		first := len(cells)
		for _, e := range c.engines {
			for _, s := range c.strategies {
				cells = append(cells, cell{engine: e, strategy: s, matrix: matrix{one.clients, one.size, one.group()}})
			}
		}
		if control {
			again := cells[first]
			again.control = true
			cells = append(cells, again)
		}
	}
	return cells
}

// newFile is the results file before its first trial.
func newFile(c *config, host result.Host, cells []cell, began time.Time) *result.File {
	f := &result.File{
		Schema: result.Schema, Started: began.UTC(), Tool: tool(), Host: host, Plan: c.plan(),
		Verdict: []result.Claim{}, Warnings: c.warnings,
	}
	for _, k := range cells {
		one := c.at(k)
		options, err := k.engine.Resolve(one.engineDefaults())
		if err != nil {
			continue // validated with the flags
		}
		controlOf := ""
		if k.control {
			controlOf = k.name()
		}
		f.Cells = append(f.Cells, result.Cell{
			Engine: k.engine.String(), Strategy: k.strategy.String(), Clients: one.clients, SizeBytes: one.size,
			Group: k.group, ControlOf: controlOf, Options: k.engine.options(options), Footnotes: k.engine.notes(options), Trials: []result.Trial{},
		})
	}
	return f
}
