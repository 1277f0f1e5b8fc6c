package report

import (
	"math"
	"slices"

	"wsfanout/compare/result"
)

type holdNumber = func(*result.HoldPoint) (float64, bool)

func ofPoint(number func(*result.HoldPoint) float64) holdNumber {
	return func(p *result.HoldPoint) (float64, bool) { return number(p), true }
}

var (
	heldHeap   = ofPoint(func(p *result.HoldPoint) float64 { return float64(p.HeapBytes) })
	heldStack  = ofPoint(func(p *result.HoldPoint) float64 { return float64(p.StackBytes) })
	heldMemory = ofPoint(func(p *result.HoldPoint) float64 { return float64(p.HeapBytes + p.StackBytes) })
	heldKernel = ofPoint(func(p *result.HoldPoint) float64 { return float64(p.KernelBytes) })
	heldGo     = ofPoint(func(p *result.HoldPoint) float64 { return float64(p.Goroutines) })
)

// heldRSS is never 0 where it was measured; neither are threads.
func heldRSS(p *result.HoldPoint) (float64, bool) { return float64(p.RSSBytes), p.RSSBytes > 0 }

func heldThreads(p *result.HoldPoint) (float64, bool) { return float64(p.Threads), p.Threads > 0 }

func ofSweep(strategy string, number func(*result.Sweep) float64) holdNumber {
	return func(p *result.HoldPoint) (float64, bool) {
		s := p.Sweep(strategy)
		if s == nil {
			return 0, false
		}
		return number(s), true
	}
}

func sweepLast(s *result.Sweep) float64 { return float64(s.LastClientNs) }
func sweepCPU(s *result.Sweep) float64  { return float64(s.CPUNs) }

func ofLeft(number func(*result.Left) int64) holdNumber {
	return func(p *result.HoldPoint) (float64, bool) {
		if p.After == nil {
			return 0, false
		}
		return float64(number(p.After)), true
	}
}

var leftHeap = ofLeft(func(l *result.Left) int64 { return l.HeapBytes })

// sweepsOf are the strategies that an engine was swept with, in the order of their first appearance.
func sweepsOf(e *result.Hold) []string {
	var names []string
	for _, t := range e.Trials {
		for _, p := range t.Points {
			for _, s := range p.Sweeps {
				if !slices.Contains(names, s.Strategy) {
					names = append(names, s.Strategy)
				}
			}
		}
	}
	return names
}

func slopeOf(e *result.Hold, number holdNumber) (result.Summary, bool) {
	l, ok := e.Line(number)
	if !ok {
		return result.Summary{}, false
	}
	return l.Slope(), true
}

// slopeCell is what a connection adds, with its interval.
func slopeCell(e *result.Hold, number holdNumber, show func(float64) string) expCell {
	s, ok := slopeOf(e, number)
	if !ok {
		return expCell{}
	}
	return expCell{intervalText(s, show), plainNumber(s.Median)}
}

// fixedCell is what does not grow with the connections.
func fixedCell(e *result.Hold, number holdNumber, show func(float64) string) expCell {
	l, ok := e.Line(number)
	if !ok {
		return expCell{}
	}
	return figureCell(l.Intercept().Median, show)
}

func straightCell(e *result.Hold, number holdNumber) expCell {
	l, ok := e.Line(number)
	if !ok || l.R2 == nil {
		return expCell{}
	}
	return expCell{r2(l), plainNumber(*l.R2)}
}

// perBytes is a slope: below a byte it is the machine's noise.
func perBytes(v float64) string {
	if math.Abs(v) < 1 {
		return "0 B"
	}
	return size(v)
}

// perOne is goroutines for a connection: 1, 0, or what is between.
func perOne(v float64) string {
	if near := math.Round(v); math.Abs(v-near) < 0.005 {
		return count(math.Abs(near))
	}
	return significant(v)
}
