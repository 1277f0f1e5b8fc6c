//go:build linux

package main

import (
	"time"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/serve"
)

// blastThreshold is how much later than its own healthy median a client must be to count as late, and how late a round
// must start to count as a late round: half the write timeout, 1 s without one.
func blastThreshold(writeTimeout time.Duration) time.Duration {
	if writeTimeout == 0 {
		return time.Second
	}
	return writeTimeout / 2
}

// blast is the damage among the healthy clients: who is late by the threshold, against its own healthy median. The same
// rule over the healthy phase is the control: where it finds somebody, this machine is too noisy for this timeout.
func blast(healthy, stuck []clientfleet.ClientSeen, issued []serve.Round, threshold time.Duration) *result.Blast {
	normal := map[int]int64{}
	b := &result.Blast{LateThresholdNs: int64(threshold)}
	for _, c := range healthy {
		if c.Received == 0 {
			continue
		}
		normal[c.Number] = c.Median
		if c.Max > c.Median+int64(threshold) {
			b.Control++
		}
	}
	late := 0
	for _, c := range stuck {
		if c.Received == 0 {
			continue
		}
		if median, ok := normal[c.Number]; ok && c.Max > median+int64(threshold) {
			late++
		}
		if b.WorstNs == nil || c.Max > *b.WorstNs {
			b.WorstNs = &c.Max
		}
	}
	if b.Resolvable = b.Control == 0; b.Resolvable {
		b.LateClients = &late
	}
	for _, r := range issued {
		if r.Start-r.Due > int64(threshold) {
			b.LateRounds++
		}
	}
	return b
}
