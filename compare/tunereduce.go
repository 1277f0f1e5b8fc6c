//go:build linux

package main

import (
	"slices"

	"wsfanout/clientfleet"
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
			switch {
			case !closed:
			case began[n] == 0 || c.At < began[n]:
				seen.Before++
			default:
				seen.Closed++
				after = append(after, c.At-began[n])
			}
			if closed {
				if seen.Reasons == nil {
					seen.Reasons = map[string]int{}
				}
				seen.Reasons[c.Why]++
			}
		}
		seen.AfterNs = spreadOf(after)
		out = append(out, seen)
	}
	return append(out, r.loadSeen()...)
}

// loadSeen is what became of the clients that carry the load: they read the rounds, answer pings and talk.
func (r *tuneRun) loadSeen() []result.TuneGroup {
	if !r.load {
		return nil
	}
	seen := result.TuneGroup{Behaviour: "reads rounds and talks", Kind: result.GroupCovered, Clients: loadClients}
	var after []int64
	for n := r.total() - loadClients; n < r.total(); n++ {
		if c, closed := r.closes[n]; closed {
			if seen.Reasons == nil {
				seen.Reasons = map[string]int{}
			}
			seen.Closed++
			seen.Reasons[c.Why]++
			after = append(after, c.At-r.began)
		}
	}
	seen.AfterNs = spreadOf(after)
	return []result.TuneGroup{seen}
}

// spreadOf is nil for nothing.
func spreadOf(ns []int64) *result.Spread {
	if len(ns) == 0 {
		return nil
	}
	slices.Sort(ns)
	return &result.Spread{Min: ns[0], Median: median(ns), Max: ns[len(ns)-1]}
}

// cost is what the set-up spent on being sure that its clients are alive. The frames are those of the clients that only answer
// pings: what the others send is their behaviour, not the set-up's doing.
func (r *tuneRun) cost() *result.TuneCost {
	open := map[int]float64{} // seconds
	for g, b := range r.groups {
		for n := r.of(g).From; b.kind == clientfleet.Answers && b.shape == nil && n < r.of(g).To; n++ {
			until := r.after.At
			if c, closed := r.closes[n]; closed {
				until = min(until, c.At)
			}
			open[n] = float64(until-r.began) / 1e9
		}
	}
	var seconds float64
	var frames, bytes int64
	for _, b := range r.behaved {
		if s, counts := open[b.Number]; counts {
			seconds += s
			frames += b.Pings + b.Frames
			bytes += b.Pings*pingBytes + b.Bytes
		}
	}
	c := &result.TuneCost{
		Clients:        r.total(),
		CPUNsPerSecond: float64(r.after.UserNs+r.after.SystemNs-r.before.UserNs-r.before.SystemNs) / (float64(r.after.At-r.before.At) / 1e9),
	}
	if seconds > 0 {
		c.FramesPerClient, c.BytesPerClient = float64(frames)/seconds, float64(bytes)/seconds
	}
	return c
}
