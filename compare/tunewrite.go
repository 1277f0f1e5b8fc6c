//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/engines"
)

// writeSetup is one write timeout policy of one engine: the damage of a client that stops reading, and whom else it closes.
type writeSetup struct {
	policy  string
	timeout time.Duration // 0: the policy has none
	engine  engines.Spec
	damage  *config   // a cell of the matrix
	kills   tuneSetup // living clients that a timeout could take for stuck
}

// The policies. A cap works only where writes do not block.
const (
	policyCap  = "cap"
	pendingCap = "8KiB"
	capped     = 4 << 10 // the largest message under the cap
)

// writeSetups are those of -all.
func (q *tuneRequest) writeSetups() []writeSetup {
	if !q.all {
		return nil
	}
	var out []writeSetup
	for _, e := range q.engines {
		for _, policy := range []string{engines.DeadlineEnforced, engines.DeadlineNative, engines.DeadlineOnce} {
			for _, d := range []time.Duration{100 * time.Millisecond, time.Second, 5 * time.Second} {
				out = q.addWrite(out, e, policy, d, ":deadline="+policy)
			}
		}
		out = q.addWrite(out, e, policyCap, 0, ":pendingcap="+pendingCap)
		out = q.addWrite(out, e, engines.DeadlineNone, 0, ":deadline=none")
	}
	return out
}

// addWrite adds a set-up, unless the engine has no such option.
func (q *tuneRequest) addWrite(list []writeSetup, e engines.Spec, policy string, d time.Duration, options string) []writeSetup {
	spec, err := engines.Parse(fmt.Sprintf("%s%s:writetimeout=%v", e, options, d))
	if err != nil {
		return list
	}
	w := writeSetup{policy: policy, timeout: d, engine: spec, kills: aliveUnder(spec, policy, d, q.clients)}
	if w.damage, err = damageUnder(spec, d); err != nil {
		return list
	}
	return append(list, w)
}

// damageUnder is a small cell of the matrix whose rounds go on for longer than the timeout and come more often: a fresh
// deadline before every write must have its chance to never fire.
func damageUnder(e engines.Spec, d time.Duration) (*config, error) {
	interval := min(max(d/2, 50*time.Millisecond), 500*time.Millisecond)
	if d == 0 {
		interval = 100 * time.Millisecond
	}
	rounds := max(8, int(3*d/2/interval))
	if d == 0 {
		rounds = 20 // more than the cap holds
	}
	args := fmt.Sprintf("-engines %s -strategies seq -clients 500 -interval %v -rounds %d -warmup 1 -write-timeout %v -stuck 1 -trials 1 -progress off",
		e, interval, rounds, d)
	return parseRun(strings.Fields(args), io.Discard)
}

// The steady client of the known counter-example: it reads 1 MiB/s, gets 256 KiB at once and then 0.94 MiB/s. With these
// buffers about half of the burst stays with the server.
const (
	steadyRate    = 1 << 20
	steadyBurst   = 256 << 10
	steadyMessage = 4 << 10
	steadyEvery   = 4150 * time.Microsecond
	oneMessage    = 2 << 20 // of the client that reads it as fast as it can
)

// aliveUnder is everybody whom a write timeout must not close.
func aliveUnder(e engines.Spec, policy string, d time.Duration, clients int) tuneSetup {
	one := oneMessage
	if policy == policyCap { // nbio refuses a message above its cap, whoever reads it
		one = capped
	}
	observe := 2*d + 2*time.Second
	return tuneSetup{
		part: result.TuneWrite, engine: e, alone: true, size: min(clients, 5), observe: observe, message: one,
		sndbuf: 16 << 10, recvbuf: 64 << 10, writeTimeout: d,
		groups: []behaviour{
			{name: "slow but alive", kind: clientfleet.Slow, apart: true, covered: always, backlog: steadyBurst, message: steadyMessage,
				then:  int(observe / steadyEvery),
				shape: func(_ *tuneSetup, c *clientfleet.Extra) { c.Rate = steadyRate }},
			{name: "one message, then silence", kind: clientfleet.Answers, apart: true, covered: always, backlog: one, message: one},
			{name: "nothing sent to it", kind: clientfleet.Answers, apart: true, covered: always},
		},
	}
}

func (w *writeSetup) time() time.Duration {
	return w.damage.cellTime() + w.kills.time() + 2*w.timeout + 2*time.Second
}

// writeTask measures both sides of a policy.
func (q *tuneRequest) writeTask(s *survey, w writeSetup) task {
	entry := len(s.file.Tune)
	s.file.Tune = append(s.file.Tune, result.Tune{
		Part: result.TuneWrite, Engine: w.engine.String(), Policy: w.policy, WriteTimeoutNs: int64(w.timeout), Trials: []result.TuneTrial{},
	})
	w.damage.cpus = q.cpus
	return task{name: w.engine.String(), measure: func(ctx context.Context, trial int) (func(), error) {
		t := result.TuneTrial{Trial: trial, Warnings: []string{}}
		err := w.measure(ctx, q, &t)
		if err != nil {
			t.Error = err.Error()
		}
		return func() { s.file.Tune[entry].Trials = append(s.file.Tune[entry].Trials, t) }, err
	}}
}

func (w *writeSetup) measure(ctx context.Context, q *tuneRequest, t *result.TuneTrial) error {
	cell := cell{engine: w.damage.engines[0], strategy: w.damage.strategies[0], matrix: matrix{clients: w.damage.clients, size: w.damage.size}}
	got := runTrial(ctx, w.damage, cell, t.Trial, func(string) {})
	if got.Error != "" {
		return fmt.Errorf("the damage: %s", got.Error)
	}
	t.Write = damageOf(&got, w.damage.clients)
	if got.Healthy != nil {
		for why, n := range got.Healthy.FalseKills {
			t.Warnings = append(t.Warnings, fmt.Sprintf("%d of %d members closed while everybody read: %s", n, w.damage.clients, why))
		}
	}
	r := &tuneRun{tuneSetup: w.kills, seed: q.seed*1_000_003 + uint64(t.Trial), cpus: q.cpus}
	if err := r.run(ctx); err != nil {
		return fmt.Errorf("the living: %w", err)
	}
	t.ObservedNs, t.Groups = r.ended-r.began, r.groupsSeen()
	return nil
}

// damageOf is what one trial of the cell says of the damage; nil if it never came to the stuck phase.
func damageOf(t *result.Trial, clients int) *result.TuneDamage {
	p := t.Stuck
	if p == nil || p.Blast == nil || p.Jam == nil || len(p.Jam.Clients) == 0 {
		return nil
	}
	c := p.Jam.Clients[0]
	w := &result.TuneDamage{
		Clients: clients, Resolvable: p.Blast.Resolvable, Jammed: p.Jam.Jammed, EvictedBy: c.EvictedBy,
		Bounded: c.Bounded || c.OnlyAtEnd || c.EvictedBy == "", HeldBytesMax: c.HeldBytesMax,
	}
	if p.Blast.LateClients != nil {
		w.LateClients = *p.Blast.LateClients
	}
	if c.EvictAfterNs != nil {
		w.EvictAfterNs = *c.EvictAfterNs
	}
	if p.Blast.WorstNs != nil {
		w.WorstNs = *p.Blast.WorstNs
	}
	return w
}
