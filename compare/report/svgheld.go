package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// heldPanels show the bytes that the server held for the stuck clients of every cell over time.
func (s *sheet) heldPanels() []string {
	var shown [][]chosen
	low, high, most := 0.0, 0.0, 0.0
	for _, at := range s.grid() {
		cells := s.each(at, worstHealthy, func(t *result.Trial) bool { return t.Proven() && len(holders(t.Stuck)) > 0 })
		for _, c := range cells {
			for _, j := range holders(c.trial.Stuck) {
				for _, p := range course(j) {
					low, high, most = min(low, p[0]), max(high, p[0]), max(most, p[1])
				}
			}
		}
		shown = append(shown, cells)
	}
	if most == 0 {
		return nil
	}
	x, y := timeAxis(low, high*1.02, 4, "since the jam, "), byteAxis(roomAbove(most), 3, "")
	return s.panels(shown, func(at place, cells []chosen) string { return s.held(at, cells, x, y) })
}

// holders are the stuck clients with a course. Without a jam there is no instant to count from.
func holders(p *result.Phase) []*result.JamClient {
	var kept []*result.JamClient
	for _, j := range stuckClients(p) {
		if j.JamRound != nil && len(j.Held) > 0 {
			kept = append(kept, j)
		}
	}
	return kept
}

// course is what was held and until when: an eviction frees it, which the sampler sees a little later.
func course(j *result.JamClient) [][2]float64 {
	if j.EvictAfterNs == nil {
		return j.Held
	}
	end := float64(*j.EvictAfterNs)
	var points [][2]float64
	for _, p := range j.Held {
		points = append(points, [2]float64{min(p[0], end), p[1]})
	}
	return append(points, [2]float64{end, 0})
}

func (s *sheet) held(at place, cells []chosen, x, y axis) string {
	var aside string
	if len(cells) == 1 {
		aside = heldOf(cells[0].cell)
	}
	p := newPanel(s.label(at), aside, x, y)
	var said []string
	for _, c := range cells {
		for _, j := range holders(c.trial.Stuck) {
			text := fmt.Sprintf("%sclient %s, at most %s", s.tag(c), count(float64(j.Number)), size(float64(j.HeldBytesMax)))
			if j.EvictedBy != "" && j.EvictAfterNs != nil {
				text += fmt.Sprintf(", evicted by %s after %s", j.EvictedBy, duration(float64(*j.EvictAfterNs)))
			}
			said = append(said, text)
			p.group("mark "+seriesClass(c.series), text)
			p.stairs(course(j))
			if j.EvictAfterNs != nil {
				p.path("glyph", glyph(c.series, p.x.at(float64(*j.EvictAfterNs)), p.y.at(0), 3.2))
			}
			p.end()
		}
	}
	p.desc = "Bytes held for the stuck clients over time, " + strings.Join(said, "; ")
	return p.inline()
}

// stairs keep a value until the next one.
func (p *plot) stairs(points [][2]float64) {
	var path strings.Builder
	fmt.Fprintf(&path, "M%s %s", px(p.x.at(points[0][0])), px(p.y.at(points[0][1])))
	for _, point := range points[1:] {
		fmt.Fprintf(&path, "H%sV%s", px(p.x.at(point[0])), px(p.y.at(point[1])))
	}
	p.path("curve", path.String())
}
