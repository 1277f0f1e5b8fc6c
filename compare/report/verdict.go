package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// Verdict is what the trials of a file support, in sentences that a person can act on. Differences are claimed from intervals and
// tests only, all pairs that it asks about decided as one family; below result.IntervalTrials it claims nothing and says so.
// Each matrix of a run with lists has a verdict of its own.
func Verdict(f *result.File) []result.Claim {
	if groups := f.Groups(); groups != nil && mostTrials(f) >= result.IntervalTrials {
		return groupVerdict(f, groups)
	}
	return matrixVerdict(f)
}

func matrixVerdict(f *result.File) []result.Claim {
	n := mostTrials(f)
	switch {
	case n == 0:
		return []result.Claim{}
	case n < result.IntervalTrials:
		text := fmt.Sprintf("none: %s of each cell, and a claim takes %d", plural(n, "trial"), result.IntervalTrials)
		return []result.Claim{{Kind: result.KindNone, Text: text}}
	}
	claims := []result.Claim{noiseClaim(f)}
	picks := picksOf(f)
	claims = append(claims, picks.claims(f)...)
	claims = append(claims, pairClaims(f)...)
	return append(claims, flips(f, picks)...)
}

// mostTrials is how many good trials the cell with most of them has.
func mostTrials(f *result.File) int {
	n := 0
	for _, c := range f.Compared() {
		n = max(n, len(healthyPhases(c)))
	}
	return n
}

// noiseClaim is the floor below which no difference is claimed.
func noiseClaim(f *result.File) result.Claim {
	claim := result.Claim{Kind: result.KindNoise}
	var parts []string
	for _, m := range []struct {
		name    string
		measure result.Measure
	}{{"vs bare loop", vsBareOf}, {"last client", lastOf}} {
		if spread, ok := f.Noise(m.measure); ok {
			parts = append(parts, fmt.Sprintf("%s %s", m.name, percent(spread)))
		}
	}
	if parts == nil {
		claim.Text = fmt.Sprintf("no cell was measured against itself; differences below %s are not claimed", percent(result.LeastEffect)) + clockFloor(f)
		return claim
	}
	repeated, control := f.Control()
	claim.Cells = []string{repeated.Name()}
	claim.Text = fmt.Sprintf("%s against itself (A/A) differs by: %s; differences below that, or below %s, are not claimed",
		name(repeated), strings.Join(parts, ", "), percent(result.LeastEffect)) + clockFloor(f)
	claim.Evidence = fmt.Sprintf("medians over %d and %d trials", len(repeated.Values(lastOf)), len(control.Values(lastOf)))
	return claim
}

// The metrics on which cells are compared.
var (
	vsBareOf = measureOf("vs_bare")
	lastOf   = measureOf("last_client")
)

func measureOf(metric string) result.Measure {
	m, err := result.FindMetric(metric)
	if err != nil {
		panic(err) // the names stand in this package
	}
	return m.Measure
}

// findings are the sentences under the tables.
func findings(p *page) string {
	var out strings.Builder
	for _, m := range p.matrices() {
		out.WriteString(whoPays(m))
	}
	return out.String() + verdict(p)
}

// verdict shows the claims of the file, one paragraph each.
func verdict(p *page) string {
	var out strings.Builder
	key := "verdict"
	for _, c := range p.Verdict {
		if c.Kind == result.KindNoise {
			out.WriteString(p.keyed("noise floor", c.Text))
			key = "verdict"
			continue
		}
		text := c.Text
		if c.Evidence != "" && p.opt.Wide {
			text += " [" + c.Evidence + "]"
		}
		out.WriteString(p.keyed(key, text))
		key = ""
	}
	return out.String()
}

// cellNames are for Claim.Cells.
func cellNames(cells ...*result.Cell) []string {
	var names []string
	for _, c := range cells {
		names = append(names, c.Name())
	}
	return names
}

// named lists cells in words, those of one engine under its name: "gorilla shard, shardprep".
func named(cells []*result.Cell) string {
	var order []string
	strategies := map[string][]string{}
	for _, c := range cells {
		if strategies[c.Engine] == nil {
			order = append(order, c.Engine)
		}
		strategies[c.Engine] = append(strategies[c.Engine], c.Strategy)
	}
	var parts []string
	for _, engine := range order {
		parts = append(parts, engine+" "+strings.Join(strategies[engine], ", "))
	}
	return strings.Join(parts, "; ")
}
