package report

import "fmt"

// planFacts are those of a plan that this experiment looked at.
func (t *tuned) planFacts() []keyed {
	within, load := "not asked", "no"
	if t.Plan.DetectWithinNs > 0 {
		within = t.target()
	}
	if t.Plan.UnderLoad {
		load = "yes"
		if t.Plan.IntervalNs > 0 { // which files of before do not say
			load += fmt.Sprintf(": a round of %s every %s", sizeText(t.Plan), exact(float64(t.Plan.IntervalNs)))
		}
	}
	return []keyed{
		{"notice the dead within", within}, {"times divided by", shortNumber(t.scale())}, {"under load", load},
		{"trials", fmt.Sprintf("%d, each with fresh processes (seed %d)", t.Plan.Trials, t.Plan.Seed)},
		{"GOMAXPROCS", count(float64(t.Plan.GOMAXPROCS))},
	}
}

var tuneMethod = []string{
	"A set-up is one engine with its deadlines and pings. Every set-up of every trial has two fresh processes, the server and a fleet of clients that shares no code with either library.",
	"Groups of clients behave differently in the same run. The living do so from the begin of the watch, the dead die each at an instant of its own, spread over a ping interval; the fleet says when it began, the server says when and why it closed the connection. Both clocks are CLOCK_MONOTONIC, which all processes of a host share, so the difference needs no correction. The times of the living count from the begin of the watch, which is up to K after they were last heard.",
	"A dead peer sends no FIN and no RST: its kernel drops every segment, or it never reads. A peer whose process ends is told apart, because its kernel says so at once.",
	"A set-up with keepalive K and ping interval P notices a silent peer between K-P and K after its death: its last sign of life came at most P before.",
	"A false kill is a client that was closed although it was alive and this kind of deadline can keep it with the right ping interval, whatever interval the set-up has, or that was closed before it died. Accepted is the close of a living client that this kind of deadline cannot tell from a dead one, whatever the interval.",
	"The least and the most are of all clients of all trials, the median is that of the trials' medians. A set-up that was expected to fail was marked before it ran.",
}

var tuneLimits = []string{
	"Everything runs on one host over loopback: no distance, no loss, no congestion. What a real network adds to a round trip comes out of the margin.",
	"Times were divided where the page says so. Timers, schedulers and handshakes do not shrink with them, so a divided run is stricter than a real one. Its rates and costs are those of the divided times: at 1/10 there are ten times as many frames.",
	"False kills were looked for among the behaviours listed, and only for as long as the run was.",
}
