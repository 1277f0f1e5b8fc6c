package report

import (
	"time"

	"wsfanout/compare/result"
)

// tunedFile is a run of tune written by hand: scaled by 30, two engines, and every reason why a figure is missing.
func tunedFile() *result.File {
	return &result.File{
		Schema: result.Schema, Started: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), DurationNs: 252e9, Complete: true,
		Tool: result.Tool{Version: "v0.1.0", Go: "go1.26.8", Modules: map[string]string{"github.com/lesismal/nbio": "v1.6.8"}},
		Host: result.Host{CPUModel: "some CPU", CPUs: 2, MemBytes: 8 << 30, Kernel: "6.18"},
		Plan: result.Plan{Scenario: "tune", Engines: []string{"gorilla", "nbio"}, Trials: 2, Seed: 1, GOMAXPROCS: 2,
			DetectWithinNs: 30e9, Scale: 30},
		Tune:     append(append(tunedPeriods(), tunedOthers()...), tunedWrites()...),
		Warnings: []string{"the machine was busy before the run"},
	}
}

const msNs = int64(time.Millisecond)

// living are the groups that are alive, of which so many of each were closed after K.
func living(keepalive int64, covered, uncovered int) []result.TuneGroup {
	group := func(behaviour, kind string, closed int) result.TuneGroup {
		g := result.TuneGroup{Behaviour: behaviour, Kind: kind, Clients: 5, Closed: closed}
		if closed > 0 {
			g.Reasons = map[string]int{"read timeout": closed}
			g.AfterNs = &result.Spread{Min: keepalive, Median: keepalive + 2*msNs, Max: keepalive + 11*msNs}
		}
		return g
	}
	return []result.TuneGroup{
		group("answers pings", result.GroupCovered, 0), group("pongs delayed", result.GroupCovered, covered),
		group("only receives", result.GroupUncovered, uncovered), group("handler blocks", result.GroupUncovered, uncovered),
	}
}

// dead are peers that went silent, and one whose process ended.
func dead(after *result.Spread, closed int) []result.TuneGroup {
	ended := result.TuneGroup{Behaviour: "process ends", Kind: result.GroupEnded, Clients: 2, Closed: 2, Reasons: map[string]int{"closed by peer": 2},
		AfterNs: &result.Spread{Min: 2 * msNs, Median: 3 * msNs, Max: 4 * msNs}}
	g := result.TuneGroup{Behaviour: "vanished", Kind: result.GroupDead, Clients: 5, Closed: closed, AfterNs: after}
	if closed > 0 {
		g.Reasons = map[string]int{"read timeout": closed}
	}
	return []result.TuneGroup{g, ended}
}

// setupOf is a set-up with two trials, the second a little slower.
func setupOf(part, engine string, keepalive, ping int64, covered int) result.Tune {
	s := result.Tune{Part: part, Engine: engine, KeepaliveNs: keepalive, PingNs: ping, PredictedNs: &[2]int64{keepalive - ping, keepalive}}
	for n := int64(1); n <= 2; n++ {
		low := max(keepalive-ping, 0) + n*5*msNs
		after := &result.Spread{Min: low, Median: (low + keepalive + n*8*msNs) / 2, Max: keepalive + n*8*msNs}
		groups := append(dead(after, 5), living(keepalive, covered, 5)...)
		s.Trials = append(s.Trials, result.TuneTrial{Trial: int(n), ObservedNs: 5e9, Groups: groups,
			Cost: &result.TuneCost{Clients: 27, FramesPerClient: 6.02, BytesPerClient: 24.1, CPUNsPerSecond: 1.3e6 * float64(n)}})
	}
	return s
}

func tunedPeriods() []result.Tune {
	all := []result.Tune{
		setupOf(result.TuneAdvice, "nbio:keepalive=900ms:ping=300ms", 900*msNs, 300*msNs, 0),
		setupOf(result.TuneAdvice, "gorilla:keepalive=900ms:ping=300ms:refresh=pong", 900*msNs, 300*msNs, 0),
		setupOf(result.TuneGrid, "nbio:keepalive=1s", 1000*msNs, 0, 5),
		setupOf(result.TuneGrid, "nbio:keepalive=1s:ping=333ms", 1000*msNs, 333*msNs, 0),
		setupOf(result.TuneGrid, "nbio:keepalive=1s:ping=900ms", 1000*msNs, 900*msNs, 5),
		setupOf(result.TuneGrid, "gorilla:keepalive=1s:ping=1.1s", 1000*msNs, 1100*msNs, 5),
		setupOf(result.TuneGrid, "gorilla:keepalive=2s:ping=667ms", 2000*msNs, 667*msNs, 0),
		setupOf(result.TuneGrid, "gorilla:keepalive=5s:ping=1.67s", 5000*msNs, 1670*msNs, 0),
		setupOf(result.TuneGrid, "gorilla:keepalive=5s:ping=2.5s", 5000*msNs, 2500*msNs, 0),
	}
	all[5].Doubt = "the ping interval is not below the keepalive: every client that only answers pings dies"
	all[5].PredictedNs = &[2]int64{0, 1000 * msNs}
	all[6].Trials[1] = result.TuneTrial{Trial: 2, Error: "the fleet\nended early"}
	all[7].Trials = []result.TuneTrial{{Trial: 1, Error: "the server ended: too many open files"}}
	all[8].Trials = nil // interrupted
	all[3].Trials[0].Warnings = []string{"steal of 12 %"}
	return append(all, tunedRefuted(), setupOf(result.TuneAdvice, "gobwas:keepalive=900ms:ping=300ms", 900*msNs, 300*msNs, 0))
}

