package report

import (
	"math"
	"testing"
)

func TestRoundNumbers(t *testing.T) {
	for _, row := range []struct {
		low, high float64
		want      int
		first     float64
		step      float64
		n         int
	}{
		{0, 26, 3, 0, 10, 3},
		{0, 433, 3, 0, 100, 5},
		{0.7, 1.3, 5, 0.7, 0.1, 7},
		{0, 1, 5, 0, 0.2, 6},
		{5, 5, 4, 5, 0, 1},
		{-40, 100, 4, 0, 50, 3},
	} {
		got := roundNumbers(row.low, row.high, row.want)
		if len(got) != row.n || math.Abs(got[0]-row.first) > 1e-9 {
			t.Errorf("%v to %v: %v, want %d from %v", row.low, row.high, got, row.n, row.first)
			continue
		}
		if len(got) > 1 && math.Abs(got[1]-got[0]-row.step) > 1e-9 {
			t.Errorf("%v to %v: %v, want steps of %v", row.low, row.high, got, row.step)
		}
	}
}

func TestAxesHaveSensibleUnits(t *testing.T) {
	for _, row := range []struct {
		a           axis
		label, last string
	}{
		{timeAxis(0, 90912345, 3, ""), "ms", "80"},
		{timeAxis(0, 1.12e9, 3, ""), "ms", "1,000"},
		{timeAxis(0, 2.4e9, 4, "since the jam, "), "since the jam, s", "2"},
		{timeAxis(0, 34000, 5, ""), "µs", "30"},
		{byteAxis(5148, 3, ""), "KiB", "4"},
		{byteAxis(1028, 3, ""), "B", "1,000"},
		{logTimeAxis(65088, 4.3e8), "", "1 s"},
		{linear(0, 10001, 1, 4, ""), "", "10,000"},
	} {
		if last := row.a.ticks[len(row.a.ticks)-1].text; row.a.label != row.label || last != row.last {
			t.Errorf("%q up to %q, want %q up to %q", row.a.label, last, row.label, row.last)
		}
	}
}

func TestScales(t *testing.T) {
	line := scale{low: 0, high: 10, from: 100, to: 0}
	if got := line.at(2.5); got != 75 {
		t.Errorf("a quarter of the way is at %v", got)
	}
	tenths := scale{low: 1, high: 1000, from: 0, to: 30, log: true}
	if got := tenths.at(10); math.Abs(got-10) > 1e-9 {
		t.Errorf("a power of ten is at %v", got)
	}
	if got := tenths.at(0); got != 0 {
		t.Errorf("nothing has no logarithm and stands on the edge, not at %v", got)
	}
}

// The quantile 1 has no place on an axis of tenths, so that the maximum stands a little beyond the last one that has.
func TestPlacesOfQuantiles(t *testing.T) {
	curve := [][2]float64{{0, 1}, {0.9, 2}, {0.99, 3}, {1, 4}}
	for i, want := range []float64{0, 1, 2, 2 + math.Log10(2)} {
		if got := beyond(curve, i); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v is at %v, want %v", curve[i][0], got, want)
		}
	}
}

func TestPretty(t *testing.T) {
	for text, want := range map[string]string{
		"13.1 us (1.9)":               "13.1 µs (1.9)",
		"use it":                      "use it",
		"8 rounds x 6 trials +-2":     "8 rounds × 6 trials ±2",
		"x1.17 [1.01, 1.38]":          "×1.17 [1.01, 1.38]",
		"size x rate x write timeout": "size × rate × write timeout",
	} {
		if got := pretty(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
