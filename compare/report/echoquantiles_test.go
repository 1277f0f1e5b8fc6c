package report

import (
	"strings"
	"testing"

	"wsfanout/compare/result"
)

func TestAQuantileIsReachedByWhatNeverCame(t *testing.T) {
	for _, row := range []struct {
		missing, all int64
		want         string // of p50, p90, p99, p99.9 and max those that are lower bounds
	}{
		{0, 1000, ""}, {1, 10_000, "max"}, {1, 1000, "max"}, {2, 1000, "p99.9 max"}, {11, 1000, "p99 p99.9 max"}, {10, 1000, "p99.9 max"},
		{101, 1000, "p90 p99 p99.9 max"}, {501, 1000, "p50 p90 p99 p99.9 max"},
	} {
		var got []string
		for _, q := range quantiles {
			if q.reachedBy(row.missing, row.all) {
				got = append(got, q.name)
			}
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%d of %d missing reach %v, want %s", row.missing, row.all, got, row.want)
		}
	}
}

// echoOf is a run of one engine whose fixed rate is changed.
func echoOf(do func(*result.EchoPhase)) *result.File {
	f := echoedFile(3)
	f.Echo = f.Echo[:1]
	for i := range f.Echo[0].Trials {
		do(f.Echo[0].Trials[i].Rate)
	}
	return f
}

func TestEchoHeadlines(t *testing.T) {
	for _, row := range []struct {
		why        string
		file       *result.File
		want       []string
		not, bench string
	}{
		{"the generator was late", echoOf(func(p *result.EchoPhase) { p.LatencyDueNs.P99, p.SendLagNs.P99 = 187e6, 183e6 }),
			[]string{"p99 187 ms, of which the generator 183 ms"}, "us), of which the generator", ""},
		{"lost ones reach p99", echoOf(func(p *result.EchoPhase) { p.Lost, p.Skipped, p.LatencyDueNs.P99 = 200, 150, 2300e6 }),
			[]string{"p99 > 2.30 s", ">: at least, since echoes that never came reach it"}, "p50 >", "2300000000 p99-ns"},
		{"few samples", echoOf(func(p *result.EchoPhase) { p.LatencyDueNs.N, p.AskedPerSecond, p.PerSecond = 50, 2.5, 2.48 }),
			[]string{"2.48 of 2.5", "from the schedule: gorilla p50 153 us (152-154 us) CPU"}, "p99 765 us", "765000 p99-ns"},
		{"as it is", echoOf(func(*result.EchoPhase) {}),
			[]string{"heap: garbage included", "at the rate that came", "it may exceed these by echoes that were due before the window", "> 490 ms"}, "of which the generator", ""},
	} {
		text := strings.Join(strings.Fields(rendered(t, "text", row.file)), " ")
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", row.why, want, text)
			}
		}
		if strings.Contains(text, row.not) {
			t.Errorf("%s: %q in\n%s", row.why, row.not, text)
		}
		if row.bench != "" && strings.Contains(rendered(t, "gobench", row.file), row.bench) {
			t.Errorf("%s: %q is put up for comparison", row.why, row.bench)
		}
	}
}

func TestRateText(t *testing.T) {
	for v, want := range map[float64]string{10_000: "10,000", 2.5: "2.5", 2.482: "2.48", 0.5: "0.5", 0.031: "0.031", 9.999: "10", 3: "3", 0: "0"} {
		if got := rateText(v); got != want {
			t.Errorf("%g is %s, want %s", v, got, want)
		}
	}
}
