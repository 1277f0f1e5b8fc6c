package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// matrices are pages of one matrix each: p itself for a run without lists. Their notes keep the numbers of the whole page.
func (p *page) matrices() []*page {
	groups := p.Groups()
	if groups == nil {
		return []*page{p}
	}
	var all []*page
	for _, group := range groups {
		one := &page{File: p.Only(group), opt: p.opt, title: groupTitle(p.File, group)}
		row := map[int]int{} // of the whole page -> of this one
		for i := range p.Cells {
			if p.Cells[i].Group == group {
				row[i] = len(row)
			}
		}
		for _, n := range p.notes {
			mine := note{text: n.text, table: n.table}
			for _, r := range n.rows {
				if at, here := row[r]; here {
					mine.rows = append(mine.rows, at)
				}
			}
			one.notes = append(one.notes, mine)
		}
		all = append(all, one)
	}
	return all
}

// groupTitle says what the matrix has of the lists: "5,000 clients", "16 KiB", "5,000 clients, 16 KiB".
func groupTitle(f *result.File, group string) string {
	one := f.Only(group).Plan
	var parts []string
	if f.Plan.ClientsList != nil {
		parts = append(parts, plural(one.Clients, "client"))
	}
	if f.Plan.SizeList != nil {
		parts = append(parts, size(float64(one.SizeBytes)))
	}
	return strings.Join(parts, ", ")
}

// tables are the two of each matrix.
func tables(p *page) string {
	var parts []string
	for _, m := range p.matrices() {
		upper, lower := healthy(m), stuck(m)
		if m.title != "" {
			upper = p.opt.paint(bold, strings.ToUpper(m.title[:1])+m.title[1:]+" each") + "\n" + upper
		}
		upper += prepared(m)
		for _, text := range []string{upper, lower} {
			if text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "\n")
}

// titled puts the matrix in front of a sentence about it, where there are several.
func (p *page) titled(text string) string {
	if p.title == "" || text == "" {
		return text
	}
	return p.title + ": " + text
}

// clientsText is the plan's number of clients, or all that there are.
func clientsText(plan result.Plan) string {
	if plan.ClientsList == nil {
		return plural(plan.Clients, "client")
	}
	return listText(plan.ClientsList, func(n int) string { return count(float64(n)) }) + " clients"
}

func sizeText(plan result.Plan) string {
	if plan.SizeList == nil {
		return size(float64(plan.SizeBytes))
	}
	return listText(plan.SizeList, func(n int) string { return size(float64(n)) })
}

// listText is "a, b and c".
func listText[T any](values []T, show func(T) string) string {
	var all []string
	for _, v := range values {
		all = append(all, show(v))
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// groupVerdict is that of each matrix by itself, in the order of the file.
func groupVerdict(f *result.File, groups []string) []result.Claim {
	claims := []result.Claim{}
	for _, group := range groups {
		for _, c := range matrixVerdict(f.Only(group)) {
			c.Text = groupTitle(f, group) + ": " + c.Text
			c.Cells = slices.Clone(c.Cells)
			for i := range c.Cells {
				c.Cells[i] += "@" + group
			}
			claims = append(claims, c)
		}
	}
	if mostTrials(f) >= result.IntervalTrials {
		claims = append(claims, result.Claim{Kind: result.KindNone, Text: fmt.Sprintf(
			"%d matrices are %d families of comparisons: each by itself raises a false alarm in at most one of 20 runs", len(groups), len(groups))})
	}
	return claims
}

// payKeys say of one matrix what prepared frames save, who pays for a stuck client, and whether it was one.
func (p *page) payKeys() (all []keyed) {
	for _, engine := range enginesOf(p.File) {
		if text := preparedText(p.File, engine); p.Plan.Compress && text != "" {
			all = append(all, keyed{"prepared", pretty(p.titled(text))})
		}
	}
	if !anyStuck(p.File) {
		return all
	}
	for _, engine := range enginesOf(p.File) {
		if text := p.price(engine); text != "" {
			all = append(all, keyed{"who pays", pretty(p.titled(engine + ": " + text))})
		}
	}
	if text := jamText(p.File); text != "" {
		all = append(all, keyed{"jam", pretty(p.titled(text))})
	}
	return all
}
