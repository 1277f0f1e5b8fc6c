package report

import (
	"testing"

	"wsfanout/compare/result"
)

func TestCoresAreThoseThatMayBeUsed(t *testing.T) {
	for _, row := range []struct {
		host result.Host
		want string
	}{
		{result.Host{CPUs: 2}, "2 cores"}, {result.Host{CPUs: 2, CPUQuota: 0.5}, "0.5 of 2 cores"}, {result.Host{CPUs: 2, CPUQuota: 2}, "2 cores"},
	} {
		if got := cores(row.host); got != row.want {
			t.Errorf("%+v: %q, want %q", row.host, got, row.want)
		}
	}
}

func TestWhenTheJamCame(t *testing.T) {
	for _, row := range []struct {
		rounds []float64
		want   string
	}{
		{[]float64{0, 0}, "before round 1"}, {[]float64{0, 3}, "before round 1 or up to round 3"}, {[]float64{2, 3}, "in round 2 to 3"},
	} {
		if got := inRounds(row.rounds); got != row.want {
			t.Errorf("%v: %q, want %q", row.rounds, got, row.want)
		}
	}
}
