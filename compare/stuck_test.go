package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"wsfanout/compare/result"
)

// stuckCase is a handed case: a cell with clients that misbehave.
type stuckCase struct {
	name  string
	args  string
	check func(t *testing.T, trial result.Trial)
}

const stuckArgs = "-clients 100 -interval 60ms -rounds 12 -warmup 1 -write-timeout 400ms -strategies "

func runStuckCases(t *testing.T, cases []stuckCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if strings.Contains(c.args, "nbio") && !slices.Contains(testedEngines(), "nbio") {
				t.Skip(nbioUnderRace)
			}
			trial := cellOf(t, stuckArgs+c.args, nil)
			if trial.Error != "" {
				t.Fatal(trial.Error)
			}
			if err := trial.Stuck.Check(); err != nil {
				t.Error(err)
			}
			c.check(t, trial)
		})
	}
}

func theOne(trial result.Trial) result.JamClient { return trial.Stuck.Jam.Clients[0] }

func wantLate(t *testing.T, trial result.Trial, want int) {
	t.Helper()
	if b := trial.Stuck.Blast; !b.Resolvable || *b.LateClients != want {
		t.Errorf("late clients %s (control %d), want %d", show(b.LateClients), b.Control, want)
	}
}

// TestHandedStuckCases are the situations of public reports about slow and stuck clients.
func TestHandedStuckCases(t *testing.T) {
	if testing.Short() {
		t.Skip("the race run has TestStuckClientBlastRadius; these cases need no detector")
	}
	runStuckCases(t, []stuckCase{
		// kubestellar/console#7957: one stall of about D, everybody behind it late, later rounds as before.
		{"one stall of about D", "seq -engines gorilla", func(t *testing.T, trial result.Trial) {
			wantLate(t, trial, 100)
			stalls := 0
			for _, r := range trial.Stuck.RoundsDetail {
				if r.HubNs > int64(200*time.Millisecond) {
					stalls++
				}
			}
			if stalls != 1 || trial.Stuck.Hub.Max < int64(380*time.Millisecond) {
				t.Errorf("%d rounds stalled, the worst for %d ms; want one of about 400 ms", stalls, trial.Stuck.Hub.Max/1e6)
			}
			if last := trial.Stuck.RoundsDetail[11]; last.LastNs > int64(200*time.Millisecond) {
				t.Errorf("the last round took %d ms: want it as before the stall", last.LastNs/1e6)
			}
		}},
		// nats-server#2631, #2679: k = 3 costs about k x D in total.
		{"three stuck clients cost three times D", "seq -engines gorilla -stuck 3 -rounds 25", func(t *testing.T, trial result.Trial) {
			wantLate(t, trial, 100)
			var stalled int64
			for _, r := range trial.Stuck.RoundsDetail {
				if r.HubNs > int64(200*time.Millisecond) {
					stalled += r.HubNs
				}
			}
			if stalled < int64(1100*time.Millisecond) || stalled > int64(1800*time.Millisecond) {
				t.Errorf("the hub stalled for %d ms in total, want about 1,200", stalled/1e6)
			}
		}},
		// The same with shards: numbers 0, 1 and 2 are stuck; only the shards 0, 1 and 2 of 10 are late.
		{"only shards that hold a stuck client are late", "shard:10 -engines gorilla -stuck 3", func(t *testing.T, trial result.Trial) {
			wantLate(t, trial, 30) // 103 numbers in 10 shards: 11 less the stuck one in each of three
		}},
		// gnacho/netpulse#200: D above the interval; the latency from the schedule shows the rounds it swallowed.
		{"the schedule shows swallowed rounds", "seq -engines gorilla", func(t *testing.T, trial result.Trial) {
			if trial.Stuck.Blast.LateRounds < 2 {
				t.Errorf("%d late rounds, want several: D is six intervals", trial.Stuck.Blast.LateRounds)
			}
			if due, real := trial.Stuck.LatencyDue, trial.Stuck.Latency; due.P90 < 2*real.P90 {
				t.Errorf("p90 from the schedule %d ms, from the real start %d ms: want the stall in the first",
					due.P90/1e6, real.P90/1e6)
			}
		}},
		// chatml PR#117, #119: no timeout; drops only for the stuck one.
		{"chan drops only for the stuck client", "chan:8 -engines gorilla:writetimeout=0 -rounds 40", func(t *testing.T, trial result.Trial) {
			wantLate(t, trial, 0)
			one := theOne(trial)
			if one.NoticedBy != "queue full" || one.Drops == 0 || one.EvictedBy != "" || one.QueuedMax != 9 {
				t.Errorf("%+v, want drops by a full queue of 8 and one in flight, and no eviction", one)
			}
			if trial.Stuck.Dropped != 0 {
				t.Errorf("%d messages dropped for healthy clients", trial.Stuck.Dropped)
			}
		}},
		// The same with D: the eviction comes before the queue is full.
		{"the drop cannot act before the eviction", "chan -engines gorilla", func(t *testing.T, trial result.Trial) {
			if one := theOne(trial); one.EvictedBy != "write timeout" || one.Drops != 0 || one.QueuedMax == 0 {
				t.Errorf("%+v, want an eviction, no drop, and some messages queued", one)
			}
		}},
		// nbio#255, #264: no cap: memory grows by rate x size, nobody is harmed.
		{"nbio without a timeout holds every byte", "seq -engines nbio:writetimeout=0 -rounds 30", func(t *testing.T, trial result.Trial) {
			wantLate(t, trial, 0)
			one := theOne(trial)
			if one.EvictedBy != "" || one.HeldBytesMax < 20*1028 || one.HeldBytesMax > 30*1028 {
				t.Errorf("%+v, want no eviction and 20 to 30 messages of 1,028 B held", one)
			}
			if *trial.Recovery != (result.Recovery{Members: 1, FDs: 1}) {
				t.Errorf("recovery %+v: the stuck client is still a member", *trial.Recovery)
			}
		}},
		{"a pending cap evicts by write overflow", "seq -engines nbio:pendingcap=16KiB:writetimeout=0 -rounds 30", func(t *testing.T, trial result.Trial) {
			wantLate(t, trial, 0)
			if one := theOne(trial); one.EvictedBy != "write overflow" || one.HeldBytesMax > 16<<10 || one.HeldBytesMax < 14<<10 {
				t.Errorf("%+v, want write overflow with about 16 KiB held", one)
			}
		}},
		// nbio's own deadline comment: every round arms the one deadline anew.
		{"nbio native never evicts while rounds come", "seq -engines nbio:deadline=native -rounds 25", func(t *testing.T, trial result.Trial) {
			wantLate(t, trial, 0)
			if one := theOne(trial); one.EvictedBy != "" || one.NoticedBy != "" || one.HeldBytesMax < 15*1028 {
				t.Errorf("%+v, want nobody to notice and pending to grow", one)
			}
		}},
		{"gorilla native evicts after D", "chan -engines gorilla:deadline=native", func(t *testing.T, trial result.Trial) {
			if one := theOne(trial); one.EvictedBy != "write timeout" {
				t.Errorf("%+v, want a write timeout", one)
			}
		}},
		{"nbio enforced evicts after D", "chan -engines nbio", func(t *testing.T, trial result.Trial) {
			if one := theOne(trial); one.EvictedBy != "write timeout" || *one.EvictAfterNs > int64(900*time.Millisecond) {
				t.Errorf("%+v, want a write timeout after about 400 ms", one)
			}
		}},
		// The drop cannot act on an engine that never blocks; a gate is the counterpart.
		{"nbio chan never drops", "chan -engines nbio:writetimeout=0 -rounds 30", func(t *testing.T, trial result.Trial) {
			if one := theOne(trial); one.Drops != 0 || one.HeldBytesMax < 20*1028 {
				t.Errorf("%+v, want no drops and growing memory", one)
			}
		}},
		{"a gate keeps nbio flat", "chan:64:gate=8KiB -engines nbio:writetimeout=0 -rounds 40", func(t *testing.T, trial result.Trial) {
			if one := theOne(trial); one.Drops == 0 || one.HeldBytesMax > 8<<10+3*1028 {
				t.Errorf("%+v, want drops and about 8 KiB held", one)
			}
		}},
		// TCP_USER_TIMEOUT evicts with no code in the application, on either engine.
		{"user timeout on gorilla", "chan -engines gorilla:usertimeout=500ms:writetimeout=0", userTimeout},
		{"user timeout on nbio", "seq -engines nbio:usertimeout=500ms:writetimeout=0", userTimeout},
		// No deadline at all: the run bounds the hang and says how many rounds never started.
		{"gorilla none hangs the hub", "seq -engines gorilla:deadline=none", func(t *testing.T, trial result.Trial) {
			one := theOne(trial)
			if !one.Bounded || one.EvictedBy != "" || one.NoticedBy != "" {
				t.Errorf("%+v, want it ended by the run and noticed by nobody", one)
			}
			if started := len(trial.Stuck.RoundsDetail); started >= 12 || trial.Stuck.Failed != int64(12-started)*100 {
				t.Errorf("%d rounds started, %d messages failed: want the rounds that never started to count", started, trial.Stuck.Failed)
			}
		}},
		// -vanish: no acknowledgement, no FIN.
		{"a vanished client is evicted like a stuck one", "chan -engines gorilla -stuck 0 -vanish 1", func(t *testing.T, trial result.Trial) {
			if one := theOne(trial); one.EvictedBy != "write timeout" || trial.Stuck.Others[0].Kind != "vanished" {
				t.Errorf("%+v %+v", one, trial.Stuck.Others)
			}
		}},
		{"a slow client lives on both engines", "seq -engines gorilla -stuck 0 -slow 1 -slow-rate 64KiB", slowLives},
		{"a slow client lives on nbio", "seq -engines nbio -stuck 0 -slow 1 -slow-rate 64KiB", slowLives},
		// Away for less than D: it must survive with its stream intact. 12 rounds of 60 ms bound the absence.
		{"a resumed client recovers", "chan -engines gorilla -resume 900ms -write-timeout 800ms -rounds 20", resumed},
		{"a resumed client recovers on nbio", "seq -engines nbio -resume 900ms -write-timeout 800ms -rounds 20", resumed},
	})
}

