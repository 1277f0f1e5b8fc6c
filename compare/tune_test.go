package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wsfanout/compare/result"
	"wsfanout/engines"
)

// watched is a set-up that has been watched: what became of its groups, by behaviour.
type watched map[string]result.TuneGroup

// tuneCase is a handed case about keepalive: a set-up, and what must become of whom.
type tuneCase struct {
	name            string
	engine          string
	keepalive, ping time.Duration
	groups          []string
	sndbuf          int
	gate            int64
	check           func(t *testing.T, w watched)
}

const allOf = 4 // clients of each group

func alive(names ...string) func(*testing.T, watched) {
	return func(t *testing.T, w watched) {
		for _, name := range names {
			if g := w[name]; g.Closed != 0 {
				t.Errorf("%s: %d of %d closed: %v", name, g.Closed, g.Clients, g.Reasons)
			}
		}
	}
}

// killed: all of each group, for a read timeout, between so many shares of a keepalive after they began. They were heard
// last before that, some by less than others; timers are late on a busy machine.
func killed(k time.Duration, from, to float64, names ...string) func(*testing.T, watched) {
	return func(t *testing.T, w watched) {
		for _, name := range names {
			g := w[name]
			if g.Closed != allOf || g.Reasons["read timeout"] != allOf {
				t.Errorf("%s: %d of %d closed: %v", name, g.Closed, g.Clients, g.Reasons)
				continue
			}
			if g.AfterNs.Min < int64(scaled(k, from)) || g.AfterNs.Max > int64(scaled(k, to)) {
				t.Errorf("%s: closed %v to %v after, want %.2f to %.2f of %v", name, time.Duration(g.AfterNs.Min), time.Duration(g.AfterNs.Max), from, to, k)
			}
		}
	}
}

func both(checks ...func(*testing.T, watched)) func(*testing.T, watched) {
	return func(t *testing.T, w watched) {
		for _, c := range checks {
			c(t, w)
		}
	}
}

// TestHandedKeepaliveCases are the situations of public reports about keepalive. The reports' times are scaled down alike.
func TestHandedKeepaliveCases(t *testing.T) {
	if testing.Short() {
		t.Skip("a dozen seconds of waiting: it runs without -short")
	}
	k := time.Second
	cases := []tuneCase{
		{name: "nbio#191: only reads, no pings", engine: "nbio", keepalive: k, groups: []string{"only receives", "answers pings"},
			check: killed(k, 0.6, 1.25, "only receives", "answers pings")},
		{name: "nbio#191: no keepalive", engine: "nbio", groups: []string{"only receives", "answers pings"}, check: alive("only receives", "answers pings")},
		{name: "nbio#394: heartbeats of K/3", engine: "nbio", keepalive: k, groups: []string{"sends heartbeats", "sends text"},
			check: alive("sends heartbeats", "sends text")},
		{name: "nbio#394: pings of K/3", engine: "nbio", keepalive: k, ping: k / 3, groups: []string{"answers pings"}, check: alive("answers pings")},
		{name: "nbio#343: P above K", engine: "nbio", keepalive: k, ping: 3 * k / 2, groups: []string{"answers pings"}, check: killed(k, 0.6, 1.25, "answers pings")},
		{name: "gorilla#275: 60/54 and pongs delayed by 7", engine: "gorilla", keepalive: k, ping: 54 * k / 60, groups: []string{"pongs delayed"},
			check: killed(k, 0, 2.2, "pongs delayed")},
		{name: "gorilla#275: 60/20 and pongs delayed by 7", engine: "gorilla", keepalive: k, ping: k / 3, groups: []string{"pongs delayed"}, check: alive("pongs delayed")},
		{name: "gorilla#498: data and no pongs, deadline moved by pongs", engine: "gorilla:refresh=pong", keepalive: k, ping: k / 3,
			groups: []string{"sends text"}, check: killed(k, 0.4, 1.25, "sends text")},
		{name: "gorilla#498: data and no pongs, nbio", engine: "nbio", keepalive: k, ping: k / 3, groups: []string{"sends text"}, check: alive("sends text")},
		{name: "WebSocket-Node#229: a ping behind a burst", engine: "nbio", keepalive: 2 * k, ping: k / 2, groups: []string{"slow behind a backlog"},
			check: killed(2*k, 0.6, 1.25, "slow behind a backlog")},
		{name: "WebSocket-Node#229: a bounded backlog", engine: "nbio", keepalive: 2 * k, ping: k / 2, groups: []string{"slow behind a backlog"},
			sndbuf: 16 << 10, gate: 64 << 10, check: alive("slow behind a backlog")},
		{name: "cowboy#1675: a handler that blocks, gorilla", engine: "gorilla", keepalive: k, ping: k / 3, groups: []string{"handler blocks 1.6 K"},
			check: killed(k, 0, 2.5, "handler blocks 1.6 K")},
		{name: "cowboy#1675: a handler that blocks, nbio hears of it when it returns", engine: "nbio", keepalive: k, ping: k / 3,
			groups: []string{"handler blocks 1.6 K"}, check: killed(k, 1.5, 2.5, "handler blocks 1.6 K")},
		{name: "the behaviour table", engine: "nbio", keepalive: k, ping: k / 3, groups: []string{"only receives", "answers pings", "sends text",
			"sends text, no handler", "sends endless fragments", "sends byte by byte", "vanishes", "process dies"},
			check: both(alive("answers pings", "sends text"), killed(k, 0.4, 1.25, "only receives", "sends text, no handler", "sends endless fragments",
				"sends byte by byte"), killed(k, 0.5, 1.25, "vanishes"), dies)},
		{name: "detection on gorilla", engine: "gorilla:refresh=pong", keepalive: k, ping: k / 3, groups: []string{"answers pings", "vanishes", "frozen", "process dies"},
			check: both(alive("answers pings"), killed(k, 0.5, 1.25, "vanishes", "frozen"), dies)},
		{name: "a read deadline without pings", engine: "gorilla", keepalive: k, groups: []string{"answers pings"}, check: killed(k, 0.6, 1.25, "answers pings")},
		{name: "TCP keepalive", engine: "gorilla:tcpkeepalive=1s/1s/1", groups: []string{"answers pings", "vanishes"},
			check: both(alive("answers pings"), func(t *testing.T, w watched) {
				if g := w["vanishes"]; g.Closed != allOf || g.Reasons["tcp keepalive"] != allOf {
					t.Errorf("vanished: %+v", g)
				}
			})},
		{name: "nothing at all", engine: "gorilla:tcpkeepalive=off", groups: []string{"answers pings", "vanishes"}, check: alive("answers pings", "vanishes")},
	}
	results := watchAll(t, cases)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if results[i] == nil {
				t.Skip(nbioUnderRace)
			}
			c.check(t, results[i])
		})
	}
}

