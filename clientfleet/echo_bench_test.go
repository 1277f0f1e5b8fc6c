package clientfleet

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkEcho measures what an echo costs the fleet, in a process of its own. The server, a goroutine per connection, is in
// this one and takes most of the machine: what is reached is its rate, the CPU is the fleet's.
//
//	go test -run '^$' -bench Echo -benchtime 1x ./clientfleet
func BenchmarkEcho(b *testing.B) {
	for _, c := range []struct {
		clients int
		Echo
	}{
		{500, Echo{Mode: EchoRate, PerSecond: 1000}},
		{500, Echo{Mode: EchoRate, PerSecond: 10_000}},
		{10_000, Echo{Mode: EchoRate, PerSecond: 20_000}},
		{10_000, Echo{Mode: EchoRate, PerSecond: 150_000}},
		{500, Echo{Mode: EchoClosed, Outstanding: 1}},
		{500, Echo{Mode: EchoClosed, Outstanding: 50}},
		{10_000, Echo{Mode: EchoClosed, Outstanding: 10_000}},
	} {
		b.Run(fmt.Sprintf("%d-clients-%s-%.0f", c.clients, c.Mode, c.PerSecond+float64(c.Outstanding)), func(b *testing.B) {
			c.Size, c.For, c.Warmup = 1024, 2*time.Second, time.Second
			s := echoServer(b, nil)
			fleet := startChild(b, "fleet")
			p := Plan{Addr: s.Addr().String(), Numbers: []Range{{0, c.clients}}, Size: testSize, Timeout: 30 * time.Second}
			var connected Connected
			if fleet.ask("connect", p, &connected); connected.Connected != c.clients {
				b.Fatalf("%+v", connected)
			}
			for b.Loop() {
				var count Counters
				var got Echoed
				fleet.ask("mark", nil, nil)
				fleet.ask("echo", c.Echo, &got)
				fleet.ask("counters", nil, &count)
				echoes := got.PerSecond * c.For.Seconds()
				b.ReportMetric(got.PerSecond, "echoes/s")
				b.ReportMetric(float64(got.CPUUserNs+got.CPUSystemNs)/echoes, "cpu-ns/echo")
				b.ReportMetric(float64(got.CPUUserNs)/echoes, "user-ns/echo")
				b.ReportMetric(float64(count.Wakeups)/float64(count.Messages), "wakeups/echo")
				b.ReportMetric(float64(got.Lost+got.Skipped), "missing")
				for name, h := range map[string][]byte{"": got.Latency, "-due": got.LatencyDue, "-sendlag": got.SendLag} {
					if h != nil {
						b.ReportMetric(float64(decode(b, h).ValueAtPercentile(50)), "p50-ns"+name)
						b.ReportMetric(float64(decode(b, h).ValueAtPercentile(99)), "p99-ns"+name)
					}
				}
			}
			fleet.ask("close", nil, nil)
		})
	}
}
