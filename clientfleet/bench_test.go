package clientfleet

import (
	"testing"
	"time"
)

// BenchmarkFleet measures what 10,000 clients cost in this package and in a goroutine-per-connection fleet that does the
// same job, each in a process of its own, one after the other in one run. The server is in this process.
//
//	go test -run '^$' -bench Fleet -benchtime 1x ./clientfleet
func BenchmarkFleet(b *testing.B) {
	const clients, rounds = 10_000, 20
	cpu := map[string]float64{}
	for _, fleet := range []struct {
		name, kind string
		nap        time.Duration
	}{
		{"gorilla", "gorilla", 0}, {"ours", "fleet", 0}, {"ours-without-naps", "fleet", -1},
	} {
		b.Run(fleet.name, func(b *testing.B) {
			var all []figures
			for b.Loop() {
				all = append(all, measure(b, fleet.kind, clients, rounds, fleet.nap))
			}
			mean := func(of func(figures) float64) float64 {
				sum := 0.0
				for _, f := range all {
					sum += of(f)
				}
				return sum / float64(len(all))
			}
			cpu[fleet.name] = mean(func(f figures) float64 { return float64(f.cpu) })
			b.ReportMetric(cpu[fleet.name], "cpu-ns/msg")
			b.ReportMetric(mean(func(f figures) float64 { return float64(f.user) }), "user-ns/msg")
			b.ReportMetric(mean(func(f figures) float64 { return f.wakeups }), "wakeups/msg")
			b.ReportMetric(mean(func(f figures) float64 { return f.connect.Seconds() }), "connect-s")
			b.ReportMetric(mean(func(f figures) float64 { return f.round.Seconds() * 1e3 }), "server-ms/round")
			b.ReportMetric(mean(func(f figures) float64 { return f.idle }), "rss-above-idle-B/client")
			b.ReportMetric(mean(func(f figures) float64 { return f.rss }), "rss-B/client")
			b.ReportMetric(mean(func(f figures) float64 { return f.rssSamples }), "rss-with-samples-B/client")
			if cpu["gorilla"] > 0 {
				b.ReportMetric(cpu[fleet.name]/cpu["gorilla"], "cpu/gorilla")
			}
		})
	}
}

// The claims about cost, small and generous. Whatever else runs on the machine can spoil a try, so there are three; a
// fleet that is no cheaper fails them all.
func TestCheaperThanAGoroutinePerConnection(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("two seconds of load, and only without the race detector")
	}
	const clients, rounds = 1000, 20
	for try := 1; ; try++ {
		ours, theirs := measure(t, "fleet", clients, rounds, 0), measure(t, "gorilla", clients, rounds, 0)
		if ours.cpu*10 <= theirs.cpu*8 && ours.rss <= theirs.rss/4 && ours.rss <= 4096 {
			return
		}
		t.Logf("try %d: ours %+v\ngorilla %+v", try, ours, theirs)
		if try == 3 {
			t.Fatal("not cheaper: more than 0.8 of the CPU per message, or a quarter of the memory per client, or 4 KiB")
		}
	}
}
