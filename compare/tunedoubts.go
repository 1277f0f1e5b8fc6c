//go:build linux

package main

import (
	"fmt"
	"time"

	"wsfanout/internal/clock"
)

// watchLateness starts to look how late this machine is: the returned function ends that, and says by how much a timer was late
// at most.
func watchLateness() (end func() time.Duration) {
	quit, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		const beat = 20 * time.Millisecond
		var late time.Duration
		for due := clock.Now() + int64(beat); ; due += int64(beat) {
			select {
			case <-quit:
				worst <- late
				return
			case <-time.After(time.Duration(due - clock.Now())):
				late = max(late, time.Duration(clock.Now()-due))
				due = max(due, clock.Now()-int64(beat)) // one pause is not many
			}
		}
	}()
	return func() time.Duration { close(quit); return <-worst }
}

// doubts are why the figures may be this machine's and not the set-up's.
func (r *tuneRun) doubts() []string {
	var out []string
	if r.keepalive > 0 && r.late > r.keepalive/10 {
		out = append(out, fmt.Sprintf("this machine was late by up to %v, more than a tenth of the keepalive: who was closed may be its doing",
			r.late.Round(time.Millisecond)))
	}
	if r.load {
		late := 0
		for _, round := range r.issued.Rounds {
			if round.Start-round.Due > int64(loadInterval) {
				late++
			}
		}
		if late > 0 {
			out = append(out, fmt.Sprintf("%d of %d rounds of the load began more than %v late", late, len(r.issued.Rounds), loadInterval))
		}
	}
	return out
}
