package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"wsfanout/compare/result"
)

// benchUnits are the units of the Go benchmark format for the metrics. A unit that holds "ns" is shown by benchstat in seconds.
var benchUnits = []struct{ metric, unit, better string }{
	{"last_client", "last-client-ns", "lower"},
	{"vs_bare", "vs-bare", "lower"},
	{"p99", "p99-ns", "lower"},
	{"cpu_per_delivery", "cpu-ns/delivery", "lower"},
	{"bytes_per_client", "B/client", "lower"},
	{"late_clients", "late-clients", "lower"},
	{"false_kills", "false-kills", "lower"},
	{"reach", "reach", "higher"},
}

// benchExtras are units of figures that no gate knows: the spread of a round, and where the clocks are two by how much they may be off.
var benchExtras = []struct{ metric, unit, better string }{{"", "spread-ns", "lower"}, {"", "clock-doubt-ns", "lower"}}

// Gobench writes the file in the Go benchmark format, for benchstat: a line per cell and trial. A trial that failed is a comment.
// The configuration holds the plan and the CPU, nothing of the code: benchstat compares only what has the same one.
func Gobench(w io.Writer, f *result.File, _ Options) error {
	out := bufio.NewWriter(w)
	for _, line := range benchConfig(f) {
		fmt.Fprintln(out, line)
	}
	if !onlyExperiments(f) {
		for _, u := range slices.Concat(benchUnits, benchExtras) {
			fmt.Fprintf(out, "Unit %s better=%s\n", u.unit, u.better)
		}
	}
	benchExperimentUnits(out, f)
	benchExperiments(out, f)
	for i := range f.Cells {
		c := &f.Cells[i]
		for j := range c.Trials {
			fmt.Fprintln(out, benchLine(f, c, &c.Trials[j]))
		}
	}
	return out.Flush()
}

func benchConfig(f *result.File) []string {
	p := f.Plan
	config := []string{"pkg: wsfanout/compare", "goos: linux", "cpu: " + cmp.Or(oneLine(f.Host.CPUModel), "unknown")}
	for _, e := range experimentsOf(f) {
		config = append(config, e.config...)
	}
	if onlyExperiments(f) {
		return config
	}
	return append(config,
		"size: "+benchSizes(p), fmt.Sprintf("interval: %v", time.Duration(p.IntervalNs)), fmt.Sprintf("rounds: %d", p.Rounds),
		fmt.Sprintf("write-timeout: %v", time.Duration(p.WriteTimeoutNs)), "order: "+p.Order,
		fmt.Sprintf("stuck: %d %s, jam %s", p.Stuck, p.StuckAt, p.Jam),
	)
}

// benchSizes are those of a list, which the names of the benchmarks tell apart.
func benchSizes(p result.Plan) string {
	if p.SizeList == nil {
		return fmt.Sprintf("%dB", p.SizeBytes)
	}
	return strings.Trim(fmt.Sprint(p.SizeList), "[]")
}

func benchLine(f *result.File, c *result.Cell, t *result.Trial) string {
	if t.Error != "" {
		return fmt.Sprintf("# %s trial %d failed: %s", c.Name(), t.Trial, oneLine(t.Error))
	}
	line := fmt.Sprintf("BenchmarkFanout/engine=%s/strategy=%s/clients=%d", c.Engine, c.Strategy, c.Clients)
	if f.Plan.SizeList != nil {
		line += fmt.Sprintf("/size=%dB", c.SizeBytes)
	}
	if c.IsControl() {
		line += "/control=aa"
	}
	line += fmt.Sprintf("-%d 1", f.Plan.GOMAXPROCS)
	var values strings.Builder
	for _, u := range benchUnits {
		if v, ok := measureOf(u.metric)(t); ok {
			fmt.Fprintf(&values, " %.10g %s", v, u.unit)
		}
	}
	if v, ok := spread(t); ok {
		fmt.Fprintf(&values, " %.10g spread-ns", v)
	}
	if v, ok := clockDoubt(t); ok {
		fmt.Fprintf(&values, " %.10g clock-doubt-ns", v)
	}
	if values.Len() == 0 {
		return fmt.Sprintf("# %s trial %d measured nothing", c.Name(), t.Trial)
	}
	return line + values.String()
}
