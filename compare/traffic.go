//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
)

// fleetPlan is what the fleet must know. It always checks what messages say: of plain ones a sample, which costs nothing.
func (r *cellRun) fleetPlan(patience time.Duration) clientfleet.Plan {
	p := clientfleet.Plan{
		Addr: r.addr, Numbers: healthyRanges(r.clients+len(r.extras), r.extras), Extras: r.forFleet(), Size: r.size,
		Rounds: 2*(r.warmup+r.rounds) + r.rounds, Timeout: patience, Compress: r.compress,
		Content: &clientfleet.Content{Seed: r.seed, Text: r.compress},
	}
	if r.tls {
		p.TLS = &clientfleet.TLS{CAPEM: string(r.certPEM)}
	}
	if r.asked.inbound > 0 {
		p.Inbound = &clientfleet.Inbound{PerSecond: r.asked.inbound, Size: r.inboundSize}
	}
	return p
}

// talk lets the clients send in the measured phases. It is off before the accounts are closed, so that what was sent is there.
func (m *measured) talk(ctx context.Context, phase string, on bool) error {
	if m.run.asked.inbound == 0 || phase == "warmup" {
		return nil
	}
	if err := m.run.fleet.tell(ctx, "inbound", clientfleet.Switch{On: on}); err != nil || on {
		return err
	}
	return sleep(ctx, inFlight)
}

// inFlight is how long a client's message may take to the engine's handler, and the server to begin a phase.
const inFlight = 50 * time.Millisecond

// await polls the fleet until every round that was sent is complete, or the drain's patience ends.
func (m *measured) await(ctx context.Context) error {
	r := m.run
	deadline := time.Now().Add(r.patience())
	want := int64(0)
	for _, round := range m.issued.Rounds {
		if round.Start > 0 {
			want += int64(r.clients)
		}
	}
	for {
		got, err := r.fleet.received(ctx, clientfleet.Span{From: m.from, To: m.to})
		if err != nil || got >= want || time.Now().After(deadline) {
			return err
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil { // a poll wakes the fleet: not often
			return err
		}
	}
}

// inbound is the account of what clients sent; nil if they did not.
func (m *measured) inbound() *result.Inbound {
	if m.run.asked.inbound == 0 {
		return nil
	}
	return &result.Inbound{Sent: m.counters.InboundSent, Delivered: m.drained.Inbound, Skipped: m.counters.InboundSkipped}
}

// unheard is a warning about messages of clients that the engine did not deliver, more than can have been under way.
func (m *measured) unheard() string {
	in := m.inbound()
	if in == nil {
		return ""
	}
	short := in.Sent - in.Delivered
	if float64(short) <= 2*inFlight.Seconds()*m.run.asked.inbound+1 {
		return ""
	}
	return fmt.Sprintf("of %d messages that clients sent the engine delivered %d: %d are more than can be under way", in.Sent, in.Delivered, short)
}

// corrupt fails a cell whose clients got something else than was sent: its times would mean nothing.
func (m *measured) corrupt() error {
	if n := m.seen.Corrupt; n > 0 {
		return fmt.Errorf("corrupt content: %d messages were not what the hub sent (%d were compared and right)", n, m.seen.Checked)
	}
	return nil
}

// wireBytes is the mean size of a delivery with its frame, 0 if nothing arrived.
func (m *measured) wireBytes() float64 {
	t := m.counters.WireBytes.Strategy
	if t.Messages == 0 {
		return 0
	}
	return float64(t.Bytes) / float64(t.Messages)
}

// messageBytes is what a message takes of the kernel's buffers: the payload, or what compression has left of it.
func (m *measured) messageBytes() float64 {
	if wire := m.wireBytes(); m.run.compress && wire > 0 {
		return wire
	}
	return float64(m.run.size)
}

// inTime says what reached the healthy clients within the SLO; nil without one. A client counts if it had all that was expected.
func (m *measured) inTime(latency *hdrhistogram.Histogram, expected int64) *result.SLO {
	limit := int64(m.run.slo)
	if limit == 0 {
		return nil
	}
	s := &result.SLO{Ns: limit}
	var within int64
	for _, bar := range latency.Distribution() {
		if bar.To <= limit {
			within += bar.Count
		}
	}
	if expected > 0 {
		s.Share = float64(within) / float64(expected)
	}
	for _, c := range m.seen.Clients {
		if c.Received == m.planned && c.Max <= limit {
			s.Clients++
		}
	}
	return s
}
