//go:build linux

package main

import (
	"runtime"
	"runtime/debug"
	"time"

	"wsfanout/compare/result"
)

// plan is what was asked for, as the results file records it.
func (c *config) plan() result.Plan {
	p := result.Plan{
		Scenario: "fanout", Clients: c.clients, Rounds: c.rounds, Warmup: c.warmup, SizeBytes: c.size,
		IntervalNs: int64(c.interval), Trials: c.trials, Seed: c.seed, WriteTimeoutNs: int64(c.writeTimeout),
		Order: c.order, Shards: c.shards, Stuck: c.behave.stuck, StuckAt: c.behave.at, Jam: c.behave.jam, StuckBuffers: c.behave.buffers,
		Slow: c.behave.slow, Vanish: c.behave.vanish, ResumeNs: int64(c.behave.resume),
		SndBuf: c.sndbuf, GOMAXPROCS: c.cpus.serverProcs(), CPUs: c.cpus.String(),
		ClientsList: listed(c.clientCounts), SizeList: listed(c.sizes), Compress: c.compress, TLS: c.tls, SLONs: int64(c.slo),
		ProjectClients: c.project, InboundPerSecond: c.inbound, InboundSizeBytes: c.inboundSize,
	}
	if c.behave.slow > 0 {
		p.SlowRateBytes = c.behave.slowRate
	}
	for _, e := range c.engines {
		p.Engines = append(p.Engines, e.String())
	}
	for _, s := range c.strategies {
		p.Strategies = append(p.Strategies, s.String())
	}
	return p
}

// Costs seen on two cores over loopback; they only serve the estimate printed before the run.
const (
	perDelivery   = 15 * time.Microsecond
	perCompressed = 10 * time.Microsecond // on top, for a message that is compressed for each client
	perConnect    = 200 * time.Microsecond
	perSecure     = 1500 * time.Microsecond // a TLS handshake, both sides
	perCell       = 900 * time.Millisecond  // processes, settling, drain, teardown
)

// estimatedRound is about how long one round takes to reach everybody.
func estimatedRound(c *config) time.Duration {
	copying := time.Duration(c.size) * time.Nanosecond / 2 // beyond a KiB the bytes count, too
	if c.compress {
		copying += perCompressed + 20*copying
	}
	return time.Duration(c.clients) * (perDelivery + copying)
}

// planned is about how long the whole run takes.
func planned(c *config, cells int) time.Duration {
	return time.Duration(c.trials) * passTime(c, cells)
}

// passTime is about how long one trial of every cell takes; all matrices have equally many.
func passTime(c *config, cells int) time.Duration {
	var each time.Duration
	matrices := c.matrices()
	for _, one := range matrices {
		each += one.cellTime()
	}
	return time.Duration(cells) * each / time.Duration(len(matrices))
}

// cellTime is about how long one trial of one cell takes.
func (c *config) cellTime() time.Duration {
	slots := time.Duration(2 * (c.warmup + c.rounds))
	one := time.Duration(c.clients)*perConnect + perCell
	if c.tls { // no bare rounds
		slots /= 2
		one += time.Duration(c.clients) * perSecure
	}
	if c.behave.extras() > 0 {
		slots += time.Duration(c.rounds)
	}
	return one + slots*max(c.interval, estimatedRound(c))
}

// trialsWithin is how many trials fit a budget: at least one.
func trialsWithin(c *config, cells int, budget time.Duration) int {
	return min(max(int(budget/passTime(c, cells)), 1), maxTrials)
}

// tool identifies this program from what the linker recorded.
func tool() result.Tool {
	t := result.Tool{Version: "devel", Go: runtime.Version(), Modules: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		t.Version = v
	}
	for _, d := range info.Deps {
		t.Modules[d.Path] = d.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			t.Commit = s.Value
		case "vcs.modified":
			t.Dirty = s.Value == "true"
		}
	}
	return t
}
