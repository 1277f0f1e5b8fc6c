package report

import "wsfanout/compare/result"

// echoedFile has two engines, one of which cannot do the rate, one that failed, and one without a trial.
func echoedFile(trials int) *result.File {
	f := experimentFile("echo", trials, "gorilla", "nbio", "gobwas:mode=goroutine", "gobwas")
	f.Plan.Clients, f.Plan.OfferedPerSecond = 10_000, 10_000
	gorilla, nbio := result.Echo{Engine: "gorilla", Footnotes: []string{"no read deadline"}}, result.Echo{Engine: "nbio", Footnotes: []string{"no read deadline", "npoller is 2"}}
	for n := 1; n <= trials; n++ {
		gorilla.Trials = append(gorilla.Trials, echoTrial(n, 1, 10_000))
		nbio.Trials = append(nbio.Trials, echoTrial(n, 1.3, 8_900+float64(n)))
	}
	nbio.Trials[0].Warnings = nbio.Trials[0].Rate.Doubts()
	nbio.Trials[trials-1].Closed = nil
	f.Echo = []result.Echo{gorilla, nbio,
		{Engine: "gobwas:mode=goroutine", Trials: []result.EchoTrial{{Trial: 1, Error: "the server ended: too many open files"}}}, {Engine: "gobwas"}}
	return f
}

func echoTrial(trial int, slower, came float64) result.EchoTrial {
	wait := func(p50 float64) result.Latency {
		ns := int64(p50 * slower * (1 + float64(trial)/100))
		return result.Latency{N: 30_000, P50: ns, P90: 2 * ns, P99: 5 * ns, P999: 9 * ns, Max: 20 * ns}
	}
	due, lag := wait(150e3), wait(60e3)
	phase := result.EchoPhase{ServerUserNs: 9e3 * slower, ServerSystemNs: 20e3, FleetNs: 18e3, RSSBytes: 240 << 20, HeapBytes: 150 << 20, Goroutines: 10_007}
	rate, closed := phase, phase
	rate.AskedPerSecond, rate.PerSecond, rate.Sent, rate.Received = 10_000, came, 30_000, 30_000
	rate.LatencyNs, rate.LatencyDueNs, rate.SendLagNs = wait(120e3), &due, &lag
	closed.Outstanding, closed.PerSecond, closed.LatencyNs, closed.Lost = 1000, 41_000/slower, wait(24e6), 3
	return result.EchoTrial{Trial: trial, Connections: 10_000, ConnectPerSecond: 9_000 / slower, DialNs: wait(6e6), Rate: &rate, Closed: &closed}
}
