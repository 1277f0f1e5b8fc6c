package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// picture is a figure of the page: a caption and one or more drawings. Two in a row stand side by side where there is room.
type picture struct {
	ID, Title, Caption string
	Legend             []swatch
	Columns            int // of small pictures; more than three: as many as fit
	Panels             []template.HTML
	Missing            string // why there is none
}

// swatch explains a line or a mark.
type swatch struct {
	Drawing template.HTML
	Text    string
}

// figures are the pictures of who waits.
func (s *sheet) figures() [][]picture {
	calm := s.small("positions", "Latency by place in the list, everybody reads",
		"One mark is one client: across its place in the list, up its median latency. A line: served one after the other. "+
			"A saw or a double line: shards side by side. A cloud: writers in the order of the scheduler."+s.mapOrder(),
		s.positionPanels(lastOf, healthyPoints, false), "The file has no latencies by place.")
	intervals := s.chart("intervals", "The last client of a round, everybody reads",
		"The mark is the median over the trials, the line its 95 % interval where there are trials enough, each stroke a trial. "+
			"Where lines overlap, the picture does not tell the cells apart. Against the bare loop, the machine's own swings cancel out.",
		s.intervals(lastClientMetric), s.intervals(vsBareMetric))
	if s.all(func(r *run) bool { return !anyStuck(r.File) }) {
		return [][]picture{{calm}, {intervals}}
	}
	jammed := s.small("jammed", "The same in the round that jammed",
		"Whoever is lifted off the ground waited for the stuck client, whose place is the triangle. The scale is another one.",
		s.positionPanels(worstHealthy, jammedPoints, true), "The file has no latencies by place of the round that jammed.")
	return [][]picture{{calm, jammed}, s.stuckFigures(), {intervals}}
}

// stuckFigures are of the time from the jam on.
func (s *sheet) stuckFigures() []picture {
	return []picture{
		s.small("timeline", "Where the stuck phase stalls",
			"One row is one round, from the stroke where it was due through the dots while it waited to the hub's work (full) and the last client "+
				"(pale). Beside the name: the longest that the hub took, and how many rounds were due meanwhile. The red line is the start of the "+
				"round in which the stuck client jammed, the broken one the moment it was noticed.",
			s.timelines(), "The file has no rounds of a proven jam."),
		s.small("held", "What the server holds for a stuck client",
			"Pending and queued bytes from the jam on, one line for each stuck client; the mark is its eviction. "+
				"Beside the name: the most at any time, and as what.",
			s.heldPanels(), "Nothing was held for long enough to be seen, or the file has no course of it."),
	}
}

// further are the pictures of what it costs.
func (s *sheet) further() [][]picture {
	spectra := s.small("spectrum", "Every delivery, the rare ones too",
		"Each step to the right leaves a tenth of the deliveries beyond it; latency on a logarithmic scale.",
		s.spectra(), "The file has no spectrum.")
	if spectra.Columns <= 2 {
		spectra.Columns = 4 // a figure of its own has room for two strategies in a row
	}
	spectra.Legend = append(spectra.Legend, swatch{lineSwatch(""), "everybody reads"}, swatch{lineSwatch(" broken"), "one client is stuck"})
	return [][]picture{
		{s.chart("cost", "What it costs when everybody reads", "Left: down and to the left is better. Both with their 95 % intervals where there are trials enough.",
			s.cost(), s.intervals(memoryMetric))},
		{spectra},
	}
}

func (s *sheet) mapOrder() string {
	if slices.ContainsFunc(s.runs, func(r *run) bool { return r.Plan.Order == "map" }) {
		return " In map order another client is last in every round, and a number is no place."
	}
	return ""
}

// small is a figure of one picture for each cell: engines side by side, strategies below each other.
func (s *sheet) small(id, title, caption string, panels []string, missing string) picture {
	p := picture{ID: id, Title: title, Caption: caption, Columns: len(s.engines), Legend: s.runLegend()}
	if panels == nil {
		p.Missing = missing
	}
	if p.Columns > columnsKept {
		p.Columns = manyColumns
		panels = slices.DeleteFunc(panels, func(panel string) bool { return panel == "" })
	}
	for _, panel := range panels {
		p.Panels = append(p.Panels, template.HTML(panel))
	}
	return p
}

// More engines than fit beside each other are shown one after the other.
const (
	columnsKept = 3
	manyColumns = 99
)

// chart is a figure of pictures that show all cells.
func (s *sheet) chart(id, title, caption string, panels ...string) picture {
	p := picture{ID: id, Title: title, Caption: caption, Columns: 2, Legend: s.runLegend()}
	if len(s.runs) == 1 && len(s.engines) <= seriesKept { // beyond, a shape says too little, and every mark has its name
		for i, engine := range s.engines {
			p.Legend = append(p.Legend, swatch{markSwatch(i), engine})
		}
	}
	for _, panel := range panels {
		if panel != "" {
			p.Panels = append(p.Panels, template.HTML(panel))
		}
	}
	if p.Panels == nil {
		p.Missing = "The file has no figures for this."
	}
	return p
}

// runLegend tells the runs apart; a single one needs no telling.
func (s *sheet) runLegend() []swatch {
	var all []swatch
	if len(s.runs) > 1 {
		for i, r := range s.runs {
			all = append(all, swatch{markSwatch(i), "run " + r.letter})
		}
	}
	return all
}

func markSwatch(series int) template.HTML {
	return swatchOf(fmt.Sprintf(`<g class="mark %s"><path class="glyph" d="%s"/></g>`, seriesClass(series), glyph(series, 8, 6, 4)), 16)
}

func lineSwatch(class string) template.HTML {
	return swatchOf(fmt.Sprintf(`<g class="mark"><path class="curve%s" d="M0 6H26"/></g>`, class), 26)
}

// swatchOf is decoration for the words beside it: a reader that hears the page loses nothing.
func swatchOf(body string, width int) template.HTML {
	return template.HTML(strings.Join([]string{
		fmt.Sprintf(`<svg class="picture swatch" aria-hidden="true" width="%d" height="12" viewBox="0 0 %d 12">`, width, width), body, "</svg>"}, ""))
}