// dies: FIN or RST tells at once, in every set-up.
func dies(t *testing.T, w watched) {
	if g := w["process dies"]; g.Closed != allOf || g.Reasons["closed by peer"] != allOf || g.AfterNs.Max > int64(500*time.Millisecond) {
		t.Errorf("process dies: %+v %+v", g, g.AfterNs)
	}
}

// watchAll watches all set-ups, six at a time: they mostly wait. The result of one that cannot run here is nil.
func watchAll(t *testing.T, cases []tuneCase) []watched {
	out := make([]watched, len(cases))
	slots := make(chan struct{}, 6)
	var all sync.WaitGroup
	for i, c := range cases {
		if strings.HasPrefix(c.engine, "nbio") && !slices.Contains(testedEngines(), "nbio") {
			continue
		}
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			p := &tunePlan{tuneRequest: &tuneRequest{clients: allOf}}
			spec, err := engines.Parse(c.engine)
			if err != nil {
				t.Error(err)
				return
			}
			p.add(spec, "", tuneSetup{keepalive: c.keepalive, ping: c.ping, groups: pick(c.groups...), sndbuf: c.sndbuf, gate: c.gate})
			r := &tuneRun{tuneSetup: p.list[0], seed: 1}
			if err := r.run(t.Context()); err != nil || p.err != nil {
				t.Errorf("%s: %v %v", c.name, err, p.err)
			}
			out[i] = watched{}
			for _, g := range r.groupsSeen() {
				out[i][g.Behaviour] = g
			}
		})
	}
	all.Wait()
	return out
}

func TestTunePlans(t *testing.T) {
	q, err := parseTune(strings.Fields("-all -keepalive 1s,2s -ping 0,K/3,K -detect-within 10s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	setups, err := q.setups()
	if err != nil {
		t.Fatal(err)
	}
	parts, doubts := map[string]int{}, 0
	for _, s := range setups {
		parts[s.part]++
		if s.doubt != "" {
			doubts++
			if s.ping < s.keepalive || s.predicted != nil {
				t.Errorf("%s: %s, predicted %v", s.engine, s.doubt, s.predicted)
			}
		}
	}
	if want := map[string]int{result.TuneAdvice: 2, result.TuneGrid: 12, result.TuneReference: 12, result.TuneLayers: 8}; fmt.Sprint(parts) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", parts, want)
	}
	if doubts != 4 { // two engines, two keepalives
		t.Errorf("%d set-ups are doubted", doubts)
	}
	if k, p := recommended(30 * time.Second); k != 27*time.Second || p != 9*time.Second {
		t.Errorf("%v and %v", k, p)
	}
	if n := len(q.writeSetups()); n != 21 { // gorilla has no cap
		t.Errorf("%d write set-ups", n)
	}
}

// The whole verb once, and a set-up that must fail: it says so before it runs.
func TestTuneQuick(t *testing.T) {
	status, stdout, stderr := command(t, strings.Fields("tune -quick -clients 2 -engines gorilla -progress off -o "+t.TempDir()+"/t.json")...)
	if status != exitOK || !strings.Contains(stdout, "pong wait 27 s, ping period 9 s") || !strings.Contains(stdout, "pongWait   = 27 * time.Second") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

func TestTuneUnderLoad(t *testing.T) {
	p := &tunePlan{tuneRequest: &tuneRequest{clients: allOf, load: true}}
	spec, _ := engines.Parse("gorilla")
	p.add(spec, "", tuneSetup{keepalive: time.Second, ping: time.Second / 3, groups: pick("answers pings", "vanishes", "process dies")})
	r := &tuneRun{tuneSetup: p.list[0], seed: 1}
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := watched{}
	for _, g := range r.groupsSeen() {
		w[g.Behaviour] = g
	}
	both(alive("answers pings"), dies)(t, w)
	if w["vanishes"].Closed != allOf {
		t.Errorf("%+v", w["vanishes"])
	}
}
