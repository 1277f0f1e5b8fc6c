package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// experimental is the section of the experiments: the answer, then the tables.
func experimental(p *page) string {
	var parts []string
	for _, e := range experimentsOf(p.File) {
		if text := p.answerText(e.answer); text != "" {
			parts = append(parts, text)
		}
		for i := range e.tables {
			parts = append(parts, p.tableText(&e.tables[i], e.first))
		}
	}
	return strings.Join(parts, "\n")
}

func (p *page) answerText(a answer) string {
	if a.lines == nil {
		return ""
	}
	var out strings.Builder
	out.WriteString(p.opt.paint(bold, shout(a.title)) + "\n")
	for _, k := range a.lines {
		out.WriteString(p.keyed(k.Key, k.Text))
	}
	for _, s := range a.code {
		fmt.Fprintf(&out, "\n%s\n", p.opt.paint(bold, s.title))
		for line := range strings.Lines(strings.ReplaceAll(s.code, "\t", "    ")) {
			out.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
		}
	}
	return out.String()
}

// shout sets a title in capitals, up to its colon.
func shout(title string) string {
	head, rest, found := strings.Cut(title, ":")
	if found {
		rest = ":" + rest
	}
	return strings.ToUpper(head) + rest
}

func (p *page) tableText(t *expTable, offset int) string {
	g := t.grid(offset)
	out := p.opt.paint(bold, strings.ToUpper(t.title)) + "\n"
	if t.lead != "" {
		out += wrap("", t.lead, p.opt.Width)
	}
	legend := ""
	if !p.opt.Wide {
		legend = shorten(g, p.opt.Width)
		narrowed(g, p.opt.Width)
	}
	return out + g.text(p.opt) + legend
}

// narrowed cuts words of a table that is still too wide, from the last column to the name of the set-up: the other formats have all.
func narrowed(g *grid, width int) {
	for i := len(g.columns) - 1; i > 0 && g.width() > width; i-- {
		if g.columns[i].right {
			continue
		}
		limit := max(g.widths()[i]-(g.width()-width), utf8.RuneCountInString(g.columns[i].head), leastWords)
		for _, r := range g.rows {
			if i < len(r.cells) {
				r.cells[i] = cut(r.cells[i], limit)
			}
		}
	}
}

// leastWords is what a column of words keeps.
const leastWords = 14

// experimentHeading says what was asked for, and in a second line what is missing; "" for a file with nothing but a matrix.
func experimentHeading(p *page) string {
	if !onlyExperiments(p.File) {
		return ""
	}
	e := experimentsOf(p.File)[0]
	text := p.opt.paint(bold, e.headline(p.File)) + "\n"
	if !p.Complete {
		text += p.opt.paint(yellow, fmt.Sprintf("INCOMPLETE: %d of %d measurements are done", e.done, e.planned)) + "\n"
	}
	return text
}
