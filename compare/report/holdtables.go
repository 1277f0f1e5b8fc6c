package report

import (
	"fmt"

	"wsfanout/compare/result"
)

// rows has a row for each engine; cells are those behind the label.
func (h *held) rows(cells func(*result.Hold) []expCell) []expRow {
	var rows []expRow
	for i := range h.Hold {
		e := &h.Hold[i]
		row, ok := h.begin([2]string{e.Engine}, holdTrials(e))
		if ok {
			row.cells = append(row.cells, cells(e)...)
		}
		rows = append(rows, row)
	}
	return rows
}

// lineLegend says whose slopes they are.
func (h *held) lineLegend() string {
	if h.trials >= result.IntervalTrials {
		return fmt.Sprintf("a line for each of %d trials, the median of these lines [95 %% interval]", h.trials)
	}
	return fmt.Sprintf("a line for each trial, the median of these lines; %s, an interval takes %d", plural(h.trials, "trial"), result.IntervalTrials)
}

func (h *held) perConnection() expTable {
	return expTable{
		title: "a connection at rest", lead: "what each connection adds: the slope, so that what is there without any drops out; " + h.lineLegend(),
		columns: []expColumn{{}, {}, {"heap", "heap_bytes", true}, {"stacks", "stack_bytes", true}, {"heap and stacks", "heap_stack_bytes", true},
			{"goroutines", "goroutines", true}, {"R2", "r2", true}},
		rows: h.rows(func(e *result.Hold) []expCell {
			return []expCell{slopeCell(e, heldHeap, perBytes), slopeCell(e, heldStack, perBytes), slopeCell(e, heldMemory, perBytes),
				slopeCell(e, heldGo, perOne), straightCell(e, heldMemory)}
		}),
	}
}

func (h *held) inProcess() expTable {
	return expTable{
		title: "the same in RSS and in the kernel, and what does not grow", lead: "fixed: the intercept of the line, with tables and pools that every server has",
		columns: []expColumn{{}, {}, {"RSS", "rss_bytes", true}, {"queued in the kernel", "kernel_bytes", true}, {"fixed heap and stacks", "heap_stack_fixed_bytes", true},
			{"fixed RSS", "rss_fixed_bytes", true}, {"fixed goroutines", "goroutines_fixed", true}},
		rows: h.rows(func(e *result.Hold) []expCell {
			return []expCell{slopeCell(e, heldRSS, perBytes), slopeCell(e, heldKernel, perBytes), fixedCell(e, heldMemory, size),
				fixedCell(e, heldRSS, size), fixedCell(e, heldGo, count)}
		}),
	}
}

// sweeping has a row for each engine and strategy, with what holding costs beside it.
func (h *held) sweeping() expTable {
	t := expTable{
		title: "holding and sweeping",
		lead: "held: heap and stacks of a connection; last client: one message to all, until the last has it: what each connection adds, and a constant; CPU: of the " +
			"server for that message; " + h.lineLegend(),
		columns: []expColumn{{}, {}, {"held", "heap_stack_bytes", true}, {"last client", "last_client_ns_per_connection", true},
			{"constant", "last_client_fixed_ns", true}, {"R2", "last_client_r2", true}, {"CPU", "cpu_ns_per_connection", true}, {"CPU constant", "cpu_fixed_ns", true}},
	}
	for i := range h.Hold {
		e := &h.Hold[i]
		strategies := sweepsOf(e)
		if len(e.Good()) == 0 {
			strategies = []string{""}
		}
		for _, strategy := range strategies {
			row, ok := h.begin([2]string{e.Engine, strategy}, holdTrials(e))
			if ok {
				last, cpu := ofSweep(strategy, sweepLast), ofSweep(strategy, sweepCPU)
				row.cells = append(row.cells, holdingCell(e), lineCell(e, last, slopeCell(e, last, duration)), lineCell(e, last, fixedCell(e, last, duration)),
					straightCell(e, last), lineCell(e, cpu, slopeCell(e, cpu, duration)), lineCell(e, cpu, fixedCell(e, cpu, duration)))
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// holdingCell is the slope alone: its interval stands in a table above.
func holdingCell(e *result.Hold) expCell {
	s, ok := slopeOf(e, heldMemory)
	if !ok {
		return expCell{}
	}
	return lineCell(e, heldMemory, figureCell(s.Median, perBytes))
}

// points are what the lines go through.
func (h *held) points() expTable {
	t := expTable{
		title: "the points", lead: "absolute, with what the server has without any connection; medians over the trials",
		columns: []expColumn{{}, {head: "connections"}, {"heap", "heap_bytes", true}, {"stacks", "stack_bytes", true}, {"RSS", "rss_bytes", true},
			{"kernel queues", "kernel_bytes", true}, {"goroutines", "goroutines", true}, {"threads", "threads", true}},
	}
	var strategies []string
	for i := range h.Hold {
		strategies = append(strategies, sweepsOf(&h.Hold[i])...)
	}
	strategies = distinct(strategies)
	for _, s := range strategies {
		t.columns = append(t.columns, expColumn{s + " last", s + "_last_client_ns", true})
	}
	for i := range h.Hold {
		e := &h.Hold[i]
		for _, n := range e.Counts() {
			row := expRow{cells: []expCell{words(e.Engine), words(count(float64(n)))}, notes: h.notesOf(holdTrials(e))}
			for _, number := range []holdNumber{heldHeap, heldStack, heldRSS, heldKernel} {
				row.cells = append(row.cells, medianCell(e.At(n, number), size))
			}
			row.cells = append(row.cells, medianCell(e.At(n, heldGo), count), medianCell(e.At(n, heldThreads), count))
			for _, s := range strategies {
				row.cells = append(row.cells, medianCell(e.At(n, ofSweep(s, sweepLast)), duration))
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// million is a row for each engine: its line followed to a million connections, or why it is not.
func (h *held) million() expTable {
	t := expTable{
		title: "a million connections, projected", lead: millionAssumption,
		columns: []expColumn{{}, {}, {"heap and stacks", "heap_stack_bytes", true}, {"RSS", "rss_bytes", true}, {"kernel queues", "kernel_bytes", true},
			{"goroutines", "goroutines", true}, {"beyond the measured", "times", true}},
	}
	t.rows = h.rows(func(e *result.Hold) []expCell {
		var cells []expCell
		for _, f := range []struct {
			number holdNumber
			show   func(float64) string
		}{{heldMemory, size}, {heldRSS, size}, {heldKernel, size}, {heldGo, roundCount}} {
			cells = append(cells, projectedCell(e, f.number, f.show))
		}
		return append(cells, expCell{count(timesBeyond(e)) + " times", plainNumber(timesBeyond(e))})
	})
	for i := range t.rows {
		if why := refused(&h.Hold[i]); t.rows[i].free == "" && why != "" {
			t.rows[i].cells, t.rows[i].free = t.rows[i].cells[:labelColumns], why
		}
	}
	return t
}

const millionAssumption = "not measured: if the slope holds. Memory only, and of the kernel what is queued: its own structures for each socket are not in " +
	"it; descriptors and ports for a million clients take several hosts"
