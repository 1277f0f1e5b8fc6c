package report

import (
	"fmt"
	"slices"

	"wsfanout/compare/result"
)

// fate is what became of the echoes of the others, the worse the later.
type fate int

const (
	unknown   fate = iota
	noFall         // or none that the trials can show
	undecided      // fewer are left, and the trials are too few or too far apart to call it a fall
	crowded        // fewer are left, and the blockers have the rest of the machine: their handlers ran instead
	fell           // shown, and it may be that at least half is left
	starving       // part of the connections wait, whatever all together have
	collapsed      // less than half is left
	nothing        // is left
)

var fateWords = map[fate]string{noFall: "no fall shown", undecided: "undecided", crowded: "crowded out", fell: "falls", starving: "part starve",
	collapsed: "collapses", nothing: "nothing is left"}

// Below these shares of the echoes, in every trial, fewer trials than an interval takes are a collapse. A single one has been 0.44 on a busy
// machine where nothing was held.
const (
	collapseOne = 0.25
	collapseFew = 0.5
	calm        = 0.9 // and from this on they are no fall
)

// What a baseline or its trials may not show: then something else had the machine, and what is left of the baseline says nothing.
const (
	disturbedKept   = 1.3 // of the baseline, with handlers that block
	disturbedSpread = 1.5 // between two trials of one set-up
)

// leastStarved is the share of the fast connections that must starve to be called a part.
const leastStarved = 0.1

// leastInUse is what echoes and blockers' handlers together have of the baseline's echoes where the machine was in use all the time.
const leastInUse = 0.7

// judgement is a fate with what is left of the baseline's echoes, trial by trial, and why it is not a better one.
type judgement struct {
	fate fate
	kept []float64
	why  string
}

// judge says what became of the echoes of the others. Nothing is said where the blockers were gone: then nobody knows what was held.
func (b *blocked) judge(s *result.Block) judgement {
	base := b.Baseline(s)
	j := judgement{kept: s.Kept(base)}
	if len(j.kept) == 0 || s.Blocking == 0 {
		return j
	}
	if gone := goneText(s); gone != "" {
		j.why = gone
		return j
	}
	if j.fate = fateOf(j.kept); j.fate == nothing {
		return j
	}
	if (j.fate >= fell || j.fate == undecided) && inUse(s, base) {
		j.fate = crowded
	}
	if j.fate < collapsed && starves(s, base) {
		j.fate = starving
	}
	if j.fate < starving { // the others are of each trial by itself, or beyond any disturbance
		if why := b.disturbed(s, j.kept); why != "" {
			j.fate, j.why = undecided, why
		}
	}
	return j
}

// fateOf is by what is left alone.
func fateOf(kept []float64) fate {
	left, _ := result.Over(kept)
	switch {
	case slices.Max(kept) == 0:
		return nothing
	case left.Hi == nil:
		return fateOfFew(kept)
	case *left.Hi < collapseFew:
		return collapsed
	case *left.Hi < 1-result.LeastEffect:
		return fell
	}
	return noFall
}

func fateOfFew(kept []float64) fate {
	limit := collapseFew
	if len(kept) == 1 {
		limit = collapseOne
	}
	switch most := slices.Max(kept); {
	case most < limit:
		return collapsed
	case most < calm:
		return undecided
	}
	return noFall
}

// starves says that at least a tenth of the fast connections had less than a fifth of what the busiest one had, more than with nothing
// that blocks: in every trial, or by the interval where there is one.
func starves(s, base *result.Block) bool {
	starved := s.Values(starvedOf)
	m, ok := result.Over(starved)
	if !ok {
		return false
	}
	least := slices.Min(starved)
	if m.Lo != nil {
		least = *m.Lo
	}
	return least >= leastStarved*float64(s.Fast) && least > slices.Max(append(base.Values(starvedOf), 0))
}

// inUse says that the blockers' handlers make up for most of the echoes that are missing: they ran, the others waited for a processor.
func inUse(s, base *result.Block) bool {
	kept, _ := result.Over(s.Kept(base))
	turned, _ := result.Over(s.Turned(base))
	return kept.Median < calm && kept.Median+turned.Median >= leastInUse && turned.Median >= (1-kept.Median)/2
}

// disturbed is why what is left of the baseline cannot be believed, "" if it can.
func (b *blocked) disturbed(s *result.Block, kept []float64) string {
	const why = "the baseline was disturbed"
	base := b.Baseline(s)
	switch {
	case slices.Max(kept) > disturbedKept:
		return fmt.Sprintf("%s: %s of it with handlers that block", why, percent(slices.Max(kept)))
	case apart(base.Values(echoesOf)) > disturbedSpread:
		return fmt.Sprintf("%s: its trials are %s times apart", why, factorText(apart(base.Values(echoesOf))))
	case apart(kept) > disturbedSpread:
		return fmt.Sprintf("the trials are %s times apart", factorText(apart(kept)))
	case b.lowest(base):
		return why + ": it is the lowest itself"
	}
	return ""
}

// apart is the largest value by the smallest, 1 where there is nothing to divide by.
func apart(values []float64) float64 {
	if len(values) == 0 || slices.Min(values) <= 0 {
		return 1
	}
	return slices.Max(values) / slices.Min(values)
}

// lowest says that every set-up of the engine has clearly more echoes than the baseline.
func (b *blocked) lowest(base *result.Block) bool {
	others := 0
	for i := range b.Block {
		s := &b.Block[i]
		if left, ok := result.Over(s.Kept(base)); ok && s.Engine == base.Engine && s.Blocking > 0 {
			if others++; left.Median <= 1/calm {
				return false
			}
		}
	}
	return others > 0
}

// goneText says how many of the blockers were closed by the server before the end, "" if none was.
func goneText(s *result.Block) string {
	if gone := s.BlockersGone(); gone > 0 {
		return fmt.Sprintf("%s of %s closed meanwhile", count(float64(gone)), plural(s.Blocking, "blocker")+map[bool]string{true: " was", false: " were"}[s.Blocking == 1])
	}
	return ""
}
