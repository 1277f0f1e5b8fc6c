package result

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Diff is what changed from one run to another, cell by cell. The controls are no cells here: they tell what noise does.
type Diff struct {
	Old, New         *File
	Cells            []CellDiff // those in both runs
	OnlyOld, OnlyNew []string   // cells of one run
}

// CellDiff is one cell in two runs.
type CellDiff struct {
	Old, New *Cell
	Headline Metric             // the one metric on which something may be claimed
	Changes  map[string]*Change // by name of the metric; absent: not measured in both, or no ratio
}

// DiffOf compares two runs. One headline metric per cell is one family, decided together, and only beyond what both runs' A/A
// controls have shown noise to do; the other metrics have their interval and no claim.
func DiffOf(before, after *File) *Diff {
	d := &Diff{Old: before, New: after}
	var family []*Change
	for _, c := range after.Compared() {
		was := before.Find(c.Name())
		if was == nil {
			d.OnlyNew = append(d.OnlyNew, c.Name())
			continue
		}
		cell := CellDiff{Old: was, New: c, Headline: Headline(was, c), Changes: map[string]*Change{}}
		for _, m := range metrics {
			change, ok := Compare(was.Values(m.Measure), c.Values(m.Measure))
			if !ok {
				continue
			}
			cell.Changes[m.Name] = &change
			if m.Name == cell.Headline.Name {
				change.Floor = max(noiseOf(before, was, m), noiseOf(after, c, m), ClockFloor(was, c, m))
				family = append(family, &change)
			}
		}
		d.Cells = append(d.Cells, cell)
	}
	for _, c := range before.Compared() {
		if after.Find(c.Name()) == nil {
			d.OnlyOld = append(d.OnlyOld, c.Name())
		}
	}
	Decide(family)
	return d
}

// noiseOf is that of the cell's own matrix; 0 for one without a control.
func noiseOf(f *File, c *Cell, m Metric) float64 {
	spread, _ := f.Only(c.Group).Noise(m.Measure)
	return spread
}

// Claimed are the cells whose headline metric changed by more than chance and noise.
func (d *Diff) Claimed() []CellDiff {
	return slices.DeleteFunc(slices.Clone(d.Cells), func(c CellDiff) bool {
		change := c.Changes[c.Headline.Name]
		return change == nil || !change.Claimed
	})
}

// PlanChanges names what was asked for differently in two runs: "clients 10000 -> 2000". The number of trials and the seed may
// differ: they change how well something is measured, not what; so may what is only asked of the figures. More keys to ignore may
// be given.
func PlanChanges(before, after Plan, ignore ...string) []string {
	return changes(before, after, append(ignore, "trials", "seed", "slo_ns", "project_clients")...)
}

// HostChanges names what makes two machines measure differently.
func HostChanges(before, after Host) []string {
	return changes(before, after, "mem_bytes", "nofile", "port_range", "somaxconn")
}

// changes compares two structures of one type field by field, by the names of their JSON keys.
func changes(before, after any, ignore ...string) []string {
	var out []string
	was, is := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range was.NumField() {
		key, _, _ := strings.Cut(was.Type().Field(i).Tag.Get("json"), ",")
		a, b := was.Field(i).Interface(), is.Field(i).Interface()
		if !slices.Contains(ignore, key) && !reflect.DeepEqual(a, b) {
			out = append(out, fmt.Sprintf("%s %s -> %s", key, shown(a), shown(b)))
		}
	}
	return out
}

// shown is a value in words: an empty text is none.
func shown(v any) string { return cmp.Or(fmt.Sprint(v), "none") }
