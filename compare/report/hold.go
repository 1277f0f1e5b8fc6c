package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// hold is the experiment about connections at rest, nil where the file has none.
func hold(f *result.File) *experiment {
	if len(f.Hold) == 0 {
		return nil
	}
	h := &held{File: f, experiment: &experiment{
		name: "hold", entries: f.Hold, planned: len(f.Hold) * f.Plan.Trials, method: holdMethod, limits: holdLimits,
		question: "What does a connection at rest cost, and a message to all of them?",
	}}
	for i := range f.Hold {
		h.done += len(f.Hold[i].Trials)
		h.notesOf(holdTrials(&f.Hold[i]))
	}
	h.trials = most(f.Hold, func(e *result.Hold) int { return len(e.Good()) })
	h.asked = fmt.Sprintf("%s with %s connections", plural(len(f.Hold), "set-up"), numbersText(h.counts()))
	h.facts, h.config = h.planFacts(), []string{"connections: " + strings.Trim(fmt.Sprint(h.counts()), "[]")}
	h.answer = h.answers()
	h.add(h.perConnection())
	h.add(h.inProcess())
	h.add(h.sweeping())
	h.add(h.points())
	h.add(h.afterwards())
	h.add(h.million())
	h.unreached()
	h.note("of the heap that stays after everybody has gone, about 500 B for each goroutine there was are Go's own, which keeps the " +
		"descriptors of ended goroutines for new ones; emptied maps and pools keep their room, too, among them this program's")
	h.defaults(h.engines(), func(i int) []string { return f.Hold[i].Footnotes })
	h.pictures = h.charts()
	h.bench = h.benchRuns()
	return h.experiment
}

// held is the experiment in the making.
type held struct {
	*result.File
	*experiment
	trials int // of the set-up that has most
}

// counts are the numbers of connections that were asked for, or measured in a file that does not say.
func (h *held) counts() []int {
	all := slices.Clone(h.Plan.ClientsList)
	if all == nil {
		for i := range h.Hold {
			all = append(all, h.Hold[i].Counts()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (h *held) engines() []string {
	var names []string
	for i := range h.Hold {
		names = append(names, h.Hold[i].Engine)
	}
	return names
}

func (h *held) planFacts() []keyed {
	return []keyed{
		{"connections", numbersText(h.counts())}, {"message", sizeText(h.Plan)},
		{"trials", fmt.Sprintf("%d, each with fresh processes for every number of connections (seed %d)", h.Plan.Trials, h.Plan.Seed)},
		{"GOMAXPROCS", count(float64(h.Plan.GOMAXPROCS))},
	}
}

func holdTrials(e *result.Hold) trialsOf {
	t := trialsOf{all: len(e.Trials), good: len(e.Good()), failures: e.Failures()}
	for _, trial := range e.Trials {
		t.warnings = append(t.warnings, trial.Warnings...)
	}
	return t
}

// unreached are notes on broadcasts that did not reach everybody: their last client is that of those reached.
func (h *held) unreached() {
	for i := range h.Hold {
		e := &h.Hold[i]
		for _, n := range e.Counts() {
			for _, strategy := range sweepsOf(e) {
				if all := e.At(n, ofSweep(strategy, func(s *result.Sweep) float64 { return s.Reach })); len(all) > 0 && slices.Min(all) < 1 {
					h.note(fmt.Sprintf("%s %s with %s connections reached %s of them only", e.Engine, strategy, count(float64(n)), percent(slices.Min(all))))
				}
			}
		}
	}
}

// numbersText is "200, 500 and 1,000".
func numbersText(all []int) string {
	return listText(all, func(n int) string { return count(float64(n)) })
}

var holdMethod = []string{
	"A server with so many connections is measured in fresh processes, for every number of connections, engine and trial. The fleet shares no code with the libraries.",
	"Heap, stacks, RSS and the kernel's memory of the sockets (SO_MEMINFO) are read at rest, after a garbage collection. What a connection costs is the slope of a line through the numbers of connections, so that tables and pools of a fixed size drop out; it is never the quotient. Where the points are on no line (R2 below 0.9, or it falls), or lie within 300 connections, no slope is told.",
	"Then one message goes to every connection, five rounds of each strategy; the last client is the median round's. Holding and sweeping are two budgets.",
	"At last all clients leave at once, and the server is compared with itself before the first one came. What a strategy of this program remembers of them is dropped first.",
}

var holdLimits = []string{
	"A connection at rest sends and receives nothing: buffers that a library takes for traffic and gives back are not in it.",
	"On loopback there are no full queues in the kernel while nothing is sent: kernel memory under traffic is another figure. The kernel's own structures for a socket are in no figure here.",
	"A projection is a line followed far beyond what was measured, and of memory only. Descriptors, ports and the time to connect have limits of their own; so many clients take several hosts.",
}
