package report

import (
	"fmt"
	"strings"
)

// markdownExperiments are the answers with their code, and the tables.
func (p *page) markdownExperiments() string {
	var out strings.Builder
	for _, e := range experimentsOf(p.File) {
		if e.answer.lines != nil {
			fmt.Fprintf(&out, "### %s\n\n", markdownText(e.answer.title))
			for _, k := range e.answer.lines {
				fmt.Fprintf(&out, "- **%s:** %s\n", markdownText(k.Key), markdownText(k.Text))
			}
			out.WriteString("\n")
		}
		for _, s := range e.answer.code {
			fmt.Fprintf(&out, "%s\n\n```go\n%s\n```\n\n", markdownText(s.title), strings.TrimRight(s.code, "\n"))
		}
		for i := range e.tables {
			t := &e.tables[i]
			fmt.Fprintf(&out, "### %s\n\n", markdownText(sentenceCase(t.title)))
			if t.lead != "" {
				fmt.Fprintf(&out, "%s.\n\n", markdownText(sentenceCase(t.lead)))
			}
			out.WriteString(markdownTable(t.grid(e.first)))
		}
	}
	return out.String()
}
