//go:build linux

package main

import (
	"time"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
)

// behaviour is how a group of clients behaves while a set-up of `compare tune` is watched.
type behaviour struct {
	name  string
	kind  string // a clientfleet kind; "": the clients of a process that is killed
	dead  bool   // it is to be noticed
	deaf  bool   // the server has no message handler for it
	apart bool   // it is in no round: what it gets is a burst, or nothing

	// shape adds what the kind needs; nil: nothing.
	shape func(*tuneSetup, *clientfleet.Extra)
	// covered says whether such a client, which is alive, could be kept with this kind of deadline and the right ping interval: then
	// closing it is a false kill, whatever interval the set-up has.
	covered func(*tuneSetup) bool
	// backlog is how many bytes are sent to it at once, in messages of so many bytes (0: those of a round); then come so many
	// more messages, steadyEvery after each other.
	backlog, message, then int
}

func every(share float64) func(*tuneSetup, *clientfleet.Extra) {
	return func(s *tuneSetup, e *clientfleet.Extra) { e.Every = scaled(s.pulse(), share) }
}

// pulse is what the behaviours go by: the keepalive, or the second where there is none.
func (s *tuneSetup) pulse() time.Duration {
	if s.keepalive > 0 {
		return s.keepalive
	}
	return time.Second
}

func scaled(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }

// The shares of the keepalive at which clients do things. Delayed pongs are those of the well-known report: 7 s of 60 s.
const (
	heartbeatShare = 1. / 3
	dribbleShare   = 1. / 10
	pongDelayShare = 7. / 60
	blockShare     = 1.6
	backlogShare   = 2.5 // how long a slow reader takes for its backlog
)

const backlogBytes = 2 << 20

// behaviours are all groups, in report order.
func behaviours() []behaviour {
	return []behaviour{
		{name: "only receives", kind: clientfleet.Mute, covered: (*tuneSetup).patient},
		{name: "answers pings", kind: clientfleet.Answers, covered: always},
		{name: "sends heartbeats", kind: clientfleet.Heartbeat, shape: every(heartbeatShare), covered: always},
		{name: "sends text", kind: clientfleet.Text, shape: every(heartbeatShare), covered: (*tuneSetup).hears},
		{name: "sends text, no handler", kind: clientfleet.Text, deaf: true, shape: every(heartbeatShare),
			covered: func(s *tuneSetup) bool { return s.patient() || s.anyFrame && s.engine.Name != "nbio" }},
		{name: "sends endless fragments", kind: clientfleet.Fragments, shape: every(heartbeatShare), covered: (*tuneSetup).patient},
		{name: "sends byte by byte", kind: clientfleet.Dribble, shape: every(dribbleShare), covered: (*tuneSetup).patient},
		{name: "slow behind a backlog", kind: clientfleet.Slow, apart: true, backlog: backlogBytes, covered: (*tuneSetup).bounded,
			shape: func(s *tuneSetup, e *clientfleet.Extra) {
				e.Rate = int64(backlogBytes / scaled(s.pulse(), backlogShare).Seconds())
			}},
		{name: "handler blocks 1.6 K", kind: clientfleet.Answers, covered: (*tuneSetup).patient,
			shape: func(s *tuneSetup, e *clientfleet.Extra) {
				e.Announce = "block " + scaled(s.pulse(), blockShare).String()
			}},
		{name: "pongs delayed", kind: clientfleet.Late,
			shape:   func(s *tuneSetup, e *clientfleet.Extra) { e.Delay = scaled(s.pulse(), pongDelayShare) },
			covered: always},
		{name: "vanishes", kind: clientfleet.Vanished, dead: true},
		{name: "frozen", kind: clientfleet.Stuck, dead: true},
		{name: "process dies", dead: true},
	}
}

// patient: no read deadline, which closes nobody.
func (s *tuneSetup) patient() bool { return s.keepalive == 0 }

func always(*tuneSetup) bool { return true }

// hears: a client that sends messages is heard in time.
func (s *tuneSetup) hears() bool { return s.patient() || s.anyFrame }

// bounded: no ping waits for longer than the keepalive leaves behind what is still to be read.
func (s *tuneSetup) bounded() bool { return s.patient() || s.gate > 0 }

// pick returns the named behaviours.
func pick(names ...string) []behaviour {
	var out []behaviour
	for _, name := range names {
		for _, b := range behaviours() {
			if b.name == name {
				out = append(out, b)
			}
		}
	}
	return out
}

// group is the kind of a group in the results.
func (b *behaviour) group(s *tuneSetup) string {
	switch {
	case b.kind == "":
		return result.GroupEnded
	case b.dead:
		return result.GroupDead
	case b.covered(s):
		return result.GroupCovered
	}
	return result.GroupUncovered
}
