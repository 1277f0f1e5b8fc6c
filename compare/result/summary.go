package result

import (
	"math"

	"golang.org/x/perf/benchmath"
)

// Confidence of every interval in a results file.
const Confidence = 0.95

// IntervalTrials is how many trials an interval needs at this confidence: the extremes of 5 trials hold the median with 94 % only.
const IntervalTrials = 6

// A Measure takes one number out of a trial; ok is false where the trial did not measure it.
type Measure func(*Trial) (value float64, ok bool)

// Summarize computes the summary of every cell.
func (f *File) Summarize() {
	for i := range f.Cells {
		f.Cells[i].Summarize()
	}
}

// Summarize computes the summary of the cell from its trials. A metric that no trial measured has no key.
func (c *Cell) Summarize() {
	c.Summary = map[string]Summary{}
	for _, m := range metrics {
		if s, ok := c.Over(m.Measure); ok {
			c.Summary[m.Key] = s
		}
	}
}

// Over is the median of a measure over the trials that have it, with its interval from IntervalTrials on. Trials with an error do
// not count; ok is false if none is left.
func (c *Cell) Over(measure Measure) (s Summary, ok bool) {
	values := c.Values(measure)
	if len(values) == 0 {
		return Summary{}, false
	}
	return summarize(values), true
}

// Values are those of a measure, in the order of the trials that have it. Trials with an error do not count.
func (c *Cell) Values(measure Measure) []float64 {
	var values []float64
	for i := range c.Trials {
		if c.Trials[i].Error != "" {
			continue
		}
		if v, ok := measure(&c.Trials[i]); ok {
			values = append(values, v)
		}
	}
	return values
}

func summarize(values []float64) Summary {
	thresholds := benchmath.DefaultThresholds
	m := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &thresholds), Confidence)
	s := Summary{Median: m.Center}
	if !math.IsInf(m.Lo, 0) && !math.IsInf(m.Hi, 0) { // infinite is how benchmath says that there is none
		s.Lo, s.Hi = &m.Lo, &m.Hi
	}
	return s
}

func lastClient(t *Trial) (float64, bool) {
	if t.Healthy == nil || t.Healthy.LastClient == nil {
		return 0, false
	}
	return float64(t.Healthy.LastClient.Median), true
}

func vsBare(t *Trial) (float64, bool) {
	if t.Healthy == nil || t.Healthy.VsBare == nil {
		return 0, false
	}
	v := t.Healthy.VsBare
	return v.Median, v.Pairs > 0 // without a pair there is no ratio
}

func p99(t *Trial) (float64, bool) {
	if t.Healthy == nil || t.Healthy.Latency == nil {
		return 0, false
	}
	return float64(t.Healthy.Latency.P99), true
}

func cpuPerDelivery(t *Trial) (float64, bool) {
	if t.Healthy == nil {
		return 0, false
	}
	v := t.Healthy.Server.CPUNsPerDelivery
	return v, v != 0
}

func bytesPerClient(t *Trial) (float64, bool) {
	if t.Healthy == nil {
		return 0, false
	}
	v := t.Healthy.Server.BytesPerClient
	return v, v != 0
}

// lateClients of a trial that never jammed are not a measurement, whatever was counted.
func lateClients(t *Trial) (float64, bool) {
	if !t.Proven() || t.Stuck.Blast == nil || t.Stuck.Blast.LateClients == nil {
		return 0, false
	}
	return float64(*t.Stuck.Blast.LateClients), true
}

// falseKills takes the larger phase, not the sum: a client lost in the healthy phase is counted in the stuck phase again.
func falseKills(t *Trial) (float64, bool) {
	most := -1
	for _, p := range t.phases() {
		lost := 0
		for _, n := range p.FalseKills {
			lost += n
		}
		most = max(most, lost)
	}
	return float64(most), most >= 0
}

// reach is received / expected over all phases of the trial.
func reach(t *Trial) (float64, bool) {
	var received, expected int64
	for _, p := range t.phases() {
		received += p.Received
		expected += p.Expected
	}
	if expected == 0 {
		return 0, false
	}
	return float64(received) / float64(expected), true
}

// phases are those that the trial has.
func (t *Trial) phases() []*Phase {
	var have []*Phase
	for _, p := range []*Phase{t.Healthy, t.Stuck} {
		if p != nil {
			have = append(have, p)
		}
	}
	return have
}
