package clientfleet

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkFleet measures what 10,000 clients cost in this package and in a goroutine-per-connection fleet that does the
// same job, each in a process of its own, one after the other in one run.
//
//	go test -run '^$' -bench Fleet -benchtime 1x ./clientfleet
func BenchmarkFleet(b *testing.B) {
	const clients, rounds = 10_000, 20
	cpu := map[string]time.Duration{}
	for _, kind := range []string{"fleet", "gorilla"} {
		b.Run(fmt.Sprintf("%s/clients=%d", kind, clients), func(b *testing.B) {
			var sum figures
			for b.Loop() {
				f := measure(b, kind, clients, rounds)
				sum.connect += f.connect
				sum.cpu += f.cpu
				sum.user += f.user
				sum.wakeups += f.wakeups
				sum.round += f.round
				sum.rss += f.rss
				sum.rssSamples += f.rssSamples
			}
			n := float64(b.N)
			cpu[kind] = sum.cpu / time.Duration(b.N)
			b.ReportMetric(sum.connect.Seconds()/n, "connect-s")
			b.ReportMetric(float64(sum.cpu.Nanoseconds())/n, "cpu-ns/msg")
			b.ReportMetric(float64(sum.user.Nanoseconds())/n, "user-ns/msg")
			b.ReportMetric(sum.wakeups/n, "wakeups/msg")
			b.ReportMetric(sum.round.Seconds()*1e3/n, "server-ms/round")
			b.ReportMetric(sum.rss/n, "rss-B/client")
			b.ReportMetric(sum.rssSamples/n, "rss-with-samples-B/client")
			if cpu["fleet"] > 0 && cpu["gorilla"] > 0 {
				b.ReportMetric(float64(cpu["fleet"])/float64(cpu["gorilla"]), "fleet/gorilla-cpu")
			}
		})
	}
}
