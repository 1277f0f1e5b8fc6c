package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"wsfanout/compare/result"
)

// Markdown writes the report for a page that renders GitHub's Markdown: the tables of the text report, the verdict, and the
// footnotes as a numbered list. Options.Wide adds the columns that the text report adds.
func Markdown(w io.Writer, f *result.File, opt Options) error {
	opt.Color = false
	p := &page{File: f, opt: opt, notes: collectNotes(f)}
	var out strings.Builder
	head, provisional, _ := strings.Cut(strings.TrimSpace(heading(p)), "\n")
	fmt.Fprintf(&out, "## %s\n\n", markdownText(head))
	if provisional != "" {
		fmt.Fprintf(&out, "**%s**\n\n", markdownText(provisional))
	}
	out.WriteString(p.markdownExperiments())
	for _, m := range p.matrices() {
		out.WriteString(m.markdownTables())
	}
	out.WriteString(p.markdownKeys())
	for _, g := range p.growthGrids() {
		out.WriteString("### Growth\n\n" + markdownTable(g))
	}
	if g := p.capacityGrid(); g != nil {
		out.WriteString("### Capacity\n\n" + markdownTable(g))
	}
	if len(p.notes) > 0 {
		out.WriteString("### Footnotes\n\n")
	}
	for i, n := range p.notes {
		fmt.Fprintf(&out, "%d. %s\n", i+1, markdownText(n.text))
	}
	_, err := io.WriteString(w, strings.TrimRight(out.String(), "\n")+"\n")
	return err
}

// markdownTables are those of one matrix.
func (p *page) markdownTables() string {
	var out strings.Builder
	if len(p.Cells) > 0 {
		fmt.Fprintf(&out, "### %s\n\n%s", markdownText(p.titled("Everybody reads")), markdownTable(p.healthyGrid()))
	}
	if anyStuck(p.File) {
		fmt.Fprintf(&out, "### %s\n\n%s", markdownText(p.titled(sentence(p.stuckTitle()))), markdownTable(p.stuckGrid()))
	}
	return out.String()
}

// markdownKeys are the sentences between the tables and the notes, one list.
func (p *page) markdownKeys() string {
	r := &run{page: p}
	var out strings.Builder
	for _, k := range r.keys() {
		fmt.Fprintf(&out, "- **%s:** %s\n", k.Key, markdownText(k.Text))
	}
	for _, c := range r.claims() {
		fmt.Fprintf(&out, "- **%s:** %s\n", cmp.Or(c.Key, "verdict"), markdownText(c.Text))
	}
	return out.String() + "\n"
}

func markdownTable(g *grid) string {
	var out strings.Builder
	heads := []string{cmp.Or(g.label, "cell")}
	rules := []string{"---"}
	for _, c := range g.columns[labelColumns:] {
		heads = append(heads, markdownText(c.head))
		if c.right {
			rules = append(rules, "--:")
		} else {
			rules = append(rules, "---")
		}
	}
	fmt.Fprintf(&out, "| %s |\n|%s|\n", strings.Join(heads, " | "), strings.Join(rules, "|"))
	for _, row := range g.rows {
		cells := []string{markdownText(strings.Join(row.cells[:labelColumns], " "))}
		for _, cell := range row.cells[labelColumns:] {
			cells = append(cells, markdownText(cell))
		}
		if row.free != "" {
			cells = append(cells, markdownText(row.free))
		}
		for len(cells) < len(heads) {
			cells = append(cells, "")
		}
		fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | "))
	}
	return out.String() + "\n"
}

// markdownText is one line in which nothing is markup by accident: a pipe would end the cell, stars and underscores would be
// emphasis, and what stands in angle brackets would vanish.
func markdownText(text string) string {
	text = pretty(strings.Join(strings.Fields(text), " "))
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`").Replace(text)
}
