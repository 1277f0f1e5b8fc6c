package report

import (
	"strings"
	"testing"

	"wsfanout/compare/result"
)

// jammed is a proven stuck phase with one late round, the building block of the cases below.
func jammed(late int, j result.JamClient) *result.Phase {
	worst := int64(1030e6)
	return &result.Phase{
		Rounds: 1, RoundsDetail: []result.Round{{HubNs: 1}},
		Jam:   &result.Jam{Jammed: true, Clients: []result.JamClient{j}},
		Blast: &result.Blast{LateClients: &late, Resolvable: true, LateThresholdNs: 500e6, WorstNs: &worst},
	}
}

// oneCell is a file of one cell with a trial for each phase.
func oneCell(engine, strategy string, options map[string]string, phases ...*result.Phase) *result.File {
	c := result.Cell{Engine: engine, Strategy: strategy, Clients: 10_000, Options: options}
	for _, p := range phases {
		c.Trials = append(c.Trials, result.Trial{Connected: 10_001, Healthy: &result.Phase{}, Stuck: p})
	}
	f := &result.File{
		Complete: true, Cells: []result.Cell{c},
		Plan: result.Plan{
			Clients: 10_000, Rounds: 1, Trials: len(phases), SizeBytes: 1024, IntervalNs: 250e6, WriteTimeoutNs: 1e9,
			Stuck: 1, StuckAt: "first", Order: "fixed", Jam: "fill", StuckBuffers: "small",
		},
	}
	f.Summarize()
	return f
}

func text(t *testing.T, f *result.File) string {
	t.Helper()
	var out strings.Builder
	if err := Text(&out, f, Options{}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(out.String()), " ") // line breaks are not the point
}

var (
	second  = int64(1e9)
	evicted = result.JamClient{JamRound: new(3), AbsorbedBytes: 9680, NoticedBy: "write timeout", NoticeAfterNs: &second,
		EvictedBy: "write timeout", EvictAfterNs: &second, HeldBytesMax: 4096}
	nonblocking = map[string]string{"iomod": "nonblocking", "writetimeout": "1s"}
	blocking    = map[string]string{"writetimeout": "1s"}
)

func TestWhatTheStuckHalfSays(t *testing.T) {
	noisy := jammed(0, evicted)
	noisy.Blast = &result.Blast{Control: 1, LateThresholdNs: 50e6}
	calm := jammed(0, result.JamClient{})
	calm.Jam = &result.Jam{Arithmetic: "client 0: too little"}
	nothing := evicted
	nothing.HeldBytesMax = 0
	for _, row := range []struct {
		why  string
		f    *result.File
		want []string
		not  []string
	}{
		{"neighbours of a blocking write", oneCell("gorilla", "seq", blocking, jammed(10_000, evicted)),
			[]string{"10,000 of 10,000", "gorilla: its neighbours wait (up to 10,000 of 10,000, up to 1.03 s)", "proven in every cell"}, []string{"memory"}},
		{"memory where a write never blocks", oneCell("nbio", "seq", nonblocking, jammed(0, evicted)),
			[]string{"4 KiB (copies)", "nbio: memory, 4 KiB/s x 1 s x stuck clients at this rate: up to 4 KiB held for each (private copies)"}, []string{"wait"}},
		{"neither", oneCell("nbio", "seq", nonblocking, jammed(0, nothing)), []string{"0 B", "nobody measurably"}, []string{"memory,", "(copies)"}},
		{"what is held is told, whoever pays", oneCell("gorilla", "seq", blocking, jammed(0, evicted)),
			[]string{"nobody measurably: no neighbour was late, and no more than 4 KiB was held for each"}, []string{"nothing was held"}},
		{"a program's memory has no form", oneCell("mine", "seq", map[string]string{"exec": "./x", "writetimeout": "1s"}, jammed(0, evicted)),
			[]string{"mine: memory, up to 4 KiB held for each"}, []string{"nobody measurably"}},
		{"a control that is not 0 is never a 0", oneCell("gorilla", "seq", blocking, noisy),
			[]string{"not resolvable", "not resolvable at this D", "1 of 10,000 late by 50 ms"}, []string{"nobody measurably"}},
		{"one noisy trial of three is left out and told", oneCell("gorilla", "seq", blocking, jammed(10_000, evicted), noisy, jammed(10_000, evicted)),
			[]string{"10,000 of 10,000", "1 of 3 trials, up to 1 of 10,000"}, nil},
		{"never jammed, whether the trial has an error or not", oneCell("gorilla", "seq", blocking, calm),
			[]string{"never jammed: client 0: too little", "NOT proven in 1 of 1 cell"}, []string{"0 of 10,000", "nobody"}},
		{"below its threshold the mixed mode blocks", oneCell("nbio:iomod=mixed", "chan", map[string]string{"iomod": "mixed"}, jammed(0, evicted)),
			[]string{"10,000 of 10,001 clients"}, []string{"the blocking path"}},
		{"trials that disagree", oneCell("nbio", "seq", nonblocking, jammed(0, evicted), jammed(0, result.JamClient{JamRound: new(2)})),
			[]string{"varies", "nobody 1, write timeout 1", "not all of them were evicted"}, nil},
	} {
		got := text(t, row.f)
		for _, want := range row.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", row.why, want, got)
			}
		}
		for _, not := range row.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q in\n%s", row.why, not, got)
			}
		}
	}
}

func TestMixedModeWithFewClients(t *testing.T) {
	f := oneCell("nbio:iomod=mixed", "seq", map[string]string{"iomod": "mixed"}, jammed(300, evicted))
	f.Cells[0].Clients, f.Cells[0].Trials[0].Connected = 300, 301
	if got := text(t, f); !strings.Contains(got, "301 clients: this measures the blocking path") {
		t.Error(got)
	}
}

