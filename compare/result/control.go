package result

import (
	"slices"
	"strings"
)

// Name is the cell as gates and claims call it: engine/strategy, and in a run with lists engine/strategy@group.
func (c *Cell) Name() string {
	if c.Group == "" {
		return c.Base()
	}
	return c.Base() + "@" + c.Group
}

// Base is engine/strategy: the same in every group of a run with lists.
func (c *Cell) Base() string { return c.Engine + "/" + c.Strategy }

// IsControl says that the cell repeats another one, to show what noise alone does.
func (c *Cell) IsControl() bool { return c.ControlOf != "" }

// Find is the cell of that name, the control aside; nil if there is none.
func (f *File) Find(name string) *Cell {
	for i := range f.Cells {
		if c := &f.Cells[i]; !c.IsControl() && c.Name() == name {
			return c
		}
	}
	return nil
}

// Compared are the cells without the control.
func (f *File) Compared() []*Cell {
	var cells []*Cell
	for i := range f.Cells {
		if c := &f.Cells[i]; !c.IsControl() {
			cells = append(cells, c)
		}
	}
	return cells
}

// Groups are the matrices of a run with lists, in the order of the file; nil for a run of one matrix.
func (f *File) Groups() []string {
	var groups []string
	for _, c := range f.Cells {
		if c.Group != "" && !slices.Contains(groups, c.Group) {
			groups = append(groups, c.Group)
		}
	}
	return groups
}

// Only is the run as if it had only this matrix, its cells without the name of the group. It shares the cells' trials with f.
func (f *File) Only(group string) *File {
	g := *f
	g.Cells = nil
	for _, c := range f.Cells {
		if c.Group == group {
			c.Group, c.ControlOf = "", strings.TrimSuffix(c.ControlOf, "@"+group)
			g.Cells = append(g.Cells, c)
			g.Plan.Clients, g.Plan.SizeBytes = c.Clients, c.SizeBytes
		}
	}
	return &g
}

// Control is the A/A control and the cell that it repeats, of the first group that has one; nil, nil without one.
func (f *File) Control() (repeated, control *Cell) {
	for i := range f.Cells {
		if c := &f.Cells[i]; c.IsControl() {
			return f.Find(c.ControlOf), c
		}
	}
	return nil, nil
}

// Noise is how far apart, relatively, the medians of one cell under two names are: what is not a difference. ok is false
// without an A/A control that measured it.
func (f *File) Noise(measure Measure) (spread float64, ok bool) {
	repeated, control := f.Control()
	if repeated == nil || control == nil {
		return 0, false
	}
	c, ok := Compare(repeated.Values(measure), control.Values(measure))
	if !ok {
		return 0, false
	}
	return max(c.Ratio, 1/c.Ratio) - 1, true
}

// Headline is the metric on which cells are compared: vs_bare where all that were measured have it, since it moves least from one
// machine and hour to the next; last_client otherwise.
func Headline(cells ...*Cell) Metric {
	name := "vs_bare"
	for _, c := range cells {
		if len(c.Values(lastClient)) > 0 && len(c.Values(vsBare)) == 0 {
			name = "last_client"
		}
	}
	m, err := FindMetric(name)
	if err != nil {
		panic(err) // both stand in the table
	}
	return m
}
