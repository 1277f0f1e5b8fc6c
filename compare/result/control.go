package result

// Name is the cell as gates and claims call it: engine/strategy.
func (c *Cell) Name() string { return c.Engine + "/" + c.Strategy }

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

// Control is the A/A control and the cell that it repeats; nil, nil without one.
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
