package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// keyColumn is where the text behind a key such as "who pays" begins.
const keyColumn = 14

// whoPays says, from this run's numbers, what a stuck client costs on each engine and whom, and then whether it was proven.
func whoPays(p *page) string {
	if !anyStuck(p.File) {
		return ""
	}
	var out strings.Builder
	key := "who pays"
	for _, engine := range enginesOf(p.File) {
		if text := p.price(engine); text != "" {
			out.WriteString(p.keyed(key, p.titled(engine+": "+text)))
			key = ""
		}
	}
	if text := jamText(p.File); text != "" {
		out.WriteString(p.keyed("jam", p.titled(text)))
	}
	return out.String()
}

// keyed is a paragraph with its key in front.
func (p *page) keyed(key, text string) string {
	head := fmt.Sprintf("%-*s", keyColumn, key)
	rest := strings.TrimPrefix(wrap(head, text, p.opt.Width), head)
	if key == "" {
		return head + rest
	}
	return p.opt.paint(bold, key) + head[len(key):] + rest
}

// enginesOf are in the order of the table.
func enginesOf(f *result.File) []string {
	var names []string
	for _, c := range f.Cells {
		if !slices.Contains(names, c.Engine) {
			names = append(names, c.Engine)
		}
	}
	return names
}

// price is what the cells of one engine pay for a stuck client: latency of the neighbours, memory of the server, or neither.
func (p *page) price(engine string) string {
	var all, waiting, holding, somehow, unknown []*result.Cell
	for i := range p.Cells {
		c := &p.Cells[i]
		if c.Engine != engine || !hasProof(c) || c.IsControl() {
			continue
		}
		all = append(all, c)
		switch late, ok := c.Over(lateClients); {
		case !ok || !resolvable(c):
			unknown = append(unknown, c)
		case late.Median > 0:
			waiting = append(waiting, c)
		}
		switch as := heldAs(c, extrasOf(c)); {
		case worst(c, heldMost) == 0:
		case as == copies || as == shared:
			holding = append(holding, c)
		case c.Options["exec"] != "": // a program of somebody else's
			somehow = append(somehow, c)
		}
	}
	if len(all) == 0 {
		return ""
	}
	var parts []string
	if len(waiting) > 0 {
		parts = append(parts, neighbours(waiting)+with(waiting, all))
	}
	if len(holding) > 0 {
		parts = append(parts, strings.TrimPrefix(with(holding, all)+" memory, ", " ")+p.memory(holding))
	}
	if len(somehow) > 0 {
		parts = append(parts, fmt.Sprintf("memory, up to %s held for each, in what form is not known here", size(mostHeld(somehow)))+with(somehow, all))
	}
	if len(unknown) > 0 {
		parts = append(parts, "whether neighbours wait is not resolvable at this D"+with(unknown, all))
	}
	if held := mostHeld(all); parts == nil && held > 0 {
		return fmt.Sprintf("nobody measurably: no neighbour was late, and no more than %s was held for each", size(held))
	}
	if parts == nil {
		return "nobody measurably: no neighbour was late, nothing was held"
	}
	return strings.Join(parts, "; ")
}

// with names the strategies that a statement is about, unless it is about all that were measured.
func with(some, all []*result.Cell) string {
	if len(some) == len(all) {
		return ""
	}
	var names []string
	for _, c := range some {
		names = append(names, c.Strategy)
	}
	return " with " + strings.Join(names, ", ")
}

func neighbours(cells []*result.Cell) string {
	var late, latest float64
	for _, c := range cells {
		late = max(late, worst(c, lateClients))
		latest = max(latest, worst(c, worstHealthy))
	}
	return fmt.Sprintf("its neighbours wait (up to %s of %s, up to %s)", count(late), count(float64(cells[0].Clients)), duration(latest))
}

// mostHeld is the most bytes that were held for one stuck client.
func mostHeld(cells []*result.Cell) (held float64) {
	for _, c := range cells {
		held = max(held, worst(c, heldMost))
	}
	return held
}

// memory is rate x time for each stuck client, and what was held indeed.
func (p *page) memory(cells []*result.Cell) string {
	form := map[string]string{copies: "private copies", shared: "in its queue, the payload shared by all clients"}
	var heap float64
	for _, c := range cells {
		heap = max(heap, worst(c, heapGrowth))
	}
	text := fmt.Sprintf("%s: up to %s held for each (%s)", p.memoryGrowth(cells), size(mostHeld(cells)), form[heldAs(cells[0], extrasOf(cells[0]))])
	if heap > 0 {
		text += fmt.Sprintf(", while the heap grew by up to %s, garbage included", size(heap))
	}
	return text
}

// heldPerRound is what a round adds for a client that does not take it: copies are of the frame, which may be compressed.
func (p *page) heldPerRound(cells []*result.Cell) float64 {
	if s, ok := cells[0].Over(wireBytes); ok && p.Plan.Compress && heldAs(cells[0], extrasOf(cells[0])) == copies {
		return s.Median
	}
	return float64(p.Plan.SizeBytes)
}

// memoryGrowth is how much the memory of one stuck client grows and what ends it.
func (p *page) memoryGrowth(cells []*result.Cell) string {
	perSecond := p.heldPerRound(cells) * 1e9 / float64(max(p.Plan.IntervalNs, 1))
	rate := size(perSecond) + "/s"
	ends := map[string]bool{}
	var longest float64
	for _, c := range cells {
		for reason := range reasons(c, evictedBy) {
			ends[reason] = true
		}
		longest = max(longest, worst(c, evictAfter))
	}
	limit := writeTimeout(cells[0])
	switch {
	case ends[""] && len(ends) > 1:
		return rate + " x stuck clients without end, as not all of them were evicted"
	case ends[""]:
		return rate + " x stuck clients without end, as nothing evicted them"
	case len(ends) == 1 && ends["write overflow"]:
		return fmt.Sprintf("%s x stuck clients up to the pending cap of %s", rate, pendingCap(cells[0]))
	case len(ends) == 1 && ends["write timeout"] && limit > 0:
		longest = float64(limit)
		return fmt.Sprintf("%s x %s x stuck clients at this rate", rate, exact(longest))
	}
	return fmt.Sprintf("%s x %s x stuck clients at this rate", rate, duration(longest))
}
