package clientfleet

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// One fleet with three readers, and two fleets merged, say the same of the same arrivals.
func TestMerge(t *testing.T) {
	s := newServer(t)
	a := connectN(t, s, 3)
	b := connectN(t, s, 0, func(p *Plan) {
		p.Numbers, p.Extras = []Range{{3, 7}}, []Extra{{Number: 7, Kind: Stuck}}
		p.Readers = 2
	})
	for n := range 2 {
		frame := message(uint32(n), stamp.Strategy)
		for i := range 8 {
			s.peer(i).send(t, frame)
		}
	}
	s.peer(6).Close()
	await(t, "all", func() bool { return a.Received(0, 9) == 6 && b.Received(0, 9) == 8 && goneWhy(b, 6) != "" })
	ca, cb := a.Collect(0, 9, stamp.Strategy), b.Collect(0, 9, stamp.Strategy)
	m, err := Merge(cb, ca)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Clients) != 7 || m.Clients[0].Number != 0 || m.Clients[6].Number != 6 || len(m.Extras) != 1 || len(m.Gone) != 1 {
		t.Errorf("%+v", m)
	}
	for n, r := range m.Rounds {
		x, y := ca.Rounds[n], cb.Rounds[n]
		if r.Received != 7 || r.First != min(x.First, y.First) || r.Last != max(x.Last, y.Last) || r.PickedUp != max(x.PickedUp, y.PickedUp) {
			t.Errorf("%+v of %+v and %+v", r, x, y)
		}
	}
	if got := decode(t, m.Latency); got.TotalCount() != 14 || got.Max() < decode(t, ca.Latency).Max() {
		t.Errorf("%d latencies", got.TotalCount())
	}
	raw, _ := json.Marshal(m)
	var back Collection
	if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(back, m) {
		t.Errorf("not the same after JSON: %v", err)
	}
}

func TestMergeRefuses(t *testing.T) {
	make := func(from uint32, client int, start int64) Collection {
		s := newSeen(from, 5)
		s.Clients = []ClientSeen{{Number: client}}
		s.Rounds = []RoundSeen{{N: 1, Start: start}}
		return s.finish()
	}
	for name, other := range map[string]Collection{
		"the same client": make(0, 1, 10),
		"other rounds":    make(2, 2, 10),
		"another start":   make(0, 2, 11),
	} {
		if _, err := Merge(make(0, 1, 10), other); !errors.Is(err, ErrMerge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Merge(Collection{}); err == nil {
		t.Error("a collection without histograms was merged")
	}
	if m, err := Merge(); err != nil || m.Clients != nil {
		t.Errorf("%+v %v", m, err)
	}
}

func TestWallClock(t *testing.T) {
	var w wallClock
	w.refresh()
	if !w.set || w.steps != 0 {
		t.Fatalf("%+v", w)
	}
	offset := w.offset
	w.keep(clock.Pair{Offset: offset + 5*clockStep, Bracket: tightBracket})
	if w.offset != offset || w.steps != 0 {
		t.Error("a loose reading was kept")
	}
	w.keep(clock.Pair{Offset: offset + clockStep, Bracket: 100})
	w.keep(clock.Pair{Offset: offset - 1, Bracket: 100})
	if w.offset != offset-1 || w.steps != 1 {
		t.Errorf("%d steps, want 1", w.steps)
	}
}

func TestMoment(t *testing.T) {
	const start, picked = int64(1e9), int64(2e9)
	for _, c := range []struct {
		name    string
		arrival int64
		want    int64
		stamped bool
	}{
		{"between", 15e8, 15e8, true},
		{"no stamp", 0, picked, false},
		{"a little before the start", start - 5_000, start, true},
		{"a little after the pick-up", picked + 5_000, picked, true},
		{"long before the start", start - 1e6, picked, false},
		{"long after the pick-up", picked + 1e6, picked, false},
	} {
		got, stamped := moment{arrival: c.arrival, picked: picked}.of(start)
		if got != c.want || stamped != c.stamped {
			t.Errorf("%s: %d %v", c.name, got, stamped)
		}
	}
}

func TestSampleHolds(t *testing.T) {
	for _, c := range []struct{ latency, want int64 }{
		{0, 0}, {-5e6, -unit}, {123_456, 123_450}, {30e9, 30e9}, {100e9, unit * (1<<32 - 3)},
	} {
		if got := nanoseconds(sample(c.latency)); got != c.want {
			t.Errorf("%d: %d, want %d", c.latency, got, c.want)
		}
	}
}

// A stamp ahead of the clock is counted, and not beyond what the clocks leave open.
func TestMessagesBeforeTheirRoundAreCounted(t *testing.T) {
	one := counted{RoundSeen: RoundSeen{Start: 1e9}, begin: 1e9}
	if one.early(sample(0)) || one.early(sample(5_000)) || !one.early(sample(-3e6)) {
		t.Error("by one clock a message is early if it came before the start")
	}
	one.begin -= slack
	one.clock = &ClockSeen{UncertaintyNs: 4e6}
	if one.early(sample(slack-3e6)) || !one.early(sample(slack-5e6)) {
		t.Error("by two clocks a message is early if it came before the start by more than they leave open")
	}
}
