//go:build linux

package main

import (
	"slices"

	"wsfanout/compare/result"
)

// pingBytes is a server's ping without a payload on the wire.
const pingBytes = 2

// groupsSeen says what became of each group.
func (r *tuneRun) groupsSeen() []result.TuneGroup {
	began := map[int]int64{}
	for _, b := range r.behaved {
		began[b.Number] = b.BeganAt
	}
	var out []result.TuneGroup
	for g, b := range r.groups {
		seen := result.TuneGroup{Behaviour: b.name, Kind: b.group(&r.tuneSetup), Clients: r.size}
		var after []int64
		for n := r.of(g).From; n < r.of(g).To; n++ {
			if b.kind == "" {
				began[n] = r.killed
			}
			c, closed := r.closes[n]
			if !closed {
				continue
			}
			seen.Closed++
			if seen.Reasons == nil {
				seen.Reasons = map[string]int{}
			}
			seen.Reasons[c.Why]++
			if began[n] > 0 && c.At >= began[n] {
				after = append(after, c.At-began[n])
			}
		}
		seen.AfterNs = spreadOf(after)
		out = append(out, seen)
	}
	return out
}

// spreadOf is nil for nothing.
func spreadOf(ns []int64) *result.Spread {
	if len(ns) == 0 {
		return nil
	}
	slices.Sort(ns)
	return &result.Spread{Min: ns[0], Median: (ns[(len(ns)-1)/2] + ns[len(ns)/2]) / 2, Max: ns[len(ns)-1]}
}

// cost is what the set-up spent on being sure that its clients are alive.
func (r *tuneRun) cost() *result.TuneCost {
	seconds := float64(r.after.At-r.before.At) / 1e9
	var pings, frames, bytes int64
	for _, b := range r.behaved {
		pings += b.Pings
		frames += b.Frames
		bytes += b.Bytes
	}
	return &result.TuneCost{
		Clients:         r.total(),
		PingsPerSecond:  float64(pings) / seconds,
		FramesPerSecond: float64(pings+frames) / seconds,
		BytesPerSecond:  float64(pings*pingBytes+bytes) / seconds,
		CPUNsPerSecond:  float64(r.after.UserNs+r.after.SystemNs-r.before.UserNs-r.before.SystemNs) / seconds,
	}
}
