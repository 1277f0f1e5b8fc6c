//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/engines"
	"wsfanout/serve"
)

// cellRun is one trial of one cell: a fresh fleet, a fresh server, the phases one after the other.
type cellRun struct {
	*config
	cell
	say     func(phase string) // progress; must be cheap
	options engines.Options
	extras  []extra

	fleet      fleets
	server     *child
	started    serve.Started
	startedAt  [2]time.Time // when "start" was asked and answered
	otherClock []bool       // of the fleets: theirs is not the server's
	addr       string       // of the server as the fleets see it
	settled    serve.Settled
	calm       []clientfleet.ClientSeen // the clients in the healthy phase: each one's own normal
	trial      result.Trial
	nextRound  uint32
}

// runTrial measures one cell once. Whatever goes wrong is in the trial's Error, and no process is left.
func runTrial(ctx context.Context, c *config, k cell, trial int, say func(string)) result.Trial {
	began := time.Now()
	c = c.at(k)
	r := &cellRun{config: c, cell: k, say: say, trial: result.Trial{Trial: trial, Warnings: []string{}}}
	r.extras = c.behave.places(c.clients, c.seed)
	if err := r.survive(ctx); err != nil {
		r.trial.Error = err.Error()
	}
	r.end()
	r.trial.WallNs = int64(time.Since(began))
	return r.trial
}

// survive is run, of which a bug costs one cell.
func (r *cellRun) survive(ctx context.Context) (err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("internal: %v", bug)
		}
	}()
	return r.run(ctx)
}

func (r *cellRun) run(ctx context.Context) (err error) {
	if r.options, err = r.engine.Resolve(r.engineDefaults()); err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"start", r.start}, {"connect", r.connect}, {"settle", r.settle}, {"warm-up", r.warmUp}, {"healthy", r.healthy},
		{"stuck", r.stuckPhase}, {"recover", r.recover}, {"teardown", r.teardown},
	} {
		r.say(step.name)
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// start brings up all processes, the fleets first, and finds out whether they share one clock.
func (r *cellRun) start(ctx context.Context) (err error) {
	if r.fleet, err = startFleets(ctx, r.fleetCarriers()); err != nil {
		return err
	}
	if r.server, err = reachChild(ctx, "server", "serve", r.engine.carrier(r.serverCarrier())); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errSlow)
	defer cancel()
	before, err := r.fleet.hosts(ctx)
	if err != nil {
		return err
	}
	r.startedAt[0] = time.Now()
	r.started, err = call[serve.Started](ctx, r.server, "start", serve.Plan{
		Engine: r.engine.planned(), Strategy: r.strategy.String(), Listen: r.listen, Clients: r.clients, Size: r.size,
		Seed: r.seed, Filling: r.filling(), WriteTimeout: r.writeTimeout, SendBuffer: r.sndbuf, Shards: r.shards, Order: r.order,
		Extras: r.forServer(), StuckSendBuffer: r.behave.sendBuffer(), Compress: r.compress, CertPEM: r.certPEM, KeyPEM: r.keyPEM,
		Apart: r.clockNumbers(),
	}, nil)
	if err != nil {
		return err
	}
	r.startedAt[1] = time.Now()
	if r.addr, err = r.seenAs(r.started.Addr); err != nil {
		return err
	}
	if err := believeStarted(&r.started); err != nil {
		return fmt.Errorf("%s: start: %w", r.server.name, err)
	}
	if r.told != nil {
		r.told(r.cell, r.started.Footnotes)
	}
	return r.compareClocks(ctx, before)
}

// errSlow is why a request that a child never answers is given up.
var errSlow = fmt.Errorf("no answer in time")

func (r *cellRun) connect(ctx context.Context) error {
	patience := 20*time.Second + time.Duration(r.clients)*2*time.Millisecond
	if r.tls {
		patience *= 2
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience+10*time.Second, errSlow)
	defer cancel()
	plan := r.fleetPlan(patience)
	got, err := r.fleet.connect(ctx, func(i int) clientfleet.Plan { return r.planOf(plan, i) })
	if err != nil {
		return err
	}
	r.trial.Connected, r.trial.ConnectNs = got.Connected-r.clockClients(), got.ConnectNs
	if got.Connected < got.Asked {
		return fmt.Errorf("%d of %d clients connected: %v", got.Connected, got.Asked, got.Errors)
	}
	return nil
}

func (r *cellRun) settle(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 30*time.Second, errSlow)
	defer cancel()
	if err := r.fleet.tell(ctx, "settle", nil); err != nil {
		return err
	}
	members := r.clients + len(r.extras) + r.clockClients()
	if r.settled, err = call[serve.Settled](ctx, r.server, "settle", serve.Settle{Members: members, Timeout: 10 * time.Second}, nil); err != nil {
		return err
	}
	if err := believeSettled(r.settled, members); err != nil {
		return fmt.Errorf("%s: settle: %w", r.server.name, err)
	}
	return r.askClocks(ctx)
}

func (r *cellRun) warmUp(ctx context.Context) error {
	if r.warmup == 0 {
		return nil
	}
	_, err := r.phase(ctx, serve.Phase{Kind: "warmup", Rounds: r.warmup, Pairs: !r.tls})
	return err
}

func (r *cellRun) healthy(ctx context.Context) error {
	m, err := r.phase(ctx, serve.Phase{Kind: "healthy", Rounds: r.rounds, Pairs: !r.tls})
	if err != nil {
		return err
	}
	r.calm = m.seen.Clients
	r.trial.Healthy, err = m.reduce()
	r.warn(m.warnings()...)
	return err
}

// stuckPhase measures the same members once more while the extras do not read.
func (r *cellRun) stuckPhase(ctx context.Context) error {
	if len(r.extras) == 0 {
		return nil
	}
	if err := r.fleet.tell(ctx, "misbehave", nil); err != nil {
		return err
	}
	m, err := r.phase(ctx, serve.Phase{Kind: "stuck", Rounds: r.rounds, Jam: r.behave.jam})
	if err != nil {
		return err
	}
	p, err := m.reduce()
	r.trial.Stuck = p
	r.warn(m.warnings()...)
	if p != nil {
		p.Blast = blast(r.calm, m.seen.Clients, m.issued.Rounds, blastThreshold(r.options.WriteLimit()))
		p.Jam = m.jam(r.absorb)
		p.Others = m.others()
		p.JammedPositions, err = m.jammedPositions(ctx, err)
	}
	return err
}

// recover says whether the server is back at the healthy clients and what they cost.
func (r *cellRun) recover(ctx context.Context) error {
	if len(r.extras) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errSlow)
	defer cancel()
	back, err := call[serve.Recovered](ctx, r.server, "recover", serve.Recover{Within: 2 * time.Second}, nil)
	if err == nil {
		recovery := result.Recovery(back)
		r.trial.Recovery = &recovery
	}
	return err
}

// teardown stops the server first: its close frames are part of what the fleet sees.
func (r *cellRun) teardown(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errSlow)
	defer cancel()
	left, err := call[serve.Stopped](ctx, r.server, "stop", nil, nil)
	if err != nil {
		return err
	}
	if left.Goroutines > 0 || left.FDs > 0 {
		r.warn(fmt.Sprintf("after the stop %d goroutines and %d descriptors were left above the start", left.Goroutines, left.FDs))
	}
	return r.fleet.tell(ctx, "close", nil)
}

// end reaps all processes, whatever state they are in.
func (r *cellRun) end() {
	if r.server != nil {
		r.server.end()
	}
	r.fleet.end()
}
