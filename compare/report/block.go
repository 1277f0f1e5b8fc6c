package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wsfanout/compare/result"
)

// halfFrame is the kind of blockers that send half a frame and wait; the others ask for a handler that sleeps.
const halfFrame = "half frame"

// block is the experiment about handlers that block, nil where the file has none.
func block(f *result.File) *experiment {
	if len(f.Block) == 0 {
		return nil
	}
	b := &blocked{File: f, experiment: &experiment{
		name: "block", entries: f.Block, planned: len(f.Block) * f.Plan.Trials, method: blockMethod, limits: blockLimits,
		question: "Who waits when the handlers of a few connections block?",
	}}
	for i := range f.Block {
		b.done += len(f.Block[i].Trials)
		b.notesOf(blockTrials(&f.Block[i]))
	}
	b.trials = most(f.Block, func(s *result.Block) int { return len(s.Good()) })
	b.asked, b.facts, b.config = b.plan(), b.planFacts(), b.benchPlan()
	b.answer = b.answers()
	for _, kind := range b.kinds() {
		b.add(b.fallen(kind))
		b.add(bounded(b.waiting(kind)))
	}
	b.add(b.stalled())
	b.add(b.detector())
	b.pictures = b.charts()
	b.bench = b.benchRuns()
	return b.experiment
}

// blocked is the experiment in the making.
type blocked struct {
	*result.File
	*experiment
	trials int // of the set-up that has most
}

// kinds are those of the blockers, in the order of the file.
func (b *blocked) kinds() []string {
	var all []string
	for _, s := range b.Block {
		if !slices.Contains(all, s.Blockers) {
			all = append(all, s.Blockers)
		}
	}
	return all
}

// of are the set-ups with that kind of blockers.
func (b *blocked) of(kind string) []*result.Block {
	var all []*result.Block
	for i := range b.Block {
		if b.Block[i].Blockers == kind {
			all = append(all, &b.Block[i])
		}
	}
	return all
}

// placeName says where the handlers of an engine run: the engine's bare name and the place, or its whole spec where that is not enough.
func (b *blocked) placeName(s *result.Block) [2]string {
	name := [2]string{bare(s.Engine), placeWords(s)}
	for i := range b.Block {
		o := &b.Block[i]
		if o.Engine != s.Engine && bare(o.Engine) == name[0] && placeWords(o) == name[1] {
			name[0] = s.Engine
		}
	}
	return name
}

func bare(spec string) string {
	name, _, _ := strings.Cut(spec, ":")
	return name
}

func placeWords(s *result.Block) string { return strings.TrimPrefix(oneLine(s.Place), "a ") }

// spoken is the place in a sentence: "nbio, inline on 1 poller".
func (b *blocked) spoken(s *result.Block) string {
	name := b.placeName(s)
	return name[0] + ", " + oneLine(s.Place)
}

func (b *blocked) blockings() []int {
	var all []int
	for _, s := range b.Block {
		all = append(all, s.Blocking)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (b *blocked) plan() string {
	return fmt.Sprintf("%s with %s blocking connections", plural(len(b.Block), "set-up"), numbersText(b.blockings()))
}

// held is how long one handler is, "" where no set-up says.
func (b *blocked) held() string {
	for _, s := range b.Block {
		if s.HoldNs > 0 {
			return exact(float64(s.HoldNs))
		}
	}
	return ""
}

func (b *blocked) planFacts() []keyed {
	return []keyed{
		{"blocking connections", numbersText(b.blockings())}, {"a handler is held for", b.held()}, {"connections that echo", count(float64(b.Block[0].Fast))},
		{"message", sizeText(b.Plan)},
		{"trials", fmt.Sprintf("%d, each with fresh processes (seed %d)", b.Plan.Trials, b.Plan.Seed)}, {"GOMAXPROCS", count(float64(b.Plan.GOMAXPROCS))},
	}
}

func (b *blocked) benchPlan() []string {
	return []string{fmt.Sprintf("fast: %d", b.Block[0].Fast), "hold: " + time.Duration(b.Block[0].HoldNs).String()}
}

func blockTrials(s *result.Block) trialsOf {
	t := trialsOf{all: len(s.Trials), good: len(s.Good()), failures: s.Failures()}
	for _, trial := range s.Trials {
		t.warnings = append(t.warnings, trial.Warnings...)
	}
	if gone := goneText(s); gone != "" {
		t.notes = append(t.notes, gone+": what the others had is judged no more")
	}
	return t
}

var blockMethod = []string{
	"A set-up is an engine with a place where its handlers run, and a number of connections that hold a handler there: the handler sleeps, or the connection sends half a frame and nothing more. Every set-up of every trial has fresh processes.",
	"All other connections echo in a closed loop, each with one message under way. What is left is their echoes per second, divided by those of the same engine with nothing that blocks, in the same trial.",
	"Predicted is the load: blocking connections divided by the handlers that can run at a time. From 1 on all of these are held, and the others get what slips in between. Below 1 a pool has free handlers for everybody; a connection that is served inline is bound to its loop, and waits with it where that one is held.",
	"A fall takes six trials to be shown: by a 95 % interval that ends below 97 %, and a collapse by one that ends below half. Of fewer trials, less than half of the echoes in every one is a collapse, of a single trial less than a quarter; what is left below 90 % is undecided. So is everything short of a collapse where the baseline was disturbed: more than 130 % of it left, trials more than 1.5 times apart, or less than all other set-ups of the engine.",
	"Connections starve that had less than a fifth of the echoes of the busiest one. From a tenth of all on, in every trial and beyond what the same engine shows with nothing that blocks, that is said whatever all together have: a closed loop gives the turns of those that wait to the others.",
	"Where the blockers' own handlers make up for most of the echoes that are missing, they use the machine: that is no collapse of the place.",
	"A handler that ran for longer than a limit is a stall, counted in the server with two readings of the clock for each message. The cost of that was measured in the same process before the first client came.",
}

var blockLimits = []string{
	"In a closed loop the latency of the others restates their rate: it is the wait of 1 of so many that take turns, not that of a visitor at a given load.",
	"A stall is wall time. On few cores a handler can be late because its processor was busy: stalls of echoes with nothing that blocks are such.",
	"A pool is unlimited only until it is exhausted: as many blocking connections as it has handlers saturate it, too.",
}
