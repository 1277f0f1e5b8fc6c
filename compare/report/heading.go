package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// heading says in one line what was asked for and how long it took, and in a second one what is missing.
func heading(p *page) string {
	if text := experimentHeading(p); text != "" {
		return text
	}
	plan := p.Plan
	line := fmt.Sprintf("%s, %s every %s, %s x %s, %s (%s)",
		clientsText(plan), sizeText(plan)+travels(plan), exact(float64(plan.IntervalNs)),
		plural(plan.Rounds, "round"), plural(plan.Trials, "trial"), cores(p.Host), long(p.DurationNs))
	var out strings.Builder
	out.WriteString(p.opt.paint(bold, line) + "\n")
	if !p.Complete {
		done := 0
		for i := range p.Cells {
			done += len(p.Cells[i].Trials)
		}
		missing := fmt.Sprintf("INCOMPLETE: %d of %d measurements are done", done, len(p.Cells)*plan.Trials)
		out.WriteString(p.opt.paint(yellow, missing) + "\n")
	}
	return out.String()
}

// cores is what the server may use: a quota below the number of CPUs counts, whatever GOMAXPROCS is.
func cores(h result.Host) string {
	if h.CPUQuota > 0 && h.CPUQuota < float64(h.CPUs) {
		return fmt.Sprintf("%s of %s", plain(h.CPUQuota), plural(h.CPUs, "core"))
	}
	return plural(h.CPUs, "core")
}

// travels says how the messages do, where not plainly.
func travels(plan result.Plan) string {
	text := ""
	if plan.Compress {
		text += " compressed"
	}
	if plan.TLS {
		text += " over TLS"
	}
	return text
}
