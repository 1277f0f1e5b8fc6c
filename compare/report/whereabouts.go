package report

import (
	"fmt"

	"wsfanout/compare/result"
)

// stragglerNs is the least excess that is worth a note: below it every machine has such rounds.
const stragglerNs = 100e6

// straggler is a round whose last client came much later than usual in the phase.
type straggler struct {
	place, of int // 3 of 8
	last      int64
	usual     int64 // last client
	hub       int64
	usualHub  int64
	lag       int64 // the fleet's largest in the phase
}

func (s straggler) excess() int64 { return s.last - s.usual }

// inHub says that the broadcasting goroutine was late itself.
func (s straggler) inHub() bool { return s.hub-s.usualHub > s.excess()/2 }

// where follows the message: out of the hub, into the client's kernel (whose stamp ends the latency), to the fleet.
func (s straggler) where(c *result.Cell) string {
	between := "in the kernel or the engine"
	if queues(c) {
		between = "in the writers or the kernel"
	}
	switch {
	case s.inHub():
		return fmt.Sprintf("in the hub, which took %s", duration(float64(s.hub)))
	case s.lag > s.excess()/2:
		return fmt.Sprintf("behind the hub (done after %s), and the fleet stood still too: it picked up as late as %s after an arrival",
			duration(float64(s.hub)), duration(float64(s.lag)))
	}
	return fmt.Sprintf("behind the hub (done after %s), %s; the fleet picked up within %s of an arrival",
		duration(float64(s.hub)), between, duration(float64(s.lag)))
}

func stragglers(p *result.Phase) []straggler {
	if p.LastClient == nil {
		return nil
	}
	var late []straggler
	for i, r := range p.RoundsDetail {
		s := straggler{
			place: i + 1, of: p.Rounds, last: r.LastNs, usual: p.LastClient.Median, hub: r.HubNs, usualHub: p.Hub.Median, lag: p.Fleet.Lag.Max,
		}
		if s.excess() > max(stragglerNs, s.usual) {
			late = append(late, s)
		}
	}
	return late
}

// worstStraggler shows the worst round of the phases and how many others there are.
func worstStraggler(c *result.Cell, phases []*result.Phase, counts func(straggler) bool) string {
	var most straggler
	n := 0
	for _, p := range phases {
		for _, s := range stragglers(p) {
			if !counts(s) {
				continue
			}
			n++
			if s.excess() > most.excess() {
				most = s
			}
		}
	}
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("round %d of %d: %s against %s, %s", most.place, most.of, duration(float64(most.last)), duration(float64(most.usual)),
		most.where(c))
	if n > 1 {
		text += fmt.Sprintf("; %d more", n-1)
	}
	return text
}

func lateSomewhere(f *result.File) []note {
	return doubt(f, "rounds that came late to their last client, and where they were late", func(c *result.Cell) string {
		return worstStraggler(c, healthyPhases(c), func(straggler) bool { return true })
	})
}

// lateSomewhereWhileStuck leaves out what the hub explains: that it waits for the stuck client is what the table is about.
func lateSomewhereWhileStuck(f *result.File) []note {
	return doubtStuck(f, "rounds that came late although the hub did not wait, and where they were late", func(c *result.Cell) string {
		return worstStraggler(c, stuckPhases(c), func(s straggler) bool { return !s.inHub() })
	})
}
