package result

import (
	"fmt"
	"strings"
)

// Kind says in which unit a metric is.
type Kind int

// The kinds of metrics.
const (
	Duration Kind = iota // nanoseconds
	Ratio                // of two like numbers
	Bytes
	Count // whole numbers: one is too many in any trial
)

// A Metric is one key of a summary, under the name by which gates and diff know it: the key without its unit.
type Metric struct {
	Name    string
	Key     string
	Kind    Kind
	Measure Measure
}

// metrics are in the order in which they are listed.
var metrics = []Metric{
	{"last_client", "last_client_ns", Duration, lastClient},
	{"vs_bare", "vs_bare", Ratio, vsBare},
	{"p99", "p99_ns", Duration, p99},
	{"cpu_per_delivery", "cpu_ns_per_delivery", Duration, cpuPerDelivery},
	{"bytes_per_client", "bytes_per_client", Bytes, bytesPerClient},
	{"late_clients", "late_clients", Count, lateClients},
	{"false_kills", "false_kills", Count, falseKills},
	{"reach", "reach", Ratio, reach},
}

// Metrics are the names of all metrics, in the order in which they are listed.
func Metrics() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	return names
}

// FindMetric is the metric of that name. The error names those that there are.
func FindMetric(name string) (Metric, error) {
	for _, m := range metrics {
		if m.Name == name {
			return m, nil
		}
	}
	return Metric{}, fmt.Errorf("unknown metric %q: want %s", name, strings.Join(Metrics(), ", "))
}

// EveryTrialCounts says that one bad trial is not to be softened by a median: messages and clients that were lost are.
func (m Metric) EveryTrialCounts() bool { return m.Kind == Count || m.Name == "reach" }

// OfHost says that the metric is in the time of the machine that measured it, and means little on another one.
func (m Metric) OfHost() bool { return m.Kind == Duration }
