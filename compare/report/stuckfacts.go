package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// lateMeans explains the columns of the lower table.
func lateMeans(f *result.File) []note {
	var limits []float64
	for i := range f.Cells {
		for _, p := range stuckPhases(&f.Cells[i]) {
			if p.Blast != nil {
				limits = append(limits, float64(p.Blast.LateThresholdNs))
			}
		}
	}
	if limits == nil {
		return nil
	}
	return []note{{text: fmt.Sprintf("late: longer than the client's own healthy median by more than half the write timeout (1 s without one), here %s; "+
		"a round is late if it started so long after it was due; after: from the jam, when the first byte that stayed owed was handed over",
		between(limits, exact))}}
}

// heldMeans explains the words in brackets, those that occur.
func heldMeans(f *result.File) []note {
	var used []string
	for i := range f.Cells {
		if c := &f.Cells[i]; worst(c, heldMost) > 0 && !slices.Contains(used, heldAs(c, extrasOf(c))) {
			used = append(used, heldAs(c, extrasOf(c)))
		}
	}
	var parts []string
	for _, form := range []struct{ word, text string }{
		{inWrite, "the message that blocks in its write"},
		{shared, "queued messages, whose payload all clients share"},
		{copies, "the engine's private copies for this client"},
	} {
		if slices.Contains(used, form.word) {
			parts = append(parts, fmt.Sprintf("(%s) %s", form.word, form.text))
		}
	}
	if parts == nil {
		return nil
	}
	return []note{{text: "held at most for one stuck client: " + strings.Join(parts, "; ")}}
}
