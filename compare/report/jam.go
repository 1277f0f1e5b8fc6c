package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// jamText says where the jam is proven and where not, when it came, and when it would have come without small buffers; ""
// if nobody should have jammed.
func jamText(f *result.File) string {
	if f.Plan.Stuck == 0 {
		return ""
	}
	parts := []string{jamProof(f)}
	if text := jamCourse(f); text != "" {
		parts = append(parts, text)
	}
	if after := defaultJam(f); after > 0 {
		if f.Plan.StuckBuffers == "default" {
			parts = append(parts, "default kernel buffers, as here, jam at this rate after "+roughly(after))
		} else {
			parts = append(parts, "with default kernel buffers at this rate it would have come after "+roughly(after))
		}
	}
	return strings.Join(parts, "; ")
}

// jamProof gives the arithmetic of every cell that has none.
func jamProof(f *result.File) string {
	measured := 0
	var calm []string
	for i := range f.Cells {
		c := &f.Cells[i]
		bad := neverJammed(c)
		if len(bad) > 0 && !hasProof(c) {
			calm = append(calm, fmt.Sprintf("%s (%s)", name(c), oneLine(bad[len(bad)-1].Stuck.Jam.Arithmetic)))
		}
		if len(bad) > 0 || hasProof(c) {
			measured++
		}
	}
	switch {
	case calm == nil && measured == len(f.Cells):
		return "proven in every cell"
	case calm == nil:
		return fmt.Sprintf("proven in every cell that was measured, %d of %d", measured, len(f.Cells))
	}
	return fmt.Sprintf("NOT proven in %d of %s: %s", len(calm), plural(measured, "cell"), strings.Join(calm, ", "))
}

// jamCourse is the rounds in which the clients jammed and the bytes that the kernel took before.
func jamCourse(f *result.File) string {
	var rounds, bytes []float64
	for i := range f.Cells {
		for _, j := range jammedClients(&f.Cells[i]) {
			if j.JamRound != nil {
				rounds = append(rounds, float64(*j.JamRound))
				bytes = append(bytes, float64(j.AbsorbedBytes))
			}
		}
	}
	if rounds == nil {
		return ""
	}
	text := fmt.Sprintf("it came %s, when the kernel had taken %s since the client stopped reading", inRounds(rounds), between(bytes, size))
	if f.Plan.Jam != "natural" {
		return text + ", filler before the first round included"
	}
	perRound := float64(max(f.Plan.SizeBytes, 1))
	messages := func(bytes float64) string { return significant(bytes / perRound) }
	return fmt.Sprintf("%s: with %s a round that is %s messages, and the next one stayed owed", text, size(perRound), between(bytes, messages))
}

// inRounds says in which; 0 is before the first.
func inRounds(rounds []float64) string {
	switch {
	case slices.Max(rounds) == 0:
		return "before round 1"
	case slices.Min(rounds) == 0:
		return "before round 1 or up to round " + count(slices.Max(rounds))
	}
	return "in round " + between(rounds, count)
}

// defaultJam is the median of what the trials say: they share one measurement, unless files were merged.
func defaultJam(f *result.File) float64 {
	var after []int64
	for _, c := range f.Cells {
		for _, t := range c.Trials {
			if t.Stuck != nil && t.Stuck.Jam != nil && t.Stuck.Jam.DefaultJamAfterNs != nil {
				after = append(after, *t.Stuck.Jam.DefaultJamAfterNs)
			}
		}
	}
	if len(after) == 0 {
		return 0
	}
	slices.Sort(after)
	return float64(after[len(after)/2])
}

// roughly is a forecast: "45 s", "31 min", "2.5 h".
func roughly(ns float64) string {
	switch s := ns / 1e9; {
	case s < 1:
		return duration(ns)
	case s < 119.5:
		return fmt.Sprintf("%.0f s", s)
	case s < 7170:
		return fmt.Sprintf("%.0f min", math.Round(s/60))
	default:
		return fmt.Sprintf("%.1f h", s/3600)
	}
}
