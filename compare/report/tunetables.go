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
	periodic := part == result.TuneAdvice || part == result.TuneGrid
	ended := !periodic && slices.ContainsFunc(setups, func(s *result.Tune) bool { return s.Join(result.GroupEnded).Clients > 0 })
	table := expTable{title: title, columns: []expColumn{
		{}, {head: periodHead[periodic]}, {"noticed", "dead_closed", true}, {"min", "dead_after_min_ns", true}, {"median", "dead_after_median_ns", true},
		{"max", "dead_after_max_ns", true}, {head: "predicted"}, {"false kills", "closed", true},
	}}
	if ended {
		table.columns = append(table.columns, expColumn{"exit", "ended_after_median_ns", true})
	}
	costs = costs && slices.ContainsFunc(setups, func(s *result.Tune) bool { _, ok := s.Median(framesOf); return ok })
	if costs {
		for _, c := range tuneCosts {
			table.columns = append(table.columns, c.expColumn)
		}
	}
	table.lead = "from the death of a peer to its close, times as measured; false kills: of the living"
	if periodic {
		table.lead = t.periodicLead(part, costs)
	}
	if ended {
		table.lead += "; exit: the same for a peer whose process ends"
	}
	for _, s := range setups {
		row, ok := t.row(s)
		if ok {
			row.cells = append(row.cells, noticedCells(s)...)
			row.cells = append(row.cells, share(livingClosed(s, periodic)))
			if ended {
				row.cells = append(row.cells, afterCells(s.Join(result.GroupEnded))[1])
			}
			if costs {
				row.cells = append(row.cells, costCells(s)...)
			}
		}
		table.rows = append(table.rows, row)
	}
	return table
}

var periodHead = map[bool]string{true: "K/P"}

// livingClosed are the covered clients of a keepalive and a ping; where ways are compared, all that live.
func livingClosed(s *result.Tune, periodic bool) result.TuneGroup {
	closed := s.Join(result.GroupCovered)
	if !periodic {
		beyond := s.Join(result.GroupUncovered)
		closed.Clients, closed.Closed = closed.Clients+beyond.Clients, closed.Closed+beyond.Closed
	}
	return closed
}

func (t *tuned) periodicLead(part string, costs bool) string {
	when := "times as measured"
	if part == result.TuneAdvice { // only there the times were chosen by the target
		when = t.scaled()
	}
	text := "keepalive K and ping interval P; from the death of a peer to its close, " + when +
		"; false kills: of the living clients that a read deadline can keep"
	if clients := t.costClients(part); costs && clients > 0 {
		text += fmt.Sprintf("; cost of %s at rest, per second", plural(clients, "client"))
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
	noticed := share(dead)
	if dead.Clients > 0 && dead.Closed == 0 {
		noticed.text = "never"
		if at := s.Observed(); at > 0 {
			noticed.text += ", in " + exact(float64(at))
		}
	}
	cells := append([]expCell{noticed}, afterCells(dead)...)
	return append(cells, words(predicted(s)))
}

// share is "3 of 15"; nothing where there are no such clients.
func share(g result.TuneGroup) expCell {
	if g.Clients == 0 {
		return expCell{}
	}
	return expCell{fmt.Sprintf("%s of %s", count(float64(g.Closed)), count(float64(g.Clients))), plainNumber(float64(g.Closed))}
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

// tuneCosts are what a set-up costs while nothing else happens.
var tuneCosts = []struct {
	expColumn
	number func(*result.TuneTrial) (float64, bool)
	show   func(float64) string
}{
	{expColumn{"frames/s", "frames_per_second", true}, framesOf, rate},
	{expColumn{"B/s", "bytes_per_second", true}, costOf(func(c *result.TuneCost) float64 { return c.BytesPerSecond }), count},
	{expColumn{"CPU/s", "cpu_ns_per_second", true}, costOf(func(c *result.TuneCost) float64 { return c.CPUNsPerSecond }), pause},
}

// rate is three digits of a number that may be nothing or large.
func rate(v float64) string {
	if v == 0 || v >= 999.5 {
		return count(v)
	}
	return significant(v)
}

func framesOf(trial *result.TuneTrial) (float64, bool) {
	return costOf(func(c *result.TuneCost) float64 { return c.FramesPerSecond })(trial)
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
