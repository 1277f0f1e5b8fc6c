package result

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// LeastEffect is the smallest relative difference that is claimed, whatever the test says: below it the machine is compared,
// not the code.
const LeastEffect = 0.03

// alpha is the chance of a false claim in a whole family of comparisons.
const alpha = 1 - Confidence

// Change is one metric over two sets of trials: of two cells, or of one cell in two runs.
type Change struct {
	Old, New Summary
	Ratio    float64  // of the medians, new / old
	Lo, Hi   *float64 // its interval [newLo/oldHi, newHi/oldLo]; nil where one of the two has none
	P        float64  // of the Mann-Whitney test
	Floor    float64  // the relative difference that noise alone has shown; set by who knows it
	Claimed  bool     // set by Decide
}

// Compare is the change from one set of values to another; ok is false where a ratio means nothing: no values, or one not above 0.
func Compare(before, after []float64) (c Change, ok bool) {
	if len(before) == 0 || len(after) == 0 || slices.Min(before) <= 0 || slices.Min(after) <= 0 {
		return Change{}, false
	}
	c.Old, c.New = summarize(before), summarize(after)
	c.Ratio = c.New.Median / c.Old.Median
	if c.Old.Lo != nil && c.New.Lo != nil {
		c.Lo, c.Hi = new(*c.New.Lo / *c.Old.Hi), new(*c.New.Hi / *c.Old.Lo)
	}
	thresholds := benchmath.DefaultThresholds
	c.P = benchmath.AssumeNothing.Compare(benchmath.NewSample(before, &thresholds), benchmath.NewSample(after, &thresholds)).P
	return c, true
}

// Shown says that the interval of the change leaves no change out.
func (c Change) Shown() bool { return c.Lo != nil && (*c.Lo > 1 || *c.Hi < 1) }

// Effect is the relative change, without its sign.
func (c Change) Effect() float64 { return math.Abs(c.Ratio - 1) }

// Decide sets Claimed in a family of changes that one question asks for. A change is claimed if the test rejects chance after
// Holm's correction over the family, the interval agrees, and the effect is beyond both its noise floor and LeastEffect.
func Decide(family []*Change) {
	var ps []float64
	for _, c := range family {
		ps = append(ps, c.P)
	}
	for i, rejected := range holm(ps) {
		c := family[i]
		c.Claimed = rejected && c.Shown() && c.Effect() > max(LeastEffect, c.Floor)
	}
}

// holm says which of the hypotheses are rejected at alpha for all of them together: the smallest p must pass alpha/m, the next
// one alpha/(m-1), until one does not.
func holm(ps []float64) []bool {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	rejected := make([]bool, len(ps))
	for rank, i := range order {
		if ps[i] > alpha/float64(len(ps)-rank) {
			break
		}
		rejected[i] = true
	}
	return rejected
}

// SmallestP is the least p that a Mann-Whitney test of n against n values can give: 0.0022 for 6.
func SmallestP(n int) float64 {
	p := 2.0
	for i := 1; i <= n; i++ {
		p *= float64(i) / float64(n+i)
	}
	return min(p, 1)
}

// TrialsFor is how many trials a family of that many pairs needs to be decidable at all.
func TrialsFor(pairs int) int {
	n := IntervalTrials
	for SmallestP(n) > alpha/float64(max(pairs, 1)) {
		n++
	}
	return n
}
