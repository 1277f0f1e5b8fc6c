package report

import (
	"fmt"

	"wsfanout/compare/result"
)

// rows has a row for each engine.
func (e *echoed) rows(cells func(*result.Echo) []expCell) []expRow {
	var rows []expRow
	for i := range e.Echo {
		row, ok := e.begin([2]string{e.Echo[i].Engine}, echoTrials(&e.Echo[i]))
		if ok {
			row.cells = append(row.cells, cells(&e.Echo[i])...)
		}
		rows = append(rows, row)
	}
	return rows
}

// connecting is how fast all connections came, and how long each dial took by itself.
func (e *echoed) connecting() expTable {
	return expTable{
		title: "connecting", lead: "dial: each by itself, from its connect to the end of its handshake; " + spanLegend(e.trials),
		columns: []expColumn{{}, {}, {"connections", "connections", true}, {"connections/s", "connect_per_second", true}, {"dial p50", "dial_ns_p50", true},
			{"p90", "dial_ns_p90", true}, {"p99", "dial_ns_p99", true}, {"max", "dial_ns_max", true}},
		rows: e.rows(func(s *result.Echo) []expCell {
			return []expCell{
				medianCell(s.Values(func(t *result.EchoTrial) (float64, bool) { return float64(t.Connections), true }), count),
				spanCell(s.Values(ofConnect), rateText), spanCell(s.Values(quantiles[0].ofDial), duration), medianCell(s.Values(quantiles[1].ofDial), duration),
				spanCell(s.Values(quantiles[2].ofDial), duration), medianCell(s.Values(quantiles[4].ofDial), duration),
			}
		}),
	}
}

// fixedRate is the headline: latency from the schedule.
func (e *echoed) fixedRate() expTable {
	t := expTable{
		title: "fixed rate: " + e.offered(), lead: "latency from the schedule, so that what a stall holds up counts; came: echoes per second, of those asked for; it may exceed these by echoes that were due before " +
			"the window; " + spanLegend(e.trials),
		columns: []expColumn{{}, {}, {"came", "per_second", true}},
	}
	e.addQuantiles(&t, "latency_due_ns")
	t.rows = e.rows(func(s *result.Echo) []expCell { return append([]expCell{cameCell(s)}, quantileCells(s, atRate)...) })
	return t
}

// cameCell is "5,000 of 5,000".
func cameCell(s *result.Echo) expCell {
	rate := underLoad(atRate)
	came, ok := result.Over(s.Values(rate.of(perSecond)))
	asked, also := result.Over(s.Values(rate.of(askedFor)))
	if !ok || !also {
		return expCell{}
	}
	return expCell{fmt.Sprintf("%s of %s", rateText(came.Median), rateText(asked.Median)), plainNumber(came.Median)}
}

func (e *echoed) addQuantiles(t *expTable, key string) {
	for _, q := range quantiles {
		t.columns = append(t.columns, expColumn{q.name, key + "_" + q.name, true})
	}
}

// quantileCells say of p50 and p99 how far the trials are apart; for the others there is no room.
func quantileCells(s *result.Echo, l underLoad) []expCell {
	var cells []expCell
	for i, q := range quantiles {
		show := medianCell
		if i == 0 || i == 2 {
			show = spanCell
		}
		cells = append(cells, waitedCell(s, l, q, show))
	}
	return cells
}

// closedLoop is what other benchmarks show, and what it is worth.
func (e *echoed) closedLoop() expTable {
	t := expTable{
		title:   "closed loop: " + e.outstanding(),
		lead:    "latency restates the rate: a whole turn takes outstanding / rate, the fleet's part included; server and fleet share the processors; " + spanLegend(e.trials),
		columns: []expColumn{{}, {}, {"echoes/s", "per_second", true}, {"outstanding/rate", "restated_ns", true}},
	}
	e.addQuantiles(&t, "latency_ns")
	closed := underLoad(inClosed)
	t.rows = e.rows(func(s *result.Echo) []expCell {
		cells := []expCell{spanCell(s.Values(closed.of(perSecond)), rateText), medianCell(s.Values(closed.of(restated)), duration)}
		for _, q := range quantiles {
			cells = append(cells, waitedCell(s, closed, q, medianCell))
		}
		return cells
	})
	return t
}

// perLoad has a row for each engine and load.
func (e *echoed) perLoad(cells func(*result.Echo, underLoad) []expCell) []expRow {
	var rows []expRow
	for i := range e.Echo {
		s := &e.Echo[i]
		if row, ok := e.begin([2]string{s.Engine}, echoTrials(s)); !ok {
			rows = append(rows, row)
			continue
		}
		for _, l := range loads {
			row, _ := e.begin([2]string{s.Engine, l.name}, echoTrials(s))
			row.cells = append(row.cells, cells(s, l.load)...)
			rows = append(rows, row)
		}
	}
	return rows
}

var loads = []struct {
	name, short string
	load        underLoad
}{{"fixed rate", "rate", atRate}, {"closed loop", "closed", inClosed}}

func (e *echoed) costs() expTable {
	return expTable{
		title: "CPU", lead: "per echo of the measured window, of the server and of the fleet; fleet's share: of both together; " + spanLegend(e.trials),
		columns: []expColumn{{}, {head: "load"}, {"server CPU/echo", "server_ns_per_echo", true}, {"user", "server_user_ns_per_echo", true},
			{"system", "server_system_ns_per_echo", true}, {"fleet CPU/echo", "fleet_ns_per_echo", true}, {"fleet's share", "fleet_share", true}},
		rows: e.perLoad(func(s *result.Echo, l underLoad) []expCell {
			cells := []expCell{spanCell(s.Values(l.of(serverNs)), duration)}
			for _, number := range []phaseNumber{userNs, systemNs, fleetNs} {
				cells = append(cells, medianCell(s.Values(l.of(number)), duration))
			}
			return append(cells, medianCell(s.Values(l.of(fleetShare)), percent))
		}),
	}
}

func (e *echoed) memory() expTable {
	return expTable{
		title: "memory, and the generator",
		lead:  "of the server at the end of the load; heap: garbage included; lost: echoes that never came; skipped: turns of clients that were gone or had no room; late: behind the schedule; medians of the trials",
		columns: []expColumn{{}, {head: "load"}, {"RSS", "rss_bytes", true}, {"heap", "heap_bytes", true}, {"goroutines", "goroutines", true},
			{"lost", "lost", true}, {"skipped", "skipped", true}, {"late p50", "send_lag_ns_p50", true}, {"late p99", "send_lag_ns_p99", true}},
		rows: e.perLoad(func(s *result.Echo, l underLoad) []expCell {
			var cells []expCell
			for _, c := range []struct {
				number phaseNumber
				show   func(float64) string
			}{
				{phaseRSS, size}, {phaseHeap, size}, {phaseGo, count}, {phaseLost, count}, {phaseShy, count},
				{quantiles[0].ofLag, duration}, {quantiles[2].ofLag, duration},
			} {
				cells = append(cells, medianCell(s.Values(l.of(c.number)), c.show))
			}
			return cells
		}),
	}
}