func TestStuckTitle(t *testing.T) {
	for _, row := range []struct {
		change func(*result.Plan)
		want   string
	}{
		{func(*result.Plan) {}, "ONE CLIENT STOPS READING (first in the list, the worst place; every write may take 1 s)"},
		{func(p *result.Plan) { p.Stuck = 3 }, "3 CLIENTS STOP READING (first"},
		{func(p *result.Plan) { p.StuckAt = "last" }, "(last in the list, the best place;"},
		{func(p *result.Plan) { p.StuckAt = "middle" }, "(in the middle of the list;"},
		{func(p *result.Plan) { p.StuckAt = "random" }, "(at random in the list;"},
		{func(p *result.Plan) { p.Order = "map" }, "(in map order, at another place every round;"},
	} {
		f := oneCell("gorilla", "seq", blocking, jammed(0, evicted))
		row.change(&f.Plan)
		if got := text(t, f); !strings.Contains(got, row.want) {
			t.Errorf("no %q in\n%s", row.want, got)
		}
	}
	f := oneCell("gorilla", "seq", map[string]string{"writetimeout": "0"}, jammed(0, evicted))
	if got := text(t, f); !strings.Contains(got, "every write may take for ever") {
		t.Error(got)
	}
}

// Slow clients have nothing to prove, but their neighbours count all the same.
func TestSlowClientsAlone(t *testing.T) {
	p := jammed(10_000, result.JamClient{})
	p.Jam = nil
	p.Others = []result.Other{{Kind: "slow", Outcome: "alive, stream intact"}, {Kind: "slow", FalseKill: "write timeout", Outcome: "evicted"}}
	f := oneCell("gorilla", "seq", blocking, p)
	f.Plan.Stuck = 0
	got := text(t, f)
	for _, want := range []string{"2 CLIENTS READ SLOWLY (first", "10,000 of 10,000", "its neighbours wait", "(slow client, write timeout 1)",
		"(slow client, alive, stream intact 1)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "jam") && strings.Contains(got, "proven") {
		t.Errorf("a proof that nobody owes:\n%s", got)
	}
}

func TestJamLine(t *testing.T) {
	f := oneCell("gorilla", "seq", blocking, jammed(0, evicted))
	after := int64(1860e9)
	f.Cells[0].Trials[0].Stuck.Jam.DefaultJamAfterNs = &after
	if got, want := jamText(f), "with default kernel buffers at this rate it would have come after 31 min"; !strings.Contains(got, want) {
		t.Error(got)
	}
	f.Plan.Jam, f.Plan.StuckBuffers = "natural", "default"
	for _, want := range []string{"in round 3", "9.45 KiB", "with 1 KiB a round that is 9.45 messages", "default kernel buffers, as here"} {
		if got := jamText(f); !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

func TestNoStuckHalfWithoutAStuckPhase(t *testing.T) {
	if got := text(t, oneCell("gorilla", "seq", blocking, nil)); strings.Contains(got, "STOPS") || strings.Contains(got, "who pays") {
		t.Error(got)
	}
}

func TestAllPairsDiscarded(t *testing.T) {
	f := oneCell("gorilla", "seq", blocking, nil)
	f.Cells[0].Trials[0].Healthy.VsBare = &result.VsBare{Discarded: 8}
	f.Summarize()
	if got := text(t, f); !strings.Contains(got, "all 8 pairs were discarded") {
		t.Error(got)
	}
	if _, ok := f.Cells[0].Summary["vs_bare"]; ok {
		t.Error("a ratio without a pair")
	}
}

func TestWhereARoundWasLate(t *testing.T) {
	for _, row := range []struct {
		why      string
		hub, lag int64
		want     string
	}{
		{"the hub", 340e6, 2e6, "in the hub, which took 340 ms"},
		{"behind it", 40e6, 2e6, "behind the hub (done after 40.0 ms), in the kernel or the engine; the fleet picked up within 2.00 ms"},
		{"the clients' side", 40e6, 290e6, "the fleet stood still too: it picked up as late as 290 ms"},
	} {
		f := oneCell("nbio", "seq", nonblocking, nil)
		f.Cells[0].Trials[0].Healthy = &result.Phase{
			Rounds: 2, LastClient: &result.Last{Median: 41e6}, Hub: result.Hub{Median: 40e6}, Fleet: result.Fleet{Lag: result.Lag{Max: row.lag}},
			RoundsDetail: []result.Round{{HubNs: 40e6, LastNs: 41e6}, {HubNs: row.hub, LastNs: 341e6}},
		}
		if got := text(t, f); !strings.Contains(got, "round 2 of 2: 341 ms against 41.0 ms") || !strings.Contains(got, row.want) {
			t.Errorf("%s: no %q in\n%s", row.why, row.want, got)
		}
	}
}

func TestRoughly(t *testing.T) {
	for ns, want := range map[float64]string{5e9: "5 s", 119e9: "119 s", 945e9: "16 min", 1860e9: "31 min", 9000e9: "2.5 h"} {
		if got := roughly(ns); got != want {
			t.Errorf("%v ns: %q, want %q", ns, got, want)
		}
	}
}

func TestBetween(t *testing.T) {
	for want, values := range map[string][]float64{
		"9.45 KiB": {9680, 9681}, "8.45 to 9.45 KiB": {8648, 9680}, "512 B to 2 KiB": {2048, 512}, "": nil,
	} {
		if got := between(values, size); got != want {
			t.Errorf("%v: %q, want %q", values, got, want)
		}
	}
}
