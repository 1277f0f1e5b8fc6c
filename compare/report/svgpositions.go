package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// points are [client number, latency ns] of one trial.
type points func(*result.Trial) [][2]float64

func healthyPoints(t *result.Trial) [][2]float64 {
	if t.Healthy == nil {
		return nil
	}
	return t.Healthy.Positions
}

func jammedPoints(t *result.Trial) [][2]float64 {
	if !t.Proven() {
		return nil
	}
	return t.Stuck.JammedPositions
}

// positionPanels show every cell's latency by place in the list, all to one scale, of the trial in the middle by a measure.
func (s *sheet) positionPanels(by result.Measure, of points, stuck bool) []string {
	var shown [][]chosen
	var furthest, longest float64
	for _, at := range s.grid() {
		cells := s.each(at, by, func(t *result.Trial) bool { return len(of(t)) > 0 })
		for _, c := range cells {
			furthest = max(furthest, float64(c.cell.Clients+extrasOf(c.cell)))
			for _, p := range of(c.trial) {
				longest = max(longest, p[1])
			}
		}
		shown = append(shown, cells)
	}
	if longest == 0 {
		return nil
	}
	x := linear(0, furthest, 1, 4, "place in the list")
	y := timeAxis(0, roomAbove(longest), 3, "")
	return s.panels(shown, func(at place, cells []chosen) string {
		p := s.positionPanel(at, cells, of, x, y)
		if stuck {
			p.stuckPlaces(cells)
		}
		return p.inline()
	})
}

func (s *sheet) positionPanel(at place, cells []chosen, of points, x, y axis) *plot {
	p := newPanel(s.label(at), "", x, y)
	var said []string
	for _, c := range cells {
		var path strings.Builder
		low, high := of(c.trial)[0], of(c.trial)[0]
		for _, point := range of(c.trial) {
			path.WriteString(speck(c.series, p.x.at(point[0]), p.y.at(point[1])))
			if point[1] < low[1] {
				low = point
			}
			if point[1] > high[1] {
				high = point
			}
		}
		text := fmt.Sprintf("%sfrom %s (client %s) to %s (client %s)", s.tag(c), duration(low[1]), count(low[0]), duration(high[1]), count(high[0]))
		said = append(said, text)
		p.group("mark "+seriesClass(c.series), s.label(at)+", "+text)
		p.path("specks", path.String())
		p.end()
	}
	p.desc = "Latency by place in the list, " + strings.Join(said, "; ")
	return p
}

// stuckPlaces marks where the stuck clients stand in the list, on the upper edge: they have no latency.
func (p *plot) stuckPlaces(cells []chosen) {
	for _, c := range cells {
		for _, j := range stuckClients(c.trial.Stuck) {
			p.path("alarm", glyph(4, p.x.at(float64(j.Number)), p.y.to-5, 4))
		}
	}
}

// grid is the places of a figure of small pictures: a row for each strategy, a column for each engine. Those without a cell
// are there too, and keep the columns straight.
func (s *sheet) grid() []place {
	var all []place
	for _, strategy := range s.strategies {
		for _, engine := range s.engines {
			all = append(all, place{engine, strategy})
		}
	}
	return all
}

// panels draws the small pictures of a grid; "" is one without data.
func (s *sheet) panels(shown [][]chosen, draw func(place, []chosen) string) []string {
	var panels []string
	for i, at := range s.grid() {
		if len(shown[i]) == 0 {
			panels = append(panels, "")
			continue
		}
		panels = append(panels, draw(at, shown[i]))
	}
	return panels
}
