package report

import (
	"bytes"
	"strings"
	"testing"

	"wsfanout/compare/result"
)

// onTwoHosts gives every trial clocks that are known to some nanoseconds.
func onTwoHosts(f *result.File, within int64) *result.File {
	for _, c := range f.Compared() {
		eachTrial(f, c.Name(), func(t *result.Trial) {
			t.Clock = &result.Clock{OffsetNs: 1e14, DriftPPM: 12, UncertaintyNs: within, Exchanges: 200}
		})
	}
	f.Verdict = Verdict(f)
	return f
}

// verdictOn is what the run says of the engines.
func verdictOn(f *result.File, kind string) string {
	for _, c := range f.Verdict {
		if c.Kind == kind {
			return c.Text
		}
	}
	return ""
}

// Where the clocks are two, what is not known of them stands beside the latencies, and nothing below it is claimed.
func TestClocksApart(t *testing.T) {
	one := load(t, "complete.json")
	said := verdictOn(one, result.KindEngines)
	if !strings.Contains(said, "earlier on") {
		t.Fatalf("the file claims no difference: %s", said)
	}
	for _, row := range []struct {
		within int64
		shown  string
		claims bool
	}{{1011, "+-1.1 us", true}, {2e8, "+-200 ms", false}} {
		f := onTwoHosts(load(t, "complete.json"), row.within)
		text := shown(t, f)
		for _, want := range []string{row.shown, "clock", "spread ms", "different clocks", "200 exchanges, drift 12 ppm"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in:\n%s", want, text)
			}
		}
		if got := strings.Contains(verdictOn(f, result.KindEngines), "earlier on"); got != row.claims {
			t.Errorf("known to %d ns: %s", row.within, verdictOn(f, result.KindEngines))
		}
		if !strings.Contains(verdictOn(f, result.KindNoise), row.shown+" each") {
			t.Error(verdictOn(f, result.KindNoise))
		}
		page := htmlOf(t, f)
		for _, want := range []string{`data-metric="clock_uncertainty_ns"`, `data-metric="spread_ns"`} {
			if !strings.Contains(page, want) {
				t.Errorf("the page has no %s", want)
			}
		}
		var csv, bench bytes.Buffer
		if CSV(&csv, f, Options{}) != nil || !strings.Contains(csv.String(), "clock_uncertainty_ns") {
			t.Error("no clock in the CSV")
		}
		if Gobench(&bench, f, Options{}) != nil || !strings.Contains(bench.String(), " clock-doubt-ns") {
			t.Error("no clock in the benchmark format")
		}
	}
	if text := shown(t, one); strings.Contains(text, "different clocks") || strings.Contains(text, " clock ") {
		t.Errorf("one clock has a doubt:\n%s", text)
	}
}

// A change between two runs that their clocks may have made is none.
func TestDiffBelowTheClocks(t *testing.T) {
	before := load(t, "complete.json")
	faster := func() *result.File {
		f := load(t, "complete.json")
		for _, c := range f.Compared() {
			eachTrial(f, c.Name(), func(t *result.Trial) { t.Healthy.VsBare.Median *= 0.7 })
		}
		f.Summarize()
		return f
	}
	if n := len(result.DiffOf(before, faster()).Claimed()); n == 0 {
		t.Fatal("nothing is claimed by one clock")
	}
	apart := onTwoHosts(faster(), 2e8)
	d := result.DiffOf(before, apart)
	if n := len(d.Claimed()); n != 0 {
		t.Errorf("%d claims below the clocks", n)
	}
	var out bytes.Buffer
	if Diff(&out, d, Options{}) != nil || !strings.Contains(out.String(), "what its clocks leave open") {
		t.Error(out.String())
	}
}
