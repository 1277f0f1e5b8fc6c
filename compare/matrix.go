package main

import (
	"time"

	"wsfanout/compare/result"
	"wsfanout/engines"
	"wsfanout/strategies"
)

// cell is one engine x strategy: a row of the matrix.
type cell struct {
	engine   engines.Spec
	strategy strategies.Spec
	control  bool // the A/A control: it repeats another cell, to show what noise alone does
}

func (k cell) String() string {
	if k.control {
		return k.name() + " (A/A)"
	}
	return k.name()
}

func (k cell) name() string { return k.engine.String() + "/" + k.strategy.String() }

// addControl repeats the first cell under another name, where cells are compared and there are trials enough to claim something:
// what the two differ by is noise. Below that it would only cost time.
func (x *experiment) addControl() {
	if len(x.cells) < 2 {
		return
	}
	trials := x.trials
	if x.budget > 0 {
		trials = trialsWithin(x.config, len(x.cells)+1, x.budget)
	}
	if trials < result.IntervalTrials {
		return
	}
	x.trials = trials
	x.cells = append(x.cells, cell{engine: x.cells[0].engine, strategy: x.cells[0].strategy, control: true})
}

// newFile is the results file before its first trial.
func newFile(c *config, host result.Host, cells []cell, began time.Time) *result.File {
	f := &result.File{
		Schema: result.Schema, Started: began.UTC(), Tool: tool(), Host: host, Plan: c.plan(),
		Verdict: []result.Claim{}, Warnings: c.warnings,
	}
	for _, k := range cells {
		options, err := k.engine.Resolve(c.engineDefaults())
		if err != nil {
			continue // validated with the flags
		}
		controlOf := ""
		if k.control {
			controlOf = k.name()
		}
		f.Cells = append(f.Cells, result.Cell{
			Engine: k.engine.String(), Strategy: k.strategy.String(), Clients: c.clients, SizeBytes: c.size, ControlOf: controlOf,
			Options: options.Map(), Footnotes: engines.Notes(options), Trials: []result.Trial{},
		})
	}
	return f
}
