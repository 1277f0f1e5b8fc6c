//go:build linux

package main

import (
	"fmt"
	"strings"
	"time"

	"wsfanout/compare/result"
	"wsfanout/engines"
)

// setups are the parts of tune that watch behaviours.
func (q *tuneRequest) setups() ([]tuneSetup, error) {
	p := &tunePlan{tuneRequest: q}
	for _, e := range q.engines {
		p.advice(e)
	}
	if q.all {
		for _, part := range []func(engines.Spec){p.grid, p.reference, p.layers} {
			for _, e := range q.engines {
				part(e)
			}
		}
	}
	return p.list, p.err
}

// tunePlan collects set-ups, and the first thing that is wrong with one.
type tunePlan struct {
	*tuneRequest
	list []tuneSetup
	err  error
}

// recommended is the keepalive and ping interval for a target: a tenth is left for timers and a busy machine, and of three
// pings in a row two may be lost.
func recommended(within time.Duration) (keepalive, ping time.Duration) {
	keepalive = scaled(within, 0.9).Truncate(time.Millisecond)
	return keepalive, keepalive / 3
}

// add completes a set-up: options are added to the engine's spec, the defaults are those of most parts.
func (p *tunePlan) add(e engines.Spec, options string, s tuneSetup) {
	if s.keepalive > 0 {
		options += ":keepalive=" + s.keepalive.String()
	}
	if s.ping > 0 {
		options += ":ping=" + s.ping.String()
	}
	var err error
	if s.engine, err = engines.Parse(e.String() + options); err == nil {
		var o engines.Options
		o, err = s.engine.Resolve(engines.Defaults{MaxPayload: tuneSize, MaxClients: 1})
		s.anyFrame = o.Refresh != engines.RefreshPong
	}
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("-engines: %w", err)
	}
	if s.groups == nil {
		s.groups = behaviours()
	}
	s.size, s.load = p.clients, p.load
	if s.observe == 0 {
		s.observe = 2*s.pulse() + 500*time.Millisecond
	}
	switch {
	case s.keepalive == 0 || s.predicted != nil:
	case s.ping == 0:
		s.predicted = &[2]int64{0, int64(s.keepalive)}
	case s.ping >= s.keepalive:
		s.doubt = fmt.Sprintf("ping=%v does not come before keepalive=%v: every client that only answers pings will be closed; want at most %v",
			s.ping, s.keepalive, s.keepalive/3)
	default:
		s.predicted = &[2]int64{int64(s.keepalive - s.ping), int64(s.keepalive)}
	}
	p.list = append(p.list, s)
}

func (p *tunePlan) advice(e engines.Spec) {
	k, ping := recommended(p.within)
	k, ping = scaled(k, 1/p.scale), scaled(ping, 1/p.scale)
	options := ""
	if e.Name == "gorilla" {
		options = ":refresh=pong" // what the library's example does, and the snippet
	}
	p.add(e, options, tuneSetup{part: result.TuneAdvice, keepalive: k, ping: ping})
}

func (p *tunePlan) grid(e engines.Spec) {
	for _, k := range p.keepalives {
		for _, text := range p.pings {
			ping, err := pingOf(text, k)
			if err != nil {
				p.err = err
			}
			p.add(e, "", tuneSetup{part: result.TuneGrid, keepalive: k, ping: ping})
		}
	}
}

// referenceScale is by how much the reference's own times are divided at most.
const referenceScale = 5

