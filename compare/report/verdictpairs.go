package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// pair is one comparison that the verdict asks for.
type pair struct {
	one, other *result.Cell
	*result.Change
}

// pairClaims answers which cell is cheapest per delivery, and which engine is ahead while nobody is stuck. Both questions are one
// family: it is the run that may raise one false alarm in twenty, not the comparison.
func pairClaims(f *result.File) []result.Claim {
	cells := comparable(f)
	cost, best := costPairs(f, cells)
	duels := enginePairs(f, cells)
	var family []*result.Change
	for _, p := range slices.Concat(cost, duels) {
		family = append(family, p.Change)
	}
	if len(family) == 0 {
		return nil
	}
	result.Decide(family)
	var claims []result.Claim
	if len(cost) > 0 {
		claims = append(claims, cheapest(best, cost))
	}
	claims = append(claims, engineClaims(f, duels, result.Headline(cells...))...)
	for i := range claims {
		claims[i].Evidence += fmt.Sprintf("; Mann-Whitney, Holm over %s", plural(len(family), "pair"))
	}
	if n, need := fewestTrials(cells), result.TrialsFor(len(family)); n < need {
		claims = append(claims, result.Claim{Kind: result.KindNone, Text: fmt.Sprintf(
			"%d pairs are too many for %d trials: no difference among them can ever be shown, %d trials would do", len(family), n, need)})
	}
	return claims
}

// comparable are the cells with enough trials for an interval.
func comparable(f *result.File) []*result.Cell {
	return slices.DeleteFunc(f.Compared(), func(c *result.Cell) bool { return len(healthyPhases(c)) < result.IntervalTrials })
}

func fewestTrials(cells []*result.Cell) int {
	n := len(healthyPhases(cells[0]))
	for _, c := range cells {
		n = min(n, len(healthyPhases(c)))
	}
	return n
}

// costPairs set the cell with the cheapest delivery against all the others.
func costPairs(f *result.File, cells []*result.Cell) (pairs []pair, best *result.Cell) {
	least := 0.0
	for _, c := range cells {
		if s, ok := c.Over(cpu); ok && (best == nil || s.Median < least) {
			best, least = c, s.Median
		}
	}
	for _, c := range cells {
		if c != best && best != nil {
			pairs = appendPair(pairs, f, best, c, cpu)
		}
	}
	return pairs, best
}

// enginePairs set the first engine against each of the others, strategy by strategy, on the headline metric.
func enginePairs(f *result.File, cells []*result.Cell) (pairs []pair) {
	first := enginesOf(f)[0]
	headline := result.Headline(cells...)
	for _, other := range cells {
		one := f.Find(first + "/" + other.Strategy)
		if other.Engine != first && one != nil && slices.Contains(cells, one) {
			pairs = appendPair(pairs, f, one, other, headline.Measure)
			if n := len(pairs); n > 0 && pairs[n-1].other == other {
				pairs[n-1].Floor = max(pairs[n-1].Floor, result.ClockFloor(one, other, headline))
			}
		}
	}
	return pairs
}

func appendPair(pairs []pair, f *result.File, one, other *result.Cell, measure result.Measure) []pair {
	change, ok := result.Compare(one.Values(measure), other.Values(measure))
	if !ok {
		return pairs
	}
	change.Floor, _ = f.Noise(measure)
	return append(pairs, pair{one, other, &change})
}

// cheapest names the cell with the cheapest delivery, those that cannot be told from it, and how much more the others take.
func cheapest(best *result.Cell, pairs []pair) result.Claim {
	var same []*result.Cell
	var dearer []pair
	for _, p := range pairs {
		if p.Claimed {
			dearer = append(dearer, p)
		} else {
			same = append(same, p.other)
		}
	}
	claim := result.Claim{Kind: result.KindCost, Cells: cellNames(append([]*result.Cell{best}, same...)...), Evidence: "CPU per delivery of the server"}
	if dearer == nil {
		claim.Text = fmt.Sprintf("cheapest per delivery: no difference shown between %s and the lowest, %s (%s)",
			named(same), name(best), duration(pairs[0].Old.Median))
		return claim
	}
	claim.Text = fmt.Sprintf("cheapest per delivery: %s (%s of CPU)", name(best), duration(pairs[0].Old.Median))
	if same != nil {
		claim.Text += "; no difference shown to " + named(same)
	}
	least := slices.MinFunc(dearer, byRatio)
	most := slices.MaxFunc(dearer, byRatio)
	claim.Text += fmt.Sprintf("; %s more with %s", percent(least.Effect()), name(least.other))
	if len(dearer) > 1 {
		claim.Text += fmt.Sprintf(", up to %s with %s", percent(most.Effect()), name(most.other))
	}
	claim.Evidence += fmt.Sprintf("; nearest claimed: %s", evidence(least))
	return claim
}

func byRatio(a, b pair) int {
	if a.Ratio < b.Ratio {
		return -1
	}
	return 1
}

// engineClaims is one sentence for each engine that the first one is set against.
func engineClaims(f *result.File, pairs []pair, headline result.Metric) []result.Claim {
	var claims []result.Claim
	for _, engine := range enginesOf(f) {
		duels := slices.DeleteFunc(slices.Clone(pairs), func(p pair) bool { return p.other.Engine != engine })
		if len(duels) > 0 {
			claims = append(claims, engineClaim(duels, headline))
		}
	}
	return claims
}

func engineClaim(duels []pair, headline result.Metric) result.Claim {
	claim := result.Claim{Kind: result.KindEngines}
	var ahead, same, figures []string
	figure := figureOf(headline)
	for _, p := range duels {
		claim.Cells = append(claim.Cells, cellNames(p.one, p.other)...)
		figures = append(figures, p.one.Strategy+" "+evidence(p))
		if !p.Claimed {
			same = append(same, p.one.Strategy)
			continue
		}
		winner := p.one.Engine
		if p.Ratio < 1 {
			winner = p.other.Engine
		}
		ahead = append(ahead, fmt.Sprintf("%s with %s by %s (%s against %s)", winner, p.one.Strategy, percent(p.Effect()),
			figure(min(p.Old.Median, p.New.Median)), figure(max(p.Old.Median, p.New.Median))))
	}
	claim.Text = fmt.Sprintf("%s or %s when healthy (%s): ", duels[0].one.Engine, duels[0].other.Engine, headOf(headline.Name))
	switch {
	case ahead == nil:
		claim.Text += fmt.Sprintf("no difference shown (%s)", strings.Join(same, ", "))
	case same == nil:
		claim.Text += "the last client is earlier on " + strings.Join(ahead, ", on ")
	default:
		claim.Text += fmt.Sprintf("the last client is earlier on %s; no difference shown with %s", strings.Join(ahead, ", on "), strings.Join(same, ", "))
	}
	claim.Evidence = strings.Join(figures, ", ")
	return claim
}

// evidence is the change of a pair with its interval and p.
func evidence(p pair) string {
	if p.Lo == nil {
		return fmt.Sprintf("x%.2f without an interval", p.Ratio)
	}
	return fmt.Sprintf("x%.2f [%.2f, %.2f] p %.2g", p.Ratio, *p.Lo, *p.Hi, p.P)
}
