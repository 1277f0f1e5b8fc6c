package result

import (
	"math"
	"slices"
	"testing"
)

func TestIntervalsExistFromSixTrialsOn(t *testing.T) {
	for n := 1; n <= 8; n++ {
		var c Cell
		for i := range n {
			c.Trials = append(c.Trials, healthyTrial(int64(100+i)))
		}
		c.Summarize()
		s := c.Summary["last_client_ns"]
		if has := s.Lo != nil && s.Hi != nil; has != (n >= IntervalTrials) {
			t.Errorf("%d trials: %+v", n, s)
		}
		if want := 100 + float64(n-1)/2; math.Abs(s.Median-want) > 1e-9 {
			t.Errorf("%d trials: median %v, want %v", n, s.Median, want)
		}
		if s.Lo != nil && (*s.Lo > s.Median || *s.Hi < s.Median) {
			t.Errorf("%d trials: the median %v is outside %v..%v", n, s.Median, *s.Lo, *s.Hi)
		}
	}
}

func TestSixTrialsSpanTheirExtremes(t *testing.T) {
	var c Cell
	for _, ns := range []int64{105, 101, 104, 100, 103, 102} { // in the order of the clock, not of size
		c.Trials = append(c.Trials, healthyTrial(ns))
	}
	c.Summarize()
	if s := c.Summary["last_client_ns"]; *s.Lo != 100 || *s.Hi != 105 {
		t.Errorf("interval %v..%v, want 100..105", *s.Lo, *s.Hi)
	}
}

func TestTrialsWithAnErrorDoNotCount(t *testing.T) {
	c := Cell{Trials: []Trial{healthyTrial(100), healthyTrial(900)}}
	c.Trials[1].Error = "the fleet died"
	c.Summarize()
	if s := c.Summary["last_client_ns"]; s.Median != 100 {
		t.Errorf("median %v, want that of the good trial", s.Median)
	}
}

func TestSummaryHasOnlyWhatWasMeasured(t *testing.T) {
	ten := 10
	full := healthyTrial(100)
	full.Healthy.VsBare = &VsBare{Median: 1.2, Pairs: 8}
	full.Healthy.Latency = &Latency{P99: 90}
	full.Healthy.Server = Server{CPUNsPerDelivery: 9000, BytesPerClient: 12000}
	full.Stuck = &Phase{Jam: &Jam{Jammed: true}, Blast: &Blast{LateClients: &ten}}
	discarded := healthyTrial(100)
	discarded.Healthy.VsBare = &VsBare{Discarded: 8}
	for _, row := range []struct {
		why   string
		trial Trial
		keys  []string
	}{
		{"everything", full, []string{"bytes_per_client", "cpu_ns_per_delivery", "false_kills", "last_client_ns", "late_clients", "p99_ns", "reach", "vs_bare"}},
		{"no bare round (TLS), no stuck phase", healthyTrial(100), []string{"false_kills", "last_client_ns", "reach"}},
		{"every pair was discarded: no ratio", discarded, []string{"false_kills", "last_client_ns", "reach"}},
		{"a trial that failed: nothing at all, not zeros", Trial{Error: "no server"}, nil},
		{"never jammed: nobody late proves nothing", Trial{Stuck: &Phase{Jam: &Jam{}, Blast: &Blast{LateClients: new(int)}}}, []string{"false_kills"}},
		{"not resolvable: late clients are unknown", Trial{Stuck: &Phase{Jam: &Jam{Jammed: true}, Blast: &Blast{Control: 3}}}, []string{"false_kills"}},
	} {
		c := Cell{Trials: []Trial{row.trial}}
		c.Summarize()
		var keys []string
		for k := range c.Summary {
			keys = append(keys, k)
		}
		if slices.Sort(keys); !slices.Equal(keys, row.keys) {
			t.Errorf("%s: keys %v, want %v", row.why, keys, row.keys)
		}
	}
}

func TestFalseKillsAndReachOverBothPhases(t *testing.T) {
	trial := Trial{
		Healthy: &Phase{Expected: 100, Received: 100, FalseKills: map[string]int{"EOF": 1}},
		Stuck:   &Phase{Expected: 100, Received: 90, FalseKills: map[string]int{"EOF": 1, "write timeout": 2}},
	}
	c := Cell{Trials: []Trial{trial}}
	c.Summarize()
	if got := c.Summary["false_kills"].Median; got != 3 { // the first one shows in both phases
		t.Errorf("false kills %v, want 3", got)
	}
	if got := c.Summary["reach"].Median; got != 0.95 {
		t.Errorf("reach %v, want 0.95", got)
	}
}

func TestMetricsAreTheKeysWithoutUnits(t *testing.T) {
	want := []string{"last_client", "vs_bare", "p99", "cpu_per_delivery", "bytes_per_client", "late_clients", "false_kills", "reach"}
	if got := Metrics(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAccounts(t *testing.T) {
	for _, row := range []struct {
		why string
		p   Phase
		ok  bool
	}{
		{"all received", Phase{Expected: 8, Received: 8}, true},
		{"some of each", Phase{Expected: 10, Received: 4, Dropped: 3, Failed: 2, Owed: 1}, true},
		{"one is missing", Phase{Expected: 8, Received: 7}, false},
		{"one is counted twice", Phase{Expected: 8, Received: 8, Dropped: 1}, false},
		{"owed as a remainder below zero", Phase{Expected: 8, Received: 9, Owed: -1}, false},
	} {
		if err := row.p.Check(); (err == nil) != row.ok {
			t.Errorf("%s: %v", row.why, err)
		}
	}
}

func healthyTrial(lastNs int64) Trial {
	return Trial{Healthy: &Phase{Expected: 10, Received: 10, LastClient: &Last{Median: lastNs, Worst: 2 * lastNs}}}
}
