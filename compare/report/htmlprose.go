package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// method is how the runs were measured, in the order of a round's life.
func (s *sheet) method() []string {
	all := s.ofExperiments(func(e *experiment) []string { return e.method })
	if s.all(func(r *run) bool { return onlyExperiments(r.File) }) {
		return all
	}
	return append(all, s.matrixMethod()...)
}

// ofExperiments are the sentences of all runs, each once.
func (s *sheet) ofExperiments(texts func(*experiment) []string) []string {
	var all []string
	for _, r := range s.runs {
		for _, e := range experimentsOf(r.File) {
			for _, text := range texts(e) {
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
		}
	}
	return all
}

func (s *sheet) matrixMethod() []string {
	jam := "A stuck client counts only if the kernel proves it: a byte stayed owed while none was taken."
	if s.all(func(r *run) bool { return r.Plan.Jam == "fill" && r.Plan.StuckBuffers == "small" }) {
		jam += " Its buffers are small and are filled before the first round, so that the jam comes in the first rounds."
	}
	bare := "While everybody reads, every second slot is a bare round: one goroutine, the frame built beforehand, one write(2) for each of the same sockets. “vs bare” is the median over the pairs of the strategy's last client by the bare round's. Where the machine slows down, both do."
	if s.all(func(r *run) bool { return r.Plan.TLS }) {
		bare = "There are no bare rounds, with which other runs compare: they write past the engine, which would break the record stream of TLS."
	}
	return []string{
		"A cell is one engine and one strategy. Every cell of every trial has two fresh processes, the server and a fleet of clients that shares no code with either library; the trials are interleaved in a seeded random order, and none is left out.",
		"The hub stamps the message before any frame is built. " + s.clockMethod() + " The latency ends when the kernel on the client's side stamps the arrival, not when the fleet gets round to it.",
		"The schedule is absolute: a late round starts at once, none is skipped. A latency counts from the real start of its round unless its name says that it counts from the due instant, which also holds the wait for an earlier round.",
		bare,
		jam,
		"A healthy client is late if a delivery took longer than its own healthy median by more than half the write timeout (1 s without one). The same rule over the healthy phase is the control: if it finds anybody, the cell says “not resolvable”, never 0.",
		"A figure is the median over the trials, its interval the 95 % confidence interval of that median, which takes six trials. A difference is claimed only if a test says so after Holm's correction, and by more than a cell differs from itself.",
		"A picture of a single trial shows the one in the middle: by its last client where everybody reads, by its worst healthy delivery where one is stuck.",
	}
}

func (s *sheet) all(is func(*run) bool) bool {
	return !slices.ContainsFunc(s.runs, func(r *run) bool { return !is(r) })
}

// limits are what a reader must not conclude.
func (s *sheet) limits() []string {
	all := s.ofExperiments(func(e *experiment) []string { return e.limits })
	if s.all(func(r *run) bool { return onlyExperiments(r.File) }) {
		return all
	}
	return append(all, s.matrixLimits()...)
}

func (s *sheet) matrixLimits() []string {
	text := []string{
		"Everything runs on one host over loopback: no distance, no loss, no congestion. The sender's write(2) runs the receiver's TCP path and wakes the fleet, so system time holds part of the client's cost and buries differences between the engines. User CPU per delivery is the engine's own.",
		"Server and fleet share the machine. Parallel strategies gain as far as there are idle cores; on few cores that is little.",
		"Ratios travel to another machine, milliseconds do not.",
		"In a matrix, messages are of one size at one rate, to everybody.",
	}
	if !s.all(func(r *run) bool { return r.ClockUncertainty() == 0 }) {
		text = text[2:] // they were on different hosts
	}
	if s.all(func(r *run) bool { return r.Plan.StuckBuffers == "small" }) {
		text = append(text, "The stuck clients have small kernel buffers. With default buffers the same jam comes later and holds more memory in the kernel, "+
			"which no figure of the server's own memory shows.")
	}
	for _, r := range s.runs {
		if n := mostTrials(r.File); n > 0 && n < result.IntervalTrials {
			text = append(text, fmt.Sprintf("%s has %s: its differences may be luck.", strings.TrimSpace("Run "+r.letter), plural(n, "trial")))
		}
	}
	return text
}

// beyond multiplies what was measured by five, for those who have more clients than the run had. "" without a seq cell.
func (r *run) beyond() string {
	const times = 5
	var each, last, memory []string
	var slowest float64
	clients := float64(r.Plan.Clients)
	if r.Groups() != nil {
		return "" // there are lines, which say more than a quotient
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		s, ok := c.Over(lastOf)
		if c.Strategy != "seq" || c.IsControl() || !ok || clients == 0 {
			continue
		}
		each = append(each, fmt.Sprintf("%s for %s", duration(s.Median/clients), c.Engine))
		last = append(last, fmt.Sprintf("%s for %s", duration(times*s.Median), c.Engine))
		slowest = max(slowest, times*s.Median)
		if m, ok := c.Over(bytesPerClient); ok {
			memory = append(memory, fmt.Sprintf("%s for %s", size(times*clients*m.Median), c.Engine))
		}
	}
	if each == nil {
		return ""
	}
	text := fmt.Sprintf("With seq the last client waits for all before it, %s a client here. With %s it would wait about %s",
		strings.Join(each, " and "), plural(int(times*clients), "client"), strings.Join(last, " and "))
	if slowest > float64(r.Plan.IntervalNs) {
		text += fmt.Sprintf(", so that at one round every %s the hub would fall behind", exact(float64(r.Plan.IntervalNs)))
	}
	if memory != nil {
		text += fmt.Sprintf("; the server would need %s in heap and stacks", strings.Join(memory, " and "))
	}
	return text + ". That is arithmetic with this machine's figures, not a measurement: measure it with -clients."
}
