package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// The Go benchmark format is read back by the package that benchstat reads it with.
func TestGobenchIsReadBack(t *testing.T) {
	f := withControl(load(t, "complete.json"), 1.01)
	f.Cells[1].Trials[2].Error = "the server\nprocess ended"
	var out bytes.Buffer
	if err := Gobench(&out, f, Options{}); err != nil {
		t.Fatal(err)
	}
	reader := benchfmt.NewReader(&out, "test")
	names := map[string]int{}
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(r)
		case *benchfmt.Result:
			names[r.Name.String()]++
			if cpu := r.GetConfig("cpu"); cpu != "some CPU" {
				t.Errorf("cpu %q", cpu)
			}
			if r.Name.String() == "Fanout/engine=nbio/strategy=chan/clients=10000-2" && names[r.Name.String()] == 1 {
				trial := f.Find("nbio/chan").Trials[0]
				for unit, want := range map[string]float64{
					"last-client-sec": float64(trial.Healthy.LastClient.Median) / 1e9, "vs-bare": trial.Healthy.VsBare.Median,
					"cpu-sec/delivery": trial.Healthy.Server.CPUNsPerDelivery / 1e9, "late-clients": 0, "reach": 1,
				} {
					if got, ok := r.Value(unit); !ok || math.Abs(got-want) > 1e-9*math.Max(want, 1) {
						t.Errorf("%s: %v, want %v", unit, got, want)
					}
				}
			}
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	if len(names) != 11 {
		t.Errorf("%d cells, want 10 and the control: %v", len(names), names)
	}
	for name, n := range names {
		want := 6
		if strings.Contains(name, "gorilla/strategy=seqprep") {
			want = 5 // one failed: a comment
		}
		if n != want {
			t.Errorf("%s: %d lines, want %d", name, n, want)
		}
	}
	if better := reader.Units().GetBetter("reach"); better != 1 {
		t.Errorf("reach: better %d, want higher", better)
	}
}
