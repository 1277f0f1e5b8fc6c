package main

import (
	"flag"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"wsfanout/compare/result"
)

// benchClients is the size at which the benchmarks of this file run.
var benchClients = flag.String("bench-clients", "10000", "healthy clients of the benchmarks")

func benchCell(b *testing.B, args string) result.Trial {
	b.Helper()
	c, err := parseRun(strings.Fields("-clients "+*benchClients+" "+args), io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	trial := runTrial(b.Context(), c, cell{engine: c.engines[0], strategy: c.strategies[0]}, 1, func(string) {})
	if trial.Error != "" {
		b.Fatal(trial.Error)
	}
	return trial
}

// BenchmarkCell shows what a cell costs beyond its rounds: processes, connects, settling, drain, teardown.
func BenchmarkCell(b *testing.B) {
	for _, spec := range []string{"gorilla/seq", "gorilla/chan", "nbio/seq", "nbio/chan"} {
		b.Run(spec, func(b *testing.B) {
			engine, strategy, _ := strings.Cut(spec, "/")
			var connect, beyond time.Duration
			for b.Loop() {
				t := benchCell(b, "-stuck 0 -engines "+engine+" -strategies "+strategy)
				const slots = 2 * (2 + 8)
				connect = max(connect, time.Duration(t.ConnectNs))
				beyond = max(beyond, time.Duration(t.WallNs)-slots*250*time.Millisecond)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(connect.Seconds(), "s-connect")
			b.ReportMetric(beyond.Seconds(), "s-beyond-rounds")
		})
	}
}

// BenchmarkFreshServers runs gorilla seq on six fresh servers: how far the milliseconds of the last client wander from one
// to the next, and how far the paired ratio does. Both are the half range over the median, in per cent.
func BenchmarkFreshServers(b *testing.B) {
	for b.Loop() {
		var last, ratio []float64
		for range 6 {
			p := benchCell(b, "-stuck 0 -engines gorilla -strategies seq").Healthy
			last = append(last, float64(p.LastClient.Median))
			ratio = append(ratio, p.VsBare.Median)
		}
		b.Logf("last client ns %.0f, vs bare %.3f", last, ratio)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(wander(last), "%-last-client")
		b.ReportMetric(wander(ratio), "%-vs-bare")
	}
}

func wander(values []float64) float64 {
	return 100 * (slices.Max(values) - slices.Min(values)) / 2 / median(values)
}
