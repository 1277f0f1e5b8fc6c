package report

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"wsfanout/compare/result"
)

// htmlExperiment is what a page shows of an experiment above its tables.
type htmlExperiment struct {
	Title    string
	Lines    []keyed
	Code     []htmlCode
	Pictures [][]picture
}

type htmlCode struct{ Title, Code string }

// aloneColumns is a figure of a single picture.
const aloneColumns = 0

func (r *run) experiments() []htmlExperiment {
	var all []htmlExperiment
	for _, e := range experimentsOf(r.File) {
		h := htmlExperiment{Title: pretty(e.answer.title)}
		for _, k := range e.answer.lines {
			h.Lines = append(h.Lines, keyed{k.Key, pretty(k.Text)})
		}
		for _, s := range e.answer.code {
			h.Code = append(h.Code, htmlCode{s.title, s.code})
		}
		var row []picture
		for i := range e.pictures {
			c := &e.pictures[i]
			row = append(row, picture{
				ID: strings.ToLower(r.letter) + c.id, Title: c.title, Caption: pretty(c.caption), Columns: aloneColumns,
				Panels: []template.HTML{template.HTML(c.drawn().inline())},
			})
		}
		if row != nil {
			h.Pictures = append(h.Pictures, row)
		}
		all = append(all, h)
	}
	return all
}

// experimentTables are those of the text report.
func (r *run) experimentTables() []htmlTable {
	var all []htmlTable
	for _, e := range experimentsOf(r.File) {
		for i := range e.tables {
			t := &e.tables[i]
			table := tableOf(sentenceCase(t.title), t.grid(r.firstNote-1+e.first))
			table.Lead = sentenceCase(pretty(t.lead))
			table.exact(t)
			all = append(all, table)
		}
	}
	return all
}

// exact puts the file's own numbers behind the figures.
func (h *htmlTable) exact(t *expTable) {
	for i, row := range t.rows {
		for j, c := range row.cells[labelColumns:] {
			h.Rows[i].Cells[j].Value, h.Rows[i].Cells[j].Key = c.exact, t.columns[labelColumns+j].key
		}
	}
}

func sentenceCase(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// experimentSVG stacks the pictures of the experiments under the question and the first lines of the answer.
func experimentSVG(w io.Writer, f *result.File) error {
	all := experimentsOf(f)
	const width, zoom = 700.0, 1.5
	d := &drawing{width: width, class: "whole", title: all[0].question}
	d.text(16, 26, "head", d.title)
	d.text(16, 45, "quiet", pretty(all[0].headline(f)))
	y, said := 58.0, []string{}
	for _, e := range all {
		for _, k := range e.answer.lines {
			said = append(said, k.Key+": "+k.Text)
			for i, line := range strings.Split(strings.TrimSpace(wrap("", pretty(k.Text), 90)), "\n") {
				y += 17
				if i == 0 {
					d.text(16, y, "name", k.Key)
				}
				d.text(110, y, "row", line)
			}
		}
		y += 20
		for i := range e.pictures {
			p := e.pictures[i].drawn()
			d.put("%s\n", p.element(fmt.Sprintf(` x="16" y="%s" width="%s" height="%s"`, px(y), px(zoom*p.width), px(zoom*p.height)), ""))
			y += zoom*p.height + 20
		}
	}
	d.text(16, y, "tick quiet", "loopback on one host; measured on "+f.Started.UTC().Format("2 January 2006"))
	d.height = y + 16
	d.desc = strings.Join(said, "; ")
	return d.writeTo(w)
}
