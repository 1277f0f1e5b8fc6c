package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"wsfanout/compare/result"
)

// diffColumns are the metrics of the table, the usual headline first.
var diffColumns = []struct{ head, metric string }{
	{"vs bare loop", "vs_bare"},
	{"last client", "last_client"},
	{"p99", "p99"},
	{"CPU/delivery", "cpu_per_delivery"},
	{"memory/client", "bytes_per_client"},
}

// Diff writes what changed between two runs: a row a cell, then the counts that changed, then what is claimed.
func Diff(w io.Writer, d *result.Diff, opt Options) error {
	if opt.Width == 0 {
		opt.Width = 120
	}
	p := &page{File: d.New, opt: opt}
	var out strings.Builder
	out.WriteString(p.keyed("old", runText(d.Old)))
	out.WriteString(p.keyed("new", runText(d.New)))
	for _, text := range diffSetup(d) {
		out.WriteString(p.keyed("", text))
	}
	if len(d.Cells) > 0 {
		out.WriteString("\n" + p.diffTable(d) + "\n")
	}
	out.WriteString(p.diffCounts(d) + p.diffClaims(d) + p.keyed("noise floor", diffNoise(d)))
	out.WriteString(p.keyed("reading", diffLegend))
	_, err := io.WriteString(w, out.String())
	return err
}

const diffLegend = "a change is that of the medians with its interval, [new low / old high, new high / old low]; ~ is one that the " +
	"interval does not show; * is claimed; only one metric of a cell can be, vs bare loop or else last client"

func runText(f *result.File) string {
	text := fmt.Sprintf("%s, %s of %s", f.Started.UTC().Format("2006-01-02 15:04"), plural(mostTrials(f), "trial"), plural(len(f.Compared()), "cell"))
	if f.Tool.Commit != "" {
		text += ", commit " + f.Tool.Commit
	}
	if f.Tool.Dirty {
		text += " with changes"
	}
	if !f.Complete {
		text += ", INCOMPLETE"
	}
	return text
}

// diffSetup is what makes the two runs differ by more than the code.
func diffSetup(d *result.Diff) []string {
	var out []string
	for _, row := range []struct {
		what    string
		changes []string
	}{
		{"other plans", result.PlanChanges(d.Old.Plan, d.New.Plan)},
		{"other hosts", result.HostChanges(d.Old.Host, d.New.Host)},
		{"built with", moduleChanges(d.Old.Tool, d.New.Tool)},
		{"only in the old run", d.OnlyOld},
		{"only in the new run", d.OnlyNew},
	} {
		if len(row.changes) > 0 {
			out = append(out, row.what+": "+strings.Join(row.changes, ", "))
		}
	}
	return out
}

func (p *page) diffTable(d *result.Diff) string {
	g := &grid{columns: []column{{head: "CHANGE"}, {}}}
	for _, c := range d.Cells {
		g.rows = append(g.rows, gridRow{cells: []string{c.New.Engine, c.New.Strategy}})
	}
	for _, col := range diffColumns {
		g.columns = append(g.columns, column{head: col.head})
		for i, c := range d.Cells {
			r := &g.rows[i]
			change := c.Changes[col.metric]
			if change != nil && change.Claimed {
				r.color = bold
			}
			r.cells = append(r.cells, changeText(change))
		}
	}
	return p.fitted(g)
}

// changeText is "+20 % [+17, +23] *", "~" where nothing is shown, "-" where nothing was measured.
func changeText(c *result.Change) string {
	switch {
	case c == nil:
		return "-"
	case !c.Shown():
		return "~"
	}
	text := signed(c.Ratio) + " % [" + signed(*c.Lo) + ", " + signed(*c.Hi) + "]"
	if c.Claimed {
		text += " *"
	}
	return text
}

// signed is a ratio as a change in percent, with a decimal where it is small: an interval must not seem to touch 0.
func signed(ratio float64) string {
	change := 100 * (ratio - 1)
	if math.Abs(change) < 9.95 {
		return fmt.Sprintf("%+.1f", change)
	}
	return fmt.Sprintf("%+.0f", change)
}
