package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// moduleChanges are the dependencies and the Go version that differ.
func moduleChanges(before, after result.Tool) []string {
	was, is := maps.Clone(before.Modules), maps.Clone(after.Modules)
	if was == nil || is == nil {
		return nil // one of them does not know
	}
	was["go"], is["go"] = before.Go, after.Go
	var out []string
	for _, path := range slices.Sorted(maps.Keys(is)) {
		if was[path] != "" && was[path] != is[path] {
			out = append(out, fmt.Sprintf("%s %s -> %s", path, was[path], is[path]))
		}
	}
	return out
}

// diffCounts are the medians of lost clients and messages that changed: figures without a claim.
func (p *page) diffCounts(d *result.Diff) string {
	var parts []string
	for _, c := range d.Cells {
		for _, m := range []struct{ metric, what string }{
			{"late_clients", "late clients"}, {"false_kills", "false kills"}, {"reach", "reach"},
		} {
			before, ok := c.Old.Over(measureOf(m.metric))
			after, also := c.New.Over(measureOf(m.metric))
			if ok != also || before.Median != after.Median {
				parts = append(parts, fmt.Sprintf("%s: %s %s -> %s", name(c.New), m.what, countText(before, ok), countText(after, also)))
			}
		}
	}
	if parts == nil {
		return ""
	}
	return p.keyed("also changed", strings.Join(parts, ", ")+" (medians, no claim)")
}

func countText(s result.Summary, measured bool) string {
	switch {
	case !measured:
		return "not measured"
	case s.Median != float64(int64(s.Median)):
		return fmt.Sprintf("%.5g", s.Median)
	}
	return count(s.Median)
}

// diffClaims are the sentences: which cells changed by more than chance and noise, or that none is shown to have.
func (p *page) diffClaims(d *result.Diff) string {
	if len(d.Cells) == 0 {
		return p.keyed("claimed", "nothing: the two runs have no cell in common")
	}
	if n := min(mostTrials(d.Old), mostTrials(d.New)); n < result.IntervalTrials {
		return p.keyed("claimed", fmt.Sprintf("nothing: %s in one of the two runs, and a claim takes %d in both", plural(n, "trial"), result.IntervalTrials))
	}
	var out strings.Builder
	key := "claimed"
	for _, c := range d.Claimed() {
		out.WriteString(p.keyed(key, claimText(c, len(d.Cells))))
		key = ""
	}
	if key != "" {
		out.WriteString(p.keyed(key, fmt.Sprintf("nothing: no difference shown in %s", plural(len(d.Cells), "cell"))))
		if n, need := min(mostTrials(d.Old), mostTrials(d.New)), result.TrialsFor(len(d.Cells)); n < need {
			out.WriteString(p.keyed("", fmt.Sprintf("%d trials can never decide so many cells at once: %d would", n, need)))
		}
	}
	return out.String()
}

func claimText(c result.CellDiff, family int) string {
	change := c.Changes[c.Headline.Name]
	how := "slower"
	if change.Ratio < 1 {
		how = "faster"
	}
	figure := figureOf(c.Headline)
	return fmt.Sprintf("%s is %s: %s %s -> %s, %s %% [%s, %s] (p %.2g, Holm over %s)", name(c.New), how, headOf(c.Headline.Name),
		figure(change.Old.Median), figure(change.New.Median), signed(change.Ratio), signed(*change.Lo), signed(*change.Hi),
		change.P, plural(family, "cell"))
}

func headOf(metric string) string {
	for _, col := range diffColumns {
		if col.metric == metric {
			return col.head
		}
	}
	return metric
}

// Figure writes a value of a metric as the report does: "138 ms", "11.9 KiB", "10,000", "1.15".
func Figure(m result.Metric, v float64) string { return figureOf(m)(v) }

// figureOf writes a metric's values.
func figureOf(m result.Metric) func(float64) string {
	switch m.Kind {
	case result.Duration:
		return duration
	case result.Bytes:
		return size
	case result.Count:
		return count
	}
	return ratio
}

// diffNoise is what both A/A controls have shown noise to do.
func diffNoise(d *result.Diff) string {
	text := fmt.Sprintf("differences below %s are not claimed", percent(result.LeastEffect))
	for _, run := range []struct {
		when string
		file *result.File
	}{{"old", d.Old}, {"new", d.New}} {
		if spread, ok := run.file.Noise(vsBareOf); ok {
			text += fmt.Sprintf(", nor below the %s run's A/A: %s", run.when, percent(spread))
		} else if spread, ok := run.file.Noise(lastOf); ok {
			text += fmt.Sprintf(", nor below the %s run's A/A of last client: %s", run.when, percent(spread))
		} else {
			text += fmt.Sprintf("; the %s run has no A/A control", run.when)
		}
		if n := run.file.ClockUncertainty(); n > 0 {
			text += fmt.Sprintf(", nor below what its clocks leave open (%s)", giveOrTake(n))
		}
	}
	return text
}
