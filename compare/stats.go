//go:build linux

package main

import (
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
)

// median of an unsorted, non-empty sample; the mean of the two middle ones if there are two.
func median[N int64 | float64](values []N) N {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

func distribution(h *hdrhistogram.Histogram) *result.Latency {
	if h.TotalCount() == 0 {
		return nil
	}
	return &result.Latency{
		N: h.TotalCount(), P50: h.ValueAtQuantile(50), P90: h.ValueAtQuantile(90), P99: h.ValueAtQuantile(99),
		P999: h.ValueAtQuantile(99.9), Max: h.Max(),
	}
}

// spectrum samples the distribution where its tail is interesting: halving the distance to 1 each time.
func spectrum(h *hdrhistogram.Histogram) [][2]float64 {
	out := [][2]float64{}
	if h.TotalCount() == 0 {
		return out
	}
	for rest := 1.0; rest*float64(h.TotalCount()) >= 0.5; rest /= 2 {
		q := 1 - rest
		out = append(out, [2]float64{q, float64(h.ValueAtQuantile(100 * q))})
	}
	return append(out, [2]float64{1, float64(h.Max())})
}

// positionsKept bounds the points of the latency-by-position picture.
const positionsKept = 200

// positions is the median latency by client number, thinned: one client of each of positionsKept stretches of the list, at
// a place in it that moves from one to the next. At the same place in each it would see one shard only.
func positions(clients []clientfleet.ClientSeen) [][2]float64 {
	out := [][2]float64{}
	step := max(1, len(clients)/positionsKept)
	for k := 0; k*step < len(clients); k++ {
		i := min(k*step+k*7%step, len(clients)-1)
		if c := clients[i]; c.Received > 0 {
			out = append(out, [2]float64{float64(c.Number), float64(c.Median)})
		}
	}
	return out
}
