package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// charts are the two pictures: detection against false kills, damage against false kills.
func (t *tuned) charts() []expPicture { return rowPictures(t.detectionChart(), t.damageChart()) }

// rowPictures are those that have a row.
func rowPictures(charts ...rowChart) []expPicture {
	var all []expPicture
	for _, c := range charts {
		if len(c.rows) > 0 {
			all = append(all, c.picture())
		}
	}
	return all
}

func (t *tuned) detectionChart() rowChart {
	c := rowChart{
		id: "detection", title: "Detection against false kills",
		caption: "Left: when dead peers were noticed, the mark the median, the line from the first to the last, the pale band what was predicted. " +
			"Right: the false kills, the share closed of the living clients that this kind of deadline can keep; +n more that were to die were closed before. Times are as measured; the recommended set-ups (*) and the target " + t.scaled() + ".",
		left: "noticed after, ", right: "false kills",
	}
	if t.Plan.DetectWithinNs > 0 {
		c.target, c.targetText = t.limit(), "target"
	}
	most := c.target
	for _, s := range slices.Concat(t.part(result.TuneAdvice), t.part(result.TuneGrid)) {
		if len(s.Good()) == 0 {
			continue
		}
		row := t.chartRow(s)
		if s.Part == result.TuneAdvice {
			row.label += " *"
			c.foot = "* as recommended"
		}
		dead := s.Join(result.GroupDead)
		if row.missing = noticedCells(s)[0].text; dead.AfterNs != nil {
			row.missing, row.low, row.middle, row.high = "", float64(dead.AfterNs.Min), float64(dead.AfterNs.Median), float64(dead.AfterNs.Max)
			row.tip += fmt.Sprintf(", noticed after %s to %s, median %s", duration(row.low), duration(row.high), duration(row.middle))
			most = max(most, row.high)
		} else {
			row.tip += ", noticed: " + row.missing
		}
		if s.PredictedNs != nil {
			row.band = [2]float64{float64(s.PredictedNs[0]), float64(s.PredictedNs[1])}
			row.tip += ", predicted " + predicted(s)
			most = max(most, row.band[1])
		}
		c.rows = append(c.rows, row)
	}
	c.x = timeAxis(0, roomAbove(most), 4, c.left)
	return c
}

func (t *tuned) damageChart() rowChart {
	c := rowChart{
		id: "damage", title: "Damage against false kills",
		caption: "Left: the healthy clients that were late while one was stuck. Right: the share of all living clients that the write timeout closed.",
		right:   "false kills",
	}
	clients := 0.0
	for _, s := range t.part(result.TuneWrite) {
		if len(damages(s)) == 0 {
			continue
		}
		row := t.chartRow(s)
		row.bar = true
		late := lateCell(s)
		if row.missing = late.text; late.exact != "" {
			row.missing = ""
			row.middle, _ = lateMedian(s)
		}
		row.tip += ", late clients " + late.text
		clients = max(clients, float64(damages(s)[0].Clients))
		c.rows = append(c.rows, row)
	}
	c.x = linear(0, roomAbove(clients), 1, 4, "late clients")
	return c
}

// chartRow has the name and the false kills of a set-up.
func (t *tuned) chartRow(s *result.Tune) chartRow {
	label := t.labelOf(s)
	row := chartRow{series: t.series(s), tip: strings.Join(label[:], " ")}
	name := label[0]
	if s.Part == result.TuneAdvice {
		name = t.nameOf(s)
	}
	if _, options, several := strings.Cut(name, ":"); several { // there is room for these alone: the mark tells the library
		if name = options; s.Part == result.TuneAdvice {
			label[1] = "" // that of the other recommendations
		}
	}
	row.label = strings.ReplaceAll(strings.TrimSpace(name+" "+label[1]), " ms", "ms")
	if k := tollOf(s); k.measured() {
		row.share, row.text = k.share(), k.text()
		row.tip += ", false kills " + row.text
	}
	return row
}

// series is the engine's place among those of the file.
func (t *tuned) series(s *result.Tune) int {
	var engines []string
	for i := range t.Tune {
		if name := engineOf(&t.Tune[i]); !slices.Contains(engines, name) {
			engines = append(engines, name)
		}
	}
	return slices.Index(engines, engineOf(s))
}
