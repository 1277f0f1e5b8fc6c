package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// NotHeld are the specs of the engines whose recommended set-up the measurement refutes, each once and without what tune chooses:
// it closed clients that were alive and could be kept, or noticed dead peers late or never. Empty: all held, or none was measured.
func NotHeld(f *result.File) []string {
	t := &tuned{File: f}
	var specs []string
	for _, s := range t.part(result.TuneAdvice) {
		if spec := askedSpec(s); t.refuted(s) != "" && !slices.Contains(specs, spec) {
			specs = append(specs, spec)
		}
	}
	return specs
}

// refuted is what was measured against a recommendation, "" if nothing was.
func (t *tuned) refuted(s *result.Tune) string {
	var why []string
	k := tollOf(s)
	if k.lost > 0 {
		why = append(why, fmt.Sprintf("%d of %s closed", k.lost, plural(k.covered, "healthy client")))
	}
	if k.early > 0 {
		why = append(why, fmt.Sprintf("%d of %s closed before they died", k.early, plural(k.dead, "client")))
	}
	if missed, all := missedOf(s); missed > 0 {
		why = append(why, fmt.Sprintf("%d of %s not noticed", missed, plural(all, "dead peer")))
	}
	if late := t.lateNs(s); late > 0 {
		why = append(why, fmt.Sprintf("dead peers noticed up to %s after death, target %s", duration(float64(late)), exact(t.limit())))
	}
	return strings.Join(why, "; ")
}
