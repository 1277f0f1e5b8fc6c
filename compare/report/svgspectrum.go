package report

import (
	"fmt"
	"math"
	"strings"

	"wsfanout/compare/result"
)

// spectra show how many deliveries took how long, the rare ones as wide as the common ones: each step to the right leaves a
// tenth of the deliveries beyond it.
func (s *sheet) spectra() []string {
	var shown [][]chosen
	low, high, nines := math.Inf(1), 0.0, 1.0
	for _, at := range s.grid() {
		cells := s.each(at, lastOf, func(t *result.Trial) bool { return t.Healthy != nil && len(t.Healthy.Spectrum) > 1 })
		for _, c := range cells {
			for _, curve := range curves(c.trial) {
				for _, p := range curve {
					low, high = min(low, max(p[1], 1e3)), max(high, p[1])
				}
				nines = max(nines, beyond(curve, len(curve)-1))
			}
		}
		shown = append(shown, cells)
	}
	if high == 0 {
		return nil
	}
	x, y := nineAxis(nines), logTimeAxis(low, high)
	return s.panels(shown, func(at place, cells []chosen) string { return s.spectrum(at, cells, x, y) })
}

// curves are the healthy phase and, if the jam was proven, the stuck one.
func curves(t *result.Trial) [][][2]float64 {
	all := [][][2]float64{t.Healthy.Spectrum}
	if t.Proven() && len(t.Stuck.Spectrum) > 1 {
		all = append(all, t.Stuck.Spectrum)
	}
	return all
}

// beyond is the place of a quantile: how many tenths have been cut off, 2 for 99 %. The maximum has nothing beyond it and
// stands half a halving after the point before it.
func beyond(curve [][2]float64, i int) float64 {
	if q := curve[i][0]; q < 1 {
		return -math.Log10(1 - q)
	}
	if i == 0 {
		return 0
	}
	return beyond(curve, i-1) + math.Log10(2)
}

func nineAxis(nines float64) axis {
	a := axis{high: nines, label: "of the deliveries are faster"}
	for n, text := range []string{"0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "99.9999 %"} {
		if float64(n) <= nines {
			a.ticks = append(a.ticks, tick{float64(n), text})
		}
	}
	return a
}

func (s *sheet) spectrum(at place, cells []chosen, x, y axis) string {
	p := newPanel(s.label(at), "", x, y)
	var said []string
	for _, c := range cells {
		for i, curve := range curves(c.trial) {
			class, phase, latency := "curve", "healthy", c.trial.Healthy.Latency
			if i == 1 {
				class, phase, latency = "curve broken", "one stuck", c.trial.Stuck.Latency
			}
			text := s.tag(c) + phase
			if latency != nil {
				text += fmt.Sprintf(": half within %s, 99 %% within %s, all within %s",
					duration(float64(latency.P50)), duration(float64(latency.P99)), duration(float64(latency.Max)))
			}
			said = append(said, text)
			p.group("mark "+seriesClass(c.series), text)
			p.path(class, p.curve(curve))
			end := curve[len(curve)-1]
			p.path("glyph", glyph(c.series, p.x.at(beyond(curve, len(curve)-1)), p.y.at(end[1]), 3))
			p.end()
		}
	}
	p.desc = "Latency by percentile, " + strings.Join(said, "; ")
	return p.inline()
}

// curve joins the quantiles.
func (p *plot) curve(points [][2]float64) string {
	var path strings.Builder
	for i, point := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		path.WriteString(command + px(p.x.at(beyond(points, i))) + " " + px(p.y.at(point[1])))
	}
	return path.String()
}
