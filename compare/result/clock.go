package result

// Clock says whether server and clients read one clock. If not, it is what the exchanges with the server told of their difference,
// in the round, and of the fleet, where that is known least.
type Clock struct {
	Shared        bool    `json:"shared"`
	OffsetNs      int64   `json:"offset_ns,omitempty"` // the server's CLOCK_MONOTONIC minus the fleet's
	DriftPPM      float64 `json:"drift_ppm,omitempty"` // how much faster the server's runs, millionths
	UncertaintyNs int64   `json:"uncertainty_ns,omitempty"`
	Exchanges     int     `json:"exchanges,omitempty"`
}

// ClockUncertainty is the most by which a latency of any good trial may be off, in nanoseconds, because the clocks are two; 0: they
// are one.
func (c *Cell) ClockUncertainty() int64 {
	most := int64(0)
	for i := range c.Trials {
		if t := &c.Trials[i]; t.Error == "" && t.Clock != nil {
			most = max(most, t.Clock.UncertaintyNs)
		}
	}
	return most
}

// ClockUncertainty is the largest of all cells.
func (f *File) ClockUncertainty() int64 {
	most := int64(0)
	for i := range f.Cells {
		most = max(most, f.Cells[i].ClockUncertainty())
	}
	return most
}

// ClockDoubt is by how much the median of a metric, by its key, may be off because the clocks are two, in the metric's unit. It is 0
// for what no clock of the clients has a part in.
func (c *Cell) ClockDoubt(key string) float64 {
	doubt := float64(c.ClockUncertainty())
	switch key {
	case "last_client_ns", "p99_ns", "worst_ns":
		return doubt
	case "vs_bare": // both latencies may be off, and not alike
		last, ok := c.Over(lastClient)
		ratio, also := c.Over(vsBare)
		if ok && also && last.Median > 0 {
			return ratio.Median * (1 + ratio.Median) * doubt / last.Median
		}
	}
	return 0
}

// ClockFloor is the relative change from one cell to the other that their clocks alone may make of a metric.
func ClockFloor(before, after *Cell, m Metric) float64 {
	s, ok := before.Over(m.Measure)
	if doubt := before.ClockDoubt(m.Key) + after.ClockDoubt(m.Key); ok && s.Median > 0 {
		return doubt / s.Median
	}
	return 0
}
