package result

import (
	"math"
	"testing"
)

// lineFile has three numbers of clients: 2 ms and 10 us for each, every trial a percent slower than the one before.
func lineFile(trials int) *File {
	f := &File{}
	for _, clients := range []int{5000, 1000, 10000} { // not in order
		c := Cell{Engine: "nbio", Strategy: "seq", Clients: clients, SizeBytes: 1024, Group: "g"}
		for i := range trials {
			ns := int64((2e6 + 10e3*float64(clients)) * (1 + float64(i)/100))
			c.Trials = append(c.Trials, Trial{Trial: i + 1, Healthy: &Phase{LastClient: &Last{Median: ns}}})
		}
		f.Cells = append(f.Cells, c)
	}
	f.Cells = append(f.Cells, Cell{Engine: "nbio", Strategy: "chan", Clients: 1000, SizeBytes: 1024})
	return f
}

func TestLineHasSlopeAndIntercept(t *testing.T) {
	series := lineFile(6).Along(ByClients)
	if len(series) != 1 || series[0][0].Clients != 1000 || series[0][2].Clients != 10000 {
		t.Fatalf("%v: want the three cells of seq, ascending", series)
	}
	l, ok := Fit(series[0], ByClients, lastClient)
	if !ok || l.R2 == nil || *l.R2 < 0.9999 {
		t.Fatalf("%+v %v", l, ok)
	}
	near := func(what string, s Summary, want, lo, hi float64) {
		t.Helper()
		if s.Lo == nil || math.Abs(s.Median-want) > want/1e4 || math.Abs(*s.Lo-lo) > want/1e4 || math.Abs(*s.Hi-hi) > want/1e4 {
			t.Errorf("%s: %+v, want %v [%v, %v]", what, s, want, lo, hi)
		}
	}
	near("slope", l.Slope(), 10.25e3, 10e3, 10.5e3)
	near("intercept", l.Intercept(), 2.05e6, 2e6, 2.1e6)
	near("projection", l.At(50000), 1.025*502e6, 502e6, 1.05*502e6)
	x, ok := l.Reaches(102e6)
	near("reach", x, (102e6/1.025-2e6)/10e3, (102e6/1.05-2e6)/10e3, 10000)
	if !ok {
		t.Error("a rising line reaches everything")
	}
}

func TestLineWithoutEnough(t *testing.T) {
	l, ok := Fit(lineFile(2).Along(ByClients)[0], ByClients, lastClient)
	if !ok || l.Slope().Lo != nil {
		t.Errorf("%+v: two trials have a slope and no interval", l.Slope())
	}
	f := lineFile(1)
	f.Cells[0].Trials[0].Error = "it failed"
	if _, ok := Fit(f.Along(ByClients)[0], ByClients, lastClient); ok {
		t.Error("a line through a cell that failed")
	}
	if got := lineFile(1).Along(BySize); len(got) != 0 {
		t.Errorf("%v: nothing differs in size", got)
	}
	flat := lineFile(1)
	for i := range flat.Cells[:3] {
		flat.Cells[i].Trials[0].Healthy.LastClient.Median = 5e6
	}
	l, _ = Fit(flat.Along(ByClients)[0], ByClients, lastClient)
	if _, ok := l.Reaches(1e9); ok || *l.R2 != 1 {
		t.Error("a flat line reaches nothing")
	}
}

// Groups make the identity of a cell; one matrix by itself looks like a run without lists.
func TestGroups(t *testing.T) {
	f := &File{Cells: []Cell{
		{Engine: "nbio", Strategy: "seq", Clients: 10, Group: "10"}, {Engine: "nbio", Strategy: "seq", Clients: 10, Group: "10", ControlOf: "nbio/seq@10"},
		{Engine: "nbio", Strategy: "seq", Clients: 20, Group: "20"}, {Engine: "nbio", Strategy: "seq", Clients: 20, Group: "20", ControlOf: "nbio/seq@20"},
	}}
	if f.Find("nbio/seq@20") != &f.Cells[2] || f.Find("nbio/seq") != nil || len(f.Groups()) != 2 {
		t.Errorf("groups %v", f.Groups())
	}
	one := f.Only("20")
	repeated, control := one.Control()
	if len(one.Cells) != 2 || one.Plan.Clients != 20 || repeated == nil || repeated.Name() != "nbio/seq" || control == nil {
		t.Errorf("%+v", one)
	}
	if f.Cells[2].Group != "20" {
		t.Error("the file itself was changed")
	}
}
