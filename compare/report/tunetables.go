package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// noticed is a row for each set-up of a part: when dead peers were noticed, beside what was predicted, and who else was closed.
func (t *tuned) noticed(part, title string, costs bool) expTable {
	setups := t.part(part)
	has := func(extra func(*result.Tune) bool) bool { return slices.ContainsFunc(setups, extra) }
	periodic := part == result.TuneAdvice || part == result.TuneGrid
	table := expTable{title: title, columns: []expColumn{
		{}, {head: periodHead[periodic]}, {"noticed", "dead_closed", true}, {"min", "dead_after_min_ns", true}, {"median", "dead_after_median_ns", true},
		{"max", "dead_after_max_ns", true}, {head: "predicted"}, {"false kills", "false_kills", true},
	}}
	cells := []func(*result.Tune) []expCell{noticedCells, func(s *result.Tune) []expCell { return []expCell{tollOf(s).killsCell()} }}
	add := func(show func(*result.Tune) []expCell, columns ...expColumn) {
		table.columns, cells = append(table.columns, columns...), append(cells, show)
	}
	ended := !periodic && has(func(s *result.Tune) bool { return s.Join(result.GroupEnded).Clients > 0 })
	if ended {
		add(func(s *result.Tune) []expCell { return afterCells(s.Join(result.GroupEnded))[1:2] }, expColumn{"exit", "ended_after_median_ns", true})
	}
	if costs = costs && has(func(s *result.Tune) bool { _, ok := s.Median(framesOf); return ok }); costs {
		add(costCells, costColumns()...)
	}
	table.lead = t.noticedLead(part, ended, costs)
	for _, s := range setups {
		row, ok := t.row(s)
		for i := 0; ok && i < len(cells); i++ {
			row.cells = append(row.cells, cells[i](s)...)
		}
		table.rows = append(table.rows, row)
	}
	return table
}

var periodHead = map[bool]string{true: "K/P"}

// noticedLead says what the columns of a part are.
func (t *tuned) noticedLead(part string, ended, costs bool) string {
	text, when := "", "times as measured"
	if part == result.TuneAdvice || part == result.TuneGrid {
		text = "keepalive K and ping interval P; "
	}
	if part == result.TuneAdvice { // only there the times were chosen by the target
		when = t.scaled()
	}
	text += "from the death of a peer to its close, " + when + "; false kills: closed of the living that this kind of deadline can keep with the right ping interval"
	if slices.ContainsFunc(t.part(part), func(s *result.Tune) bool { return tollOf(s).accepts > 0 }) {
		text += "; the living that it cannot tell from the dead are in the next table"
	}
	if ended {
		text += "; exit: the median for a peer whose process ends"
	}
	if clients := t.costClients(part); costs && clients > 0 {
		text += t.costLead(part, clients)
	}
	return text
}

// costLead says whose the costs are.
func (t *tuned) costLead(part string, clients int) string {
	load := ""
	if t.Plan.UnderLoad {
		load = ", the load among it"
	}
	text := fmt.Sprintf("; frames/s and B/s: of a client that only answers pings, both ways; CPU/s: of the server for all %s and all that they do%s",
		plural(clients, "client"), load)
	if part == result.TuneAdvice && t.scale() != 1 {
		n := shortNumber(t.scale())
		text += fmt.Sprintf("; rates and costs are those of the divided times: at 1/%s, %s times as many frames", n, n)
	}
	return text
}

func (t *tuned) costClients(part string) int {
	most := 0
	for _, s := range t.part(part) {
		for _, trial := range s.Good() {
			if trial.Cost != nil {
				most = max(most, trial.Cost.Clients)
			}
		}
	}
	return most
}

func noticedCells(s *result.Tune) []expCell {
	dead := s.Join(result.GroupDead)
	noticed := expCell{}
	if dead.Clients > 0 {
		noticed = expCell{ofClients(dead.Closed, dead.Clients), plainNumber(float64(dead.Closed))}
	}
	if dead.Clients > 0 && dead.Closed+dead.Before == 0 {
		noticed.text = "never"
		if at := s.Observed(); at > 0 {
			noticed.text += ", in " + exact(float64(at))
		}
	}
	cells := append([]expCell{noticed}, afterCells(dead)...)
	return append(cells, words(predicted(s)))
}

// afterCells are the least, the middle and the most, nothing where nobody was closed.
func afterCells(g result.TuneGroup) []expCell {
	if g.AfterNs == nil {
		return make([]expCell, 3)
	}
	var cells []expCell
	for _, ns := range []int64{g.AfterNs.Min, g.AfterNs.Median, g.AfterNs.Max} {
		cells = append(cells, figureCell(float64(ns), duration))
	}
	return cells
}

func predicted(s *result.Tune) string {
	switch {
	case s.Never:
		return "never"
	case s.PredictedNs == nil:
		return ""
	}
	return window(float64(s.PredictedNs[0]), float64(s.PredictedNs[1]))
}

func window(low, high float64) string {
	switch {
	case low <= 0:
		return "up to " + exact(high)
	case exact(low) == exact(high):
		return exact(high)
	}
	number, unit, _ := strings.Cut(exact(low), " ")
	if strings.HasSuffix(exact(high), " "+unit) {
		return number + " to " + exact(high)
	}
	return exact(low) + " to " + exact(high)
}

// tuneCosts are what a set-up spends on being sure that its clients are alive.
var tuneCosts = []struct {
	expColumn
	number func(*result.TuneTrial) (float64, bool)
	show   func(float64) string
}{
	{expColumn{"frames/s", "frames_per_client_per_second", true}, framesOf, rate},
	{expColumn{"B/s", "bytes_per_client_per_second", true}, costOf(func(c *result.TuneCost) float64 { return c.BytesPerClient }), rate},
	{expColumn{"CPU/s", "cpu_ns_per_second", true}, costOf(func(c *result.TuneCost) float64 { return c.CPUNsPerSecond }), pause},
}

func costColumns() []expColumn {
	var columns []expColumn
	for _, c := range tuneCosts {
		columns = append(columns, c.expColumn)
	}
	return columns
}

// rate is three digits of a number that may be nothing or large.
func rate(v float64) string {
	if v == 0 || v >= 999.5 {
		return count(v)
	}
	return significant(v)
}

func framesOf(trial *result.TuneTrial) (float64, bool) {
	return costOf(func(c *result.TuneCost) float64 { return c.FramesPerClient })(trial)
}

func costOf(number func(*result.TuneCost) float64) func(*result.TuneTrial) (float64, bool) {
	return func(trial *result.TuneTrial) (float64, bool) {
		if trial.Cost == nil {
			return 0, false
		}
		return number(trial.Cost), true
	}
}

func costCells(s *result.Tune) []expCell {
	var cells []expCell
	for _, c := range tuneCosts {
		if v, ok := s.Median(c.number); ok {
			cells = append(cells, figureCell(v, c.show))
		} else {
			cells = append(cells, expCell{})
		}
	}
	return cells
}
