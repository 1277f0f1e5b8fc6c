package main

import (
	"context"
	"fmt"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/engines"
	"wsfanout/internal/clock"
	"wsfanout/internal/procstat"
	"wsfanout/internal/stamp"
	"wsfanout/serve"
)

// cellRun is one trial of one cell: a fresh fleet, a fresh server, the phases one after the other.
type cellRun struct {
	*config
	cell
	say     func(phase string) // progress; must be cheap
	options engines.Options
	extras  []extra

	fleet, server *child
	started       serve.Started
	settled       serve.Settled
	calm          []clientfleet.ClientSeen // the clients in the healthy phase: each one's own normal
	trial         result.Trial
	nextRound     uint32
}

// runTrial measures one cell once. Whatever goes wrong is in the trial's Error, and no process is left.
func runTrial(ctx context.Context, c *config, k cell, trial int, say func(string)) result.Trial {
	began := time.Now()
	c = c.at(k)
	r := &cellRun{config: c, cell: k, say: say, trial: result.Trial{Trial: trial, Warnings: []string{}}}
	r.extras = c.behave.places(c.clients, c.seed)
	err := r.run(ctx)
	if err != nil {
		r.trial.Error = err.Error()
	}
	r.end()
	r.trial.WallNs = int64(time.Since(began))
	return r.trial
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

// start brings up both processes, the fleet first, and proves that they share this process's clock.
func (r *cellRun) start(ctx context.Context) (err error) {
	if r.fleet, err = startChild("fleet", "fleet", r.cpus["fleet"]); err != nil {
		return err
	}
	if r.server, err = startChild("server", "serve", r.cpus["server"]); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errSlow)
	defer cancel()
	before := clock.Now()
	r.started, err = call[serve.Started](ctx, r.server, "start", serve.Plan{
		Engine: r.engine.String(), Strategy: r.strategy.String(), Listen: "127.0.0.1:0", Clients: r.clients, Size: r.size,
		Seed: r.seed, WriteTimeout: r.writeTimeout, SendBuffer: r.sndbuf, Shards: r.shards, Order: r.order,
		Extras: r.forServer(), StuckSendBuffer: r.behave.sendBuffer(), Compress: r.compress, CertPEM: r.certPEM, KeyPEM: r.keyPEM,
	}, nil)
	if err != nil {
		return err
	}
	if now := r.started.MonotonicNs; now < before || now > clock.Now() {
		return fmt.Errorf("the server's monotonic clock is not this process's: %d ns is outside %d..%d", now, before, clock.Now())
	}
	return nil
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
	got, err := call[clientfleet.Connected](ctx, r.fleet, "connect", r.fleetPlan(patience), nil)
	if err != nil {
		return err
	}
	r.trial.Connected, r.trial.ConnectNs = got.Connected, got.ConnectNs
	if got.Connected < got.Asked {
		return fmt.Errorf("%d of %d clients connected: %v", got.Connected, got.Asked, got.Errors)
	}
	return nil
}

func (r *cellRun) settle(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 30*time.Second, errSlow)
	defer cancel()
	if _, err := r.fleet.ask(ctx, "settle", nil, nil); err != nil {
		return err
	}
	r.settled, err = call[serve.Settled](ctx, r.server, "settle", serve.Settle{Members: r.clients + len(r.extras), Timeout: 10 * time.Second}, nil)
	return err
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
	if _, err := r.fleet.ask(ctx, "misbehave", nil, nil); err != nil {
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
		p.Blast = blast(r.calm, m.seen.Clients, m.issued.Rounds, blastThreshold(r.writeLimit()))
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

func (r *cellRun) warn(texts ...string) { r.trial.Warnings = append(r.trial.Warnings, texts...) }

// phase runs one phase, waits until every client has everything or patience ends, and collects both sides' records.
func (r *cellRun) phase(ctx context.Context, p serve.Phase) (*measured, error) {
	slots := p.Rounds
	if p.Pairs {
		slots *= 2
	}
	began := time.Now()
	p.First, p.Interval = r.nextRound, r.interval
	r.nextRound += uint32(slots)
	limit := 10*time.Duration(slots)*r.interval + time.Minute
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()

	m := &measured{run: r, planned: p.Rounds, from: p.First, to: r.nextRound}
	steal, err := procstat.HostStealNs()
	if err != nil {
		return nil, err
	}
	if _, err := r.fleet.ask(ctx, "mark", nil, nil); err != nil {
		return nil, err
	}
	if err := m.talk(ctx, p.Kind, true); err != nil {
		return nil, err
	}
	if m.issued, err = call[serve.Issued](ctx, r.server, "phase", p, nil); err != nil {
		return nil, err
	}
	if err := m.await(ctx); err != nil {
		return nil, err
	}
	if away := r.behave.resume; p.Kind == "stuck" && away > 0 { // and a second to read what has piled up
		if err := sleep(ctx, time.Until(began.Add(away+time.Second))); err != nil {
			return nil, err
		}
	}
	if err := m.talk(ctx, p.Kind, false); err != nil {
		return nil, err
	}
	if err := m.collect(ctx); err != nil {
		return nil, err
	}
	after, err := procstat.HostStealNs()
	m.steal = after - steal
	return m, err
}

// writeLimit is the D of the cell: how long its engine lets a byte be owed, 0 for ever.
func (r *cellRun) writeLimit() time.Duration {
	if r.options.Deadline == engines.DeadlineNone {
		return 0
	}
	return r.options.WriteTimeout
}

// patience is how long a phase's drain may take after the last broadcast: nothing that a timeout lets through comes later.
func (r *cellRun) patience() time.Duration {
	return max(2*time.Second, 2*r.writeLimit(), r.options.UserTimeout+time.Second)
}

// collect asks the server first: what it counts as owed must not arrive behind its back.
func (m *measured) collect(ctx context.Context) (err error) {
	r := m.run
	if m.drained, err = call[serve.Drained](ctx, r.server, "drain", serve.Drain{Patience: r.patience()}, nil); err != nil {
		return err
	}
	if m.counters, err = call[clientfleet.Counters](ctx, r.fleet, "counters", nil, nil); err != nil {
		return err
	}
	ask := func(kind stamp.Kind) (clientfleet.Collection, error) {
		return call[clientfleet.Collection](ctx, r.fleet, "collect", clientfleet.Span{From: m.from, To: m.to, Kind: kind}, nil)
	}
	if m.seen, err = ask(stamp.Strategy); err != nil {
		return err
	}
	m.bare, err = ask(stamp.Bare)
	return err
}

// teardown stops the server first: its close frames are part of what the fleet sees.
func (r *cellRun) teardown(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, r.writeTimeout+15*time.Second, errSlow)
	defer cancel()
	left, err := call[serve.Stopped](ctx, r.server, "stop", nil, nil)
	if err != nil {
		return err
	}
	if left.Goroutines > 0 || left.FDs > 0 {
		r.warn(fmt.Sprintf("after the stop %d goroutines and %d descriptors were left above the start", left.Goroutines, left.FDs))
	}
	_, err = r.fleet.ask(ctx, "close", nil, nil)
	return err
}

// end reaps both processes, whatever state they are in.
func (r *cellRun) end() {
	for _, c := range []*child{r.server, r.fleet} {
		if c != nil {
			c.end()
		}
	}
}
