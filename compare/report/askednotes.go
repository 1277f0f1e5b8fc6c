package report

import (
	"fmt"

	"wsfanout/compare/result"
)

// tlsNote says what TLS takes away from the table.
func tlsNote(f *result.File) []note {
	if !f.Plan.TLS || !anyMeasured(f) {
		return nil
	}
	return []note{{text: "vs bare loop is missing with TLS: a bare round writes past the engine, which would break the record stream; a prepared " +
		"frame is framed (and compressed) once, but cannot share ciphertext: every client has keys of its own, so each copy is encrypted anew"}}
}

// sloNote says what is in time.
func sloNote(f *result.File) []note {
	if f.Plan.SLONs == 0 || !anyMeasured(f) {
		return nil
	}
	return []note{{text: fmt.Sprintf("in %s: the share of the expected deliveries that arrived so soon after the real start of the round, and in "+
		"brackets the clients that had every message of the phase in time", exact(float64(f.Plan.SLONs)))}}
}

// wireNote says what counts as a byte on the wire.
func wireNote(f *result.File) []note {
	if !f.Plan.Compress || !anyMeasured(f) {
		return nil
	}
	return []note{{text: "wire B: bytes of a delivery as the client got them, the frame's header included, TCP and TLS not; messages are generated " +
		"text, which compresses as records do; every compressed message is checked byte by byte, outside the measured time"}}
}

// inboundNote is the account of what clients sent.
func inboundNote(f *result.File) []note {
	if f.Plan.InboundPerSecond == 0 {
		return nil
	}
	title := fmt.Sprintf("clients together send %s messages/s of %s while the rounds run, read by the engine's own path, and that CPU is in the "+
		"figures; sent, delivered, turns skipped", count(f.Plan.InboundPerSecond), size(float64(f.Plan.InboundSizeBytes)))
	return doubtless(doubt(f, title, func(c *result.Cell) string {
		var sum result.Inbound
		for i := range c.Trials {
			for _, p := range []*result.Phase{c.Trials[i].Healthy, c.Trials[i].Stuck} {
				if p != nil && p.Inbound != nil && c.Trials[i].Error == "" {
					sum.Sent += p.Inbound.Sent
					sum.Delivered += p.Inbound.Delivered
					sum.Skipped += p.Inbound.Skipped
				}
			}
		}
		return fmt.Sprintf("%s, %s, %s", count(float64(sum.Sent)), count(float64(sum.Delivered)), count(float64(sum.Skipped)))
	}))
}

// doubtless takes the marks off notes that explain.
func doubtless(notes []note) []note {
	for i := range notes {
		notes[i].rows = nil
	}
	return notes
}
