// Package clock is the one clock of all processes and containers on a Linux host.
package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// Go reads CLOCK_MONOTONIC without a system call but hides its absolute value. One instant known on both sides
// turns time.Since into the shared clock.
var origin, originNs = calibrate()

// Now returns CLOCK_MONOTONIC in nanoseconds: comparable between all processes and containers of one host.
func Now() int64 { return originNs + int64(time.Since(origin)) }

// SleepUntil sleeps until the clock shows t (nanoseconds); it returns at once if t has passed.
func SleepUntil(t int64) { time.Sleep(time.Duration(t - Now())) }

// Pair is one reading of the wall clock bracketed by two of the monotonic clock.
type Pair struct {
	Offset  int64 // CLOCK_REALTIME minus CLOCK_MONOTONIC, nanoseconds
	Bracket int64 // how far apart the two monotonic readings were, nanoseconds: the uncertainty of Offset
}

// ReadPair reads monotonic, realtime, monotonic, so that a kernel stamp (CLOCK_REALTIME) can be converted.
func ReadPair() Pair {
	before := Now()
	wall := time.Now().UnixNano()
	after := Now()
	return Pair{Offset: wall - before - (after-before)/2, Bracket: after - before}
}

// calibrate keeps the tightest of many brackets: a preemption between two readings only ever widens one.
func calibrate() (time.Time, int64) {
	var bestAt time.Time
	var bestNs, bestBracket int64
	for i := range 200 {
		before := time.Now()
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			panic("clock: CLOCK_MONOTONIC is missing: " + err.Error()) // every Linux since 2.6 has it
		}
		bracket := int64(time.Since(before))
		if i == 0 || bracket < bestBracket {
			bestAt, bestNs, bestBracket = before, ts.Nano()-bracket/2, bracket
		}
	}
	return bestAt, bestNs
}
