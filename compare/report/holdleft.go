package report

import (
	"fmt"
	"math"
	"strings"

	"wsfanout/compare/result"
)

var (
	leftMembers    = ofLeft(func(l *result.Left) int64 { return int64(l.Members) })
	leftFDs        = ofLeft(func(l *result.Left) int64 { return int64(l.FDs) })
	leftGoroutines = ofLeft(func(l *result.Left) int64 { return int64(l.Goroutines) })
)

// afterwards is what stayed when all clients had left: the most of all counts and trials, the heap as a slope.
func (h *held) afterwards() expTable {
	return expTable{
		title: "after all clients left",
		lead:  "back: as before the first one; else the most that stayed, at any number of connections; heap and stacks after a garbage collection: what stays of each, and once",
		columns: []expColumn{{}, {}, {"members", "members", true}, {"descriptors", "fds", true}, {"goroutines", "goroutines", true},
			{"heap and stacks", "heap_bytes_per_connection", true}},
		rows: h.rows(func(e *result.Hold) []expCell {
			return []expCell{stayedCell(e, leftMembers), stayedCell(e, leftFDs), stayedCell(e, leftGoroutines), heapStayed(e)}
		}),
	}
}

func stayedCell(e *result.Hold, number holdNumber) expCell {
	at, most, found := mostLeft(e, number)
	switch {
	case !found:
		return expCell{}
	case most <= 0:
		return expCell{"back", "0"}
	}
	return expCell{fmt.Sprintf("+%s at %s", count(most), count(float64(at))), plainNumber(most)}
}

// mostLeft is the largest of a number over all counts and trials, and the count that had it.
func mostLeft(e *result.Hold, number holdNumber) (at int, most float64, found bool) {
	most = math.Inf(-1)
	for _, n := range e.Counts() {
		for _, v := range e.At(n, number) {
			if found = true; v > most {
				at, most = n, v
			}
		}
	}
	return at, most, found
}

// leastOnce is what is worth a word beside what stays of each connection.
const leastOnce = 1 << 10

// heapStayed is what stays of each connection, again as a slope: a table that the first client brought is there once and does not grow.
// It is a number and no verdict: maps that grew and free lists stay, too. From one number of connections nobody can tell the two apart.
func heapStayed(e *result.Hold) expCell {
	l, ok := e.Line(leftHeap)
	taken, held := slopeOf(e, heldMemory)
	if !ok || !held {
		return expCell{}
	}
	if why := noLine(e, leftHeap); why != "" {
		_, most, _ := mostLeft(e, leftHeap)
		return expCell{text: "at most " + size(most) + ", " + why}
	}
	each, once := l.Slope().Median, l.Intercept().Median
	text := fmt.Sprintf("%s of %s a connection", perBytes(each), perBytes(taken.Median))
	if once > leastOnce {
		text += ", " + size(once) + " once"
	}
	return expCell{text, plainNumber(each)}
}

// back says that everything is as before, or who keeps what; of the heap it says how much.
func (h *held) back() string {
	var stayed, clean []string
	for i := range h.Hold {
		e := &h.Hold[i]
		var kept []string
		known := false
		for _, row := range []struct {
			what   string
			number holdNumber
		}{{"members", leftMembers}, {"descriptors", leftFDs}, {"goroutines", leftGoroutines}} {
			cell := stayedCell(e, row.number)
			known = known || cell.text != ""
			if cell.text != "" && cell.text != "back" {
				kept = append(kept, row.what+" "+cell.text)
			}
		}
		switch {
		case kept != nil:
			stayed = append(stayed, e.Engine+" "+strings.Join(kept, ", "))
		case known:
			clean = append(clean, e.Engine)
		}
	}
	var parts []string
	switch {
	case stayed == nil && clean != nil:
		parts = append(parts, "members, descriptors and goroutines are back on all")
	case clean != nil:
		parts = append(parts, "members, descriptors and goroutines are back: "+strings.Join(clean, ", "))
	}
	if stayed != nil {
		parts = append(parts, "not everything is back: "+strings.Join(stayed, "; "))
	}
	if heap := h.perEngine("heap and stacks that stay: ", func(e *result.Hold) string { return heapStayed(e).text }); heap != "" {
		parts = append(parts, heap)
	}
	return strings.Join(parts, "; ")
}
