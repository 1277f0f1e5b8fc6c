package report

import (
	"fmt"
	"time"

	"wsfanout/compare/result"
)

// echo is the experiment about connection and echo rates, nil where the file has none.
func echo(f *result.File) *experiment {
	if len(f.Echo) == 0 {
		return nil
	}
	e := &echoed{File: f, experiment: &experiment{
		name: "echo", entries: f.Echo, planned: len(f.Echo) * f.Plan.Trials, method: echoMethod, limits: echoLimits,
		question: "How late is an echo at a fixed rate, and what does it cost?",
	}}
	for i := range f.Echo {
		e.done += len(f.Echo[i].Trials)
		e.notesOf(echoTrials(&f.Echo[i]))
	}
	e.trials = most(f.Echo, func(s *result.Echo) int { return len(s.Good()) })
	e.asked = fmt.Sprintf("%s, %s, %s, %s", plural(len(f.Echo), "set-up"), plural(f.Plan.Clients, "connection"), sizeText(f.Plan), e.offered())
	e.facts, e.config = e.planFacts(), e.benchPlan()
	e.answer = e.answers()
	e.add(e.connecting())
	e.add(bounded(e.fixedRate()))
	e.add(bounded(e.closedLoop()))
	e.add(e.costs())
	e.add(e.memory())
	e.defaults(e.engines(), func(i int) []string { return f.Echo[i].Footnotes })
	e.pictures = e.charts()
	e.bench = e.benchRuns()
	return e.experiment
}

// echoed is the experiment in the making.
type echoed struct {
	*result.File
	*experiment
	trials int // of the set-up that has most
}

func (e *echoed) engines() []string {
	var names []string
	for i := range e.Echo {
		names = append(names, e.Echo[i].Engine)
	}
	return names
}

// offered is the fixed rate that was asked for.
func (e *echoed) offered() string {
	if e.Plan.OfferedShare > 0 {
		return percent(e.Plan.OfferedShare) + " of each engine's closed loop"
	}
	return rateText(e.Plan.OfferedPerSecond) + " echoes/s"
}

func (e *echoed) planFacts() []keyed {
	return []keyed{
		{"connections", count(float64(e.Plan.Clients))}, {"message", sizeText(e.Plan)}, {"fixed rate", e.offered()}, {"closed loop", e.outstanding()},
		{"trials", fmt.Sprintf("%d, each with fresh processes (seed %d)", e.Plan.Trials, e.Plan.Seed)}, {"GOMAXPROCS", count(float64(e.Plan.GOMAXPROCS))},
	}
}

// outstanding is how many messages were under way in the closed loop.
func (e *echoed) outstanding() string {
	for i := range e.Echo {
		for _, t := range e.Echo[i].Good() {
			if t.Closed != nil {
				return count(float64(t.Closed.Outstanding)) + " outstanding"
			}
		}
	}
	return "not measured"
}

func (e *echoed) benchPlan() []string {
	p := e.Plan
	rate := fmt.Sprintf("%g/s", p.OfferedPerSecond)
	if p.OfferedShare > 0 {
		rate = fmt.Sprintf("%g of the closed loop", p.OfferedShare)
	}
	return []string{fmt.Sprintf("connections: %d", p.Clients), fmt.Sprintf("size: %dB", p.SizeBytes), "rate: " + rate}
}

func echoTrials(s *result.Echo) trialsOf {
	t := trialsOf{all: len(s.Trials), good: len(s.Good()), failures: s.Failures()}
	for _, trial := range s.Trials {
		t.warnings = append(t.warnings, trial.Warnings...)
	}
	return t
}

// restated is the mean latency that a closed loop has by arithmetic.
func restated(p *result.EchoPhase) (float64, bool) {
	if p.PerSecond <= 0 || p.Outstanding <= 0 {
		return 0, false
	}
	return float64(p.Outstanding) / p.PerSecond * float64(time.Second), true
}

var echoMethod = []string{
	"Every engine of every trial has fresh processes, the server and a fleet that shares no code with the libraries. All connections are opened first, each dial timed by itself from its connect to the end of its handshake.",
	"At the fixed rate each message has an instant at which the schedule wants it, and its latency counts from that instant: what a stall holds up is late by as much as it waited. A late message is sent at once; none is skipped silently. A message that was lost or never sent counts with the time until the end: a quantile that these reach is a lower bound: > 2.3 s.",
	"In the closed loop so many messages are under way, and the next one goes when an echo came. Its latency restates its rate, outstanding / rate, whatever the engine; it is shown because other benchmarks show it.",
	"CPU is read at both ends of the measured window, of the server and of the fleet, user and system apart, and divided by the echoes of the window. Connecting, warming up and starting are not in it, and nothing profiles.",
	"The fleet's share is its CPU by that of fleet and server together. Where it is large, the machine's rate is as much the fleet's.",
}

var echoLimits = []string{
	"Server and fleet share one host: the rate of the closed loop is what both can do together on its processors, not what the server can do.",
	"On loopback the sender's write(2) runs the receiver's TCP path, so system time holds part of the other side's cost; user time is the engine's own.",
	"The fixed rate is the headline. A rate of the closed loop says nothing of latency, and its latency nothing of a visitor's.",
}
