package result

import (
	"fmt"
	"time"
)

// Echo is one engine set-up under echo load, over all trials.
type Echo struct {
	Engine    string      `json:"engine"` // canonical spec
	Footnotes []string    `json:"footnotes,omitempty"`
	Trials    []EchoTrial `json:"trials"`
}

// EchoTrial is one measurement in fresh processes. Error is why there is no (complete) measurement.
type EchoTrial struct {
	Trial            int        `json:"trial"`
	Connections      int        `json:"connections"`
	ConnectPerSecond float64    `json:"connect_per_second"`
	DialNs           Latency    `json:"dial_ns"` // each dial by itself: connect to the end of the handshake
	Rate             *EchoPhase `json:"rate,omitempty"`
	Closed           *EchoPhase `json:"closed,omitempty"`
	Warnings         []string   `json:"warnings"`
	Error            string     `json:"error"`
}

// EchoPhase is one kind of load. In the closed loop the latency restates the rate: outstanding / per_second.
type EchoPhase struct {
	AskedPerSecond float64        `json:"asked_per_second,omitempty"` // absent: closed loop
	Outstanding    int            `json:"outstanding,omitempty"`      // closed loop: messages under way at a time
	PerSecond      float64        `json:"per_second"`                 // echoes received
	Clients        int            `json:"clients"`                    // that took part: connected when the load began
	Gone           map[string]int `json:"gone,omitempty"`             // why clients were lost meanwhile -> how many
	Sent           int64          `json:"sent"`
	Received       int64          `json:"received"`
	Skipped        int64          `json:"skipped,omitempty"`
	Lost           int64          `json:"lost,omitempty"`
	Stuck          int64          `json:"stuck,omitempty"`          // sent before the window and not answered in it
	Starved        int            `json:"starved,omitempty"`        // connections with less than a fifth of the echoes of the busiest one
	LatencyNs      Latency        `json:"latency_ns"`               // from the send
	LatencyDueNs   *Latency       `json:"latency_due_ns,omitempty"` // from the schedule: the headline
	SendLagNs      *Latency       `json:"send_lag_ns,omitempty"`    // how late the generator itself was
	ServerUserNs   float64        `json:"server_user_ns_per_echo"`
	ServerSystemNs float64        `json:"server_system_ns_per_echo"`
	FleetNs        float64        `json:"fleet_ns_per_echo"`
	RSSBytes       int64          `json:"rss_bytes"` // of the server, at the end
	HeapBytes      int64          `json:"heap_bytes"`
	Goroutines     int            `json:"goroutines"`
}

// Doubts says why the latency of a fixed rate may mean little, or nothing.
func (p *EchoPhase) Doubts() []string {
	var out []string
	if p.PerSecond < 0.95*p.AskedPerSecond {
		out = append(out, fmt.Sprintf("%.0f of %.0f echoes/s came: the rate is more than this set-up, or the fleet, can do", p.PerSecond, p.AskedPerSecond))
	}
	if name, of := p.generatorsPart(); name != "" {
		out = append(out, fmt.Sprintf("at %s the generator itself was late by more than half of the latency (%s): that figure is the fleet's, not the server's", name, of))
	}
	return out
}

// generatorsPart is the first quantile of which the generator's own lateness is more than half.
func (p *EchoPhase) generatorsPart() (name, of string) {
	if p.SendLagNs == nil || p.LatencyDueNs == nil {
		return "", ""
	}
	due, lag := p.LatencyDueNs, p.SendLagNs
	for _, q := range []struct {
		name     string
		due, lag int64
	}{{"p50", due.P50, lag.P50}, {"p90", due.P90, lag.P90}, {"p99", due.P99, lag.P99}, {"p99.9", due.P999, lag.P999}} {
		if q.lag > q.due/2 {
			return q.name, fmt.Sprintf("%v of %v", time.Duration(q.lag).Round(time.Microsecond), time.Duration(q.due).Round(time.Microsecond))
		}
	}
	return "", ""
}
