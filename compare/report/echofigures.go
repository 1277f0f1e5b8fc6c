package report

import "wsfanout/compare/result"

type (
	echoNumber  = func(*result.EchoTrial) (float64, bool)
	phaseNumber = func(*result.EchoPhase) (float64, bool)
	underLoad   func(*result.EchoTrial) *result.EchoPhase
)

func atRate(t *result.EchoTrial) *result.EchoPhase   { return t.Rate }
func inClosed(t *result.EchoTrial) *result.EchoPhase { return t.Closed }

// of is a number of the load's phase, which a trial may not have.
func (l underLoad) of(number phaseNumber) echoNumber {
	return func(t *result.EchoTrial) (float64, bool) {
		p := l(t)
		if p == nil {
			return 0, false
		}
		return number(p)
	}
}

func ofPhase(number func(*result.EchoPhase) float64) phaseNumber {
	return func(p *result.EchoPhase) (float64, bool) { return number(p), true }
}

// positive is a number that is never 0 where it was measured.
func positive(number func(*result.EchoPhase) float64) phaseNumber {
	return func(p *result.EchoPhase) (float64, bool) { v := number(p); return v, v > 0 }
}

// latencyOf is the headline of a load: from the schedule where there is one.
func latencyOf(p *result.EchoPhase) *result.Latency {
	if p.LatencyDueNs != nil {
		return p.LatencyDueNs
	}
	return &p.LatencyNs
}

var (
	perSecond  = ofPhase(func(p *result.EchoPhase) float64 { return p.PerSecond })
	askedFor   = positive(func(p *result.EchoPhase) float64 { return p.AskedPerSecond })
	serverNs   = positive((*result.EchoPhase).ServerNs)
	userNs     = positive(func(p *result.EchoPhase) float64 { return p.ServerUserNs })
	systemNs   = positive(func(p *result.EchoPhase) float64 { return p.ServerSystemNs })
	fleetNs    = positive(func(p *result.EchoPhase) float64 { return p.FleetNs })
	phaseRSS   = positive(func(p *result.EchoPhase) float64 { return float64(p.RSSBytes) })
	phaseHeap  = positive(func(p *result.EchoPhase) float64 { return float64(p.HeapBytes) })
	phaseGo    = positive(func(p *result.EchoPhase) float64 { return float64(p.Goroutines) })
	phaseLost  = ofPhase(func(p *result.EchoPhase) float64 { return float64(p.Lost) })
	phaseShy   = ofPhase(func(p *result.EchoPhase) float64 { return float64(p.Skipped) })
	fleetShare = phaseNumber((*result.EchoPhase).FleetShare)
)

// achieved is the share of the asked rate that came.
func achieved(p *result.EchoPhase) (float64, bool) {
	return p.PerSecond / p.AskedPerSecond, p.AskedPerSecond > 0
}

func ofConnect(t *result.EchoTrial) (float64, bool) {
	return t.ConnectPerSecond, t.ConnectPerSecond > 0
}
