package result

import (
	"bytes"
	"encoding/json"
)

// encode is the JSON of f with one space of indentation and empty lists as [], which readers in other languages expect, not null.
func encode(f *File) ([]byte, error) {
	out := *f
	out.Schema = Schema
	out.Tool.Modules = dict(f.Tool.Modules)
	out.Plan.Engines = list(f.Plan.Engines)
	out.Plan.Strategies = list(f.Plan.Strategies)
	out.Verdict = list(f.Verdict)
	for i := range out.Verdict {
		out.Verdict[i].Cells = list(out.Verdict[i].Cells)
	}
	out.Warnings = list(f.Warnings)
	out.Cells = list(f.Cells)
	for i := range out.Cells {
		out.Cells[i] = cellOut(out.Cells[i])
	}
	// The experiments stay absent where they are empty.
	out.Tune, out.Hold, out.Block, out.Echo = list(f.Tune), list(f.Hold), list(f.Block), list(f.Echo)
	for i, e := range out.Tune {
		out.Tune[i].Trials = trialsOut(e.Trials, func(t *TuneTrial) *[]string { return &t.Warnings })
	}
	for i, e := range out.Hold {
		out.Hold[i].Trials = trialsOut(e.Trials, func(t *HoldTrial) *[]string { return &t.Warnings })
	}
	for i, e := range out.Block {
		out.Block[i].Trials = trialsOut(e.Trials, func(t *BlockTrial) *[]string { return &t.Warnings })
	}
	for i, e := range out.Echo {
		out.Echo[i].Trials = trialsOut(e.Trials, func(t *EchoTrial) *[]string { return &t.Warnings })
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false) // ">=" stays readable
	if err := enc.Encode(&out); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

func cellOut(c Cell) Cell {
	c.Options = dict(c.Options)
	c.Footnotes = list(c.Footnotes)
	c.Summary = dict(c.Summary)
	c.Trials = list(c.Trials)
	for i := range c.Trials {
		t := &c.Trials[i]
		t.Warnings = list(t.Warnings)
		t.Healthy, t.Stuck = phaseOut(t.Healthy), phaseOut(t.Stuck)
	}
	return c
}

// trialsOut are the trials of an experiment, none of them with null for a list of warnings.
func trialsOut[T any](trials []T, warnings func(*T) *[]string) []T {
	out := list(trials)
	for i := range out {
		w := warnings(&out[i])
		*w = list(*w)
	}
	return out
}

func phaseOut(p *Phase) *Phase {
	if p == nil {
		return nil
	}
	out := *p
	out.FalseKills = dict(p.FalseKills)
	out.RoundsDetail = list(p.RoundsDetail)
	return &out
}

// list is a copy of s that is never nil.
func list[T any](s []T) []T { return append([]T{}, s...) }

// dict is m, or an empty map for nil.
func dict[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}
