package report

import (
	"slices"

	"wsfanout/compare/result"
)

// ofHealthy makes a measure from a number of the healthy phase. 0 is what an unmeasured field holds.
func ofHealthy(number func(*result.Phase) float64) result.Measure {
	return func(t *result.Trial) (float64, bool) {
		if t.Healthy == nil {
			return 0, false
		}
		v := number(t.Healthy)
		return v, v != 0
	}
}

// ofLatency makes a measure from a number of the distribution of the healthy phase.
func ofLatency(number func(*result.Latency) int64) result.Measure {
	return func(t *result.Trial) (float64, bool) {
		if t.Healthy == nil || t.Healthy.Latency == nil {
			return 0, false
		}
		return float64(number(t.Healthy.Latency)), true
	}
}

var (
	p50     = ofLatency(func(l *result.Latency) int64 { return l.P50 })
	p99     = ofLatency(func(l *result.Latency) int64 { return l.P99 })
	p999    = ofLatency(func(l *result.Latency) int64 { return l.P999 })
	longest = ofLatency(func(l *result.Latency) int64 { return l.Max })

	cpu            = ofHealthy(func(p *result.Phase) float64 { return p.Server.CPUNsPerDelivery })
	cpuUser        = ofHealthy(func(p *result.Phase) float64 { return p.Server.CPUUserNsPerDelivery })
	fleetCPU       = ofHealthy(func(p *result.Phase) float64 { return p.Fleet.CPUNsPerDelivery })
	wakeups        = ofHealthy(func(p *result.Phase) float64 { return p.Fleet.WakeupsPerDelivery })
	goroutines     = ofHealthy(func(p *result.Phase) float64 { return float64(p.Server.Goroutines) })
	bytesPerClient = ofHealthy(func(p *result.Phase) float64 { return p.Server.BytesPerClient })
	threads        = ofHealthy(func(p *result.Phase) float64 { return float64(p.Server.Threads) })
	rss            = ofHealthy(func(p *result.Phase) float64 { return float64(p.Server.RSSBytes) })
	hub            = ofHealthy(func(p *result.Phase) float64 { return float64(p.Hub.Median) })
	firstClient    = ofHealthy(medianFirst)
)

// switches, gcPause and preempted are measured where there is a healthy phase: 0 is a measurement.
func switches(t *result.Trial) (float64, bool) {
	if t.Healthy == nil {
		return 0, false
	}
	return t.Healthy.Server.CtxSwitchesPerRound, true
}

func gcPause(t *result.Trial) (float64, bool) {
	if t.Healthy == nil {
		return 0, false
	}
	return float64(t.Healthy.Server.GCPauseNs), true
}

func preempted(t *result.Trial) (float64, bool) {
	if t.Healthy == nil {
		return 0, false
	}
	return float64(t.Healthy.Server.InvoluntarySwitches), true
}

func worstClient(t *result.Trial) (float64, bool) {
	if t.Healthy == nil || t.Healthy.LastClient == nil {
		return 0, false
	}
	return float64(t.Healthy.LastClient.Worst), true
}

func latencyDue(t *result.Trial) (float64, bool) {
	if t.Healthy == nil || t.Healthy.LatencyDue == nil {
		return 0, false
	}
	return float64(t.Healthy.LatencyDue.P99), true
}

// medianFirst is the first client's latency in the median round, 0 if no round reached anybody.
func medianFirst(p *result.Phase) float64 {
	var firsts []int64
	for _, r := range p.RoundsDetail {
		if r.FirstNs != 0 {
			firsts = append(firsts, r.FirstNs)
		}
	}
	if len(firsts) == 0 {
		return 0
	}
	slices.Sort(firsts)
	n := len(firsts)
	return float64(firsts[(n-1)/2]+firsts[n/2]) / 2
}

// worst is the largest value of a measure in any good trial of the cell, 0 if there is none.
func worst(c *result.Cell, measure result.Measure) float64 {
	most := 0.0
	for i := range c.Trials {
		if c.Trials[i].Error != "" {
			continue
		}
		if v, ok := measure(&c.Trials[i]); ok {
			most = max(most, v)
		}
	}
	return most
}