// reference is the table of the published experiment, and TCP_USER_TIMEOUT beside it.
func (p *tunePlan) reference(e engines.Spec) {
	by := time.Duration(1)
	tuned, probes := ":tcpkeepalive=5s/2s/3", probeWindow(5*time.Second, 2*time.Second, 3)
	if p.scale > 1 {
		by = referenceScale
		tuned, probes = ":tcpkeepalive=1s/1s/3", probeWindow(time.Second, time.Second, 3) // the kernel counts in seconds
	}
	row := func(name, options string, s tuneSetup) {
		s.part, s.name = result.TuneReference, name
		if p.load && strings.Contains(options, "tcpkeepalive=1") || p.load && strings.Contains(options, "tcpkeepalive=5") {
			s.predicted = nil
			s.doubt = "while rounds go out the kernel probes nobody: what was sent and not acknowledged comes first"
		}
		s.groups = pick("answers pings", "vanishes", "process dies")
		p.add(e, options, s)
	}
	row("ping and pong wait", "", tuneSetup{keepalive: 8 * time.Second / by, ping: 5 * time.Second / by})
	row("TCP keepalive, tuned", tuned, tuneSetup{predicted: probes, observe: time.Duration(probes[1]) + 2*time.Second})
	// net.Listen's, and so net/http's. It is the same at every scale, and takes two and a half minutes beside the others.
	row("TCP keepalive, default", ":tcpkeepalive=15s/15s/9", tuneSetup{
		predicted: probeWindow(15*time.Second, 15*time.Second, 9), observe: 156 * time.Second,
	})
	user := 10 * time.Second / by
	row("TCP_USER_TIMEOUT and pings", ":tcpkeepalive=off:usertimeout="+user.String(), tuneSetup{
		ping: user / 4, predicted: &[2]int64{int64(user), int64(user + user/4 + user/2)}, observe: 3 * user,
	})
	row("read deadline, no ping", "", tuneSetup{keepalive: 10 * time.Second / by})
	row("nothing at all", ":tcpkeepalive=off", tuneSetup{never: true, observe: 40 * time.Second / by})
}

// probeWindow is when TCP keepalive notices: at least after all probes, at most after the idle time as well. The kernel's timers
// may be late by a hundredth, and by a few ticks.
func probeWindow(idle, interval time.Duration, probes int) *[2]int64 {
	least := time.Duration(probes) * interval
	return &[2]int64{int64(least), int64(scaled(idle+least, 1.01) + 250*time.Millisecond)}
}

// libraryKeepalive is what nbio sets where nobody says anything, in both layers.
const libraryKeepalive = 120 * time.Second

// layers are the two places where nbio has a KeepaliveTime, and the two ways to move gorilla's deadline.
func (p *tunePlan) layers(e engines.Spec) {
	k := time.Second
	left := max(libraryKeepalive/time.Duration(max(p.scale, 40)), 3*time.Second)
	row := func(name, options string, s tuneSetup) {
		s.part, s.name, s.observe = result.TuneLayers, name, left+time.Second
		if s.groups == nil {
			s.groups = pick("only receives", "answers pings", "sends text", "vanishes")
		}
		p.add(e, options, s)
	}
	switch e.Name {
	case "nbio":
		row("Upgrader K, Config at its default", ":httpkeepalive=0", tuneSetup{keepalive: k})
		row("Upgrader at its default, Config K", ":httpkeepalive="+k.String(), tuneSetup{keepalive: left})
		row("Upgrader 0, Config K", ":httpkeepalive="+k.String(), tuneSetup{})
		row("Upgrader K, Config K", ":httpkeepalive="+k.String(), tuneSetup{keepalive: k})
		bounded := tuneSetup{keepalive: 2 * k, ping: k / 2, groups: pick("slow behind a backlog", "answers pings")}
		row("a backlog without bound", "", bounded)
		// What is skipped above 64 KiB and what a small send buffer holds is read within K.
		bounded.sndbuf, bounded.gate = 16<<10, 64<<10
		row("a bounded backlog", "", bounded)
	case "gorilla":
		row("any frame moves the deadline", ":refresh=any", tuneSetup{keepalive: k, ping: k / 3})
		row("only pongs move the deadline", ":refresh=pong", tuneSetup{keepalive: k, ping: k / 3})
	}
}

// time is about how long a set-up takes of the whole.
func (s *tuneSetup) time() time.Duration {
	if s.alone {
		return s.whole()
	}
	return s.whole() / besides
}

// whole is about how long it takes by itself.
func (s *tuneSetup) whole() time.Duration {
	return time.Second + max(s.ping, s.pulse()/4) + s.observe
}

// longest is about how long the set-ups take at least, however many run at a time.
func longest(setups []tuneSetup) time.Duration {
	var d time.Duration
	for i := range setups {
		d = max(d, setups[i].whole())
	}
	return d
}