func userTimeout(t *testing.T, trial result.Trial) {
	if one := theOne(trial); one.EvictedBy != "user timeout" {
		t.Errorf("%+v, want the user timeout", one)
	}
}

func slowLives(t *testing.T, trial result.Trial) {
	o := trial.Stuck.Others[0]
	if o.FalseKill != "" || o.Kind != "slow" || !strings.HasPrefix(o.Outcome, "alive, stream intact") || o.Received == 0 {
		t.Errorf("%+v, want it alive", o)
	}
	if sum := o.Received + o.Dropped + o.Failed + o.Owed; sum != o.Expected {
		t.Errorf("%+v: the ledger does not add up", o)
	}
	if trial.Stuck.Jam != nil {
		t.Errorf("a jam without a stuck client: %+v", trial.Stuck.Jam)
	}
}

func resumed(t *testing.T, trial result.Trial) {
	o := trial.Stuck.Others[0]
	if o.Kind != "resumed" || o.Outcome != "recovered, stream intact" || o.Received != o.Expected {
		t.Errorf("%+v, want everything received after the pause", o)
	}
	if !trial.Stuck.Jam.Jammed {
		t.Errorf("no jam was proven before it read again: %s", trial.Stuck.Jam.Arithmetic)
	}
}

// TestAClientThatNeverJamsIsNoProof is gorilla#885: default buffers hide it, and the tool says so with status 1.
func TestAClientThatNeverJamsIsNoProof(t *testing.T) {
	status, stdout, stderr := command(t, strings.Fields("-clients 50 -interval 30ms -rounds 4 -warmup 0 -trials 1 -write-timeout 200ms "+
		"-engines gorilla -strategies seq -stuck-buffers default -jam natural")...)
	if status != exitFailed || !strings.Contains(stderr, "never jammed") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{"never jammed", "NOT proven", "default kernel buffers"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestPlacesOfTheExtras(t *testing.T) {
	for _, row := range []struct {
		at    string
		first int
	}{{"first", 0}, {"middle", 50}, {"last", 100}} {
		b := misbehaviour{stuck: 2, slow: 1, at: row.at}
		got := b.places(100, 1)
		want := []extra{{row.first, "stuck"}, {row.first + 1, "stuck"}, {row.first + 2, "slow"}}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", row.at, got, want)
		}
		healthy := 0
		for _, r := range healthyRanges(103, got) {
			healthy += r.To - r.From
		}
		if healthy != 100 {
			t.Errorf("%s: %d healthy numbers, want 100", row.at, healthy)
		}
	}
	random := misbehaviour{stuck: 3, at: "random"}
	if a, b := random.places(100, 1), random.places(100, 1); !slices.Equal(a, b) || slices.Equal(a, random.places(100, 2)) {
		t.Error("random places must follow from the seed")
	}
}