// tunedRefuted is a recommendation that did not hold: a client that answers pings was closed, two of the dead before they died, one
// never, one late.
func tunedRefuted() result.Tune {
	s := setupOf(result.TuneAdvice, "nbio:executor=inline:keepalive=900ms:ping=300ms", 900*msNs, 300*msNs, 0)
	s.Trials[0].Groups[3].Closed = 1
	s.Trials[0].Groups[3].Reasons = map[string]int{"read timeout": 1}
	s.Trials[0].Groups[3].AfterNs = &result.Spread{Min: 902 * msNs, Median: 902 * msNs, Max: 902 * msNs}
	s.Trials[0].Groups[0].Closed, s.Trials[0].Groups[0].Before = 2, 2
	s.Trials[0].Groups[0].AfterNs.Max = 1200 * msNs
	s.Trials[0].Warnings = []string{"this machine was late by up to 95ms, more than a tenth of the keepalive"}
	s.Trials[1].Warnings = []string{"this machine was late by up to 1.095s, more than a tenth of the keepalive"}
	return s
}

func tunedOthers() []result.Tune {
	reference := func(name, engine string, low, high int64) result.Tune {
		s := result.Tune{Part: result.TuneReference, Name: name, Engine: engine, PredictedNs: &[2]int64{low, high}}
		for n := 1; n <= 2; n++ {
			groups := append(dead(&result.Spread{Min: low + 3*msNs, Median: (low + high) / 2, Max: high}, 5), living(0, 0, 0)...)
			s.Trials = append(s.Trials, result.TuneTrial{Trial: n, ObservedNs: 12e9, Groups: groups})
		}
		return s
	}
	all := []result.Tune{
		reference("ping and pong wait", "gorilla:keepalive=8s:ping=5s", 3000*msNs, 8000*msNs),
		reference("TCP keepalive 5s/2s/3", "gorilla:tcpkeepalive=5s/2s/3", 11000*msNs, 11200*msNs),
		reference("TCP keepalive, default 15s/15s/9", "gorilla", 150000*msNs, 150200*msNs),
		reference("nothing at all", "nbio:tcpkeepalive=off", 0, 0),
		reference("read deadline, no ping", "gorilla:keepalive=10s", 10000*msNs, 10000*msNs),
	}
	all[3].Never, all[3].PredictedNs = true, nil
	for i := range all[3].Trials {
		all[3].Trials[i].Groups = append(dead(nil, 0), living(0, 0, 0)...)
	}
	all[1].Trials[0].Warnings = []string{"this machine was late by up to 120ms, more than a tenth of the keepalive"}
	all[4].Trials[0].Warnings = []string{"this machine was late by up to 1.095s, more than a tenth of the keepalive"}
	for i := range all[4].Trials {
		all[4].Trials[i].Groups = append(dead(&result.Spread{Min: 10000 * msNs, Median: 10001 * msNs, Max: 10020 * msNs}, 5), living(10000*msNs, 5, 5)...)
	}
	layer := func(name, engine string, covered int) result.Tune {
		s := setupOf(result.TuneLayers, engine, 1000*msNs, 333*msNs, covered)
		s.Name = name
		return s
	}
	return append(all,
		layer("upgrader only, HTTP layer's default", "nbio:httpkeepalive=0:keepalive=1s:ping=333ms", 0),
		layer("only pongs move the deadline", "gorilla:keepalive=1s:ping=333ms:refresh=pong", 5))
}

func tunedWrites() []result.Tune {
	write := func(engine, policy string, timeout int64, damage result.TuneDamage, slow int) result.Tune {
		s := result.Tune{Part: result.TuneWrite, Engine: engine, Policy: policy, WriteTimeoutNs: timeout}
		for n := 1; n <= 2; n++ {
			slowly := result.TuneGroup{Behaviour: "slow", Kind: result.GroupCovered, Clients: 5, Closed: slow}
			if slow > 0 {
				slowly.Reasons = map[string]int{"write timeout": slow}
				slowly.AfterNs = &result.Spread{Min: timeout, Median: timeout, Max: timeout + msNs}
			}
			s.Trials = append(s.Trials, result.TuneTrial{Trial: n, ObservedNs: 9e9, Write: &damage, Groups: []result.TuneGroup{
				slowly, {Behaviour: "nothing sent", Kind: result.GroupCovered, Clients: 5}}})
		}
		return s
	}
	jammed := func(late int, by string, after, held int64) result.TuneDamage {
		return result.TuneDamage{Clients: 200, LateClients: late, Resolvable: true, Jammed: true, EvictedBy: by, EvictAfterNs: after,
			HeldBytesMax: held, WorstNs: 1050 * msNs}
	}
	endless := jammed(200, "", 0, 0)
	endless.Bounded, endless.WorstNs = true, 9e9
	fuzzy := jammed(12, "write timeout", 104*msNs, 9728)
	fuzzy.Resolvable = false
	calm := jammed(0, "", 0, 0)
	calm.Jammed = false
	return []result.Tune{
		write("gorilla:writetimeout=100ms", "enforced", 100*msNs, fuzzy, 5),
		write("gorilla:writetimeout=1s", "enforced", 1000*msNs, jammed(200, "write timeout", 1002*msNs, 0), 0),
		write("gorilla:deadline=none:writetimeout=0s", "none", 0, endless, 0),
		write("nbio:deadline=native:writetimeout=1s", "native", 1000*msNs, jammed(0, "", 0, 9728), 0),
		write("nbio:deadline=once:writetimeout=1s", "once", 1000*msNs, jammed(0, "write timeout", 1010*msNs, 9728), 5),
		write("nbio:deadline=none:pendingcap=1MiB:writetimeout=0s", "cap", 0, jammed(0, "write overflow", 3010*msNs, 1<<20), 0),
		write("nbio:writetimeout=5s", "enforced", 5000*msNs, calm, 0),
	}
}
