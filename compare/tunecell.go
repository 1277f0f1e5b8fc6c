//go:build linux

package main

import (
	"context"
	"math/rand/v2"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/engines"
	"wsfanout/internal/clock"
	"wsfanout/serve"
)

// tuneSetup is one server of `compare tune` and who its clients are.
type tuneSetup struct {
	part, name      string
	engine          engines.Spec
	keepalive, ping time.Duration
	anyFrame        bool // whatever a client sends moves the deadline, not only its pongs
	writeTimeout    time.Duration
	predicted       *[2]int64 // nil: nothing is predicted of the dead
	never           bool
	doubt           string

	groups  []behaviour
	size    int           // clients of each
	message int           // bytes of the largest message; 0: tuneSize
	observe time.Duration // from the first behaviour to the end
	load    bool          // rounds go out and healthy clients talk meanwhile
	sndbuf  int           // SO_SNDBUF; 0: untouched
	recvbuf int           // SO_RCVBUF of the clients; 0: untouched
	gate    int64         // a message of a backlog is skipped when its client owes more
	alone   bool          // nothing else may run beside it
}

// The load of -under-load: 1 KiB to everybody each 100 ms, and half as many messages back.
const (
	loadClients  = 50
	loadInterval = 100 * time.Millisecond
	tuneSize     = 1024
)

// tuneRun is one set-up measured once: a fresh server, a fleet, and a second fleet that is killed.
type tuneRun struct {
	tuneSetup
	seed uint64
	cpus pinning
	*pair
	doomed               *child        // the second fleet; nil: no group needs it
	spread               time.Duration // within which the dead die
	began, ended, killed int64         // CLOCK_MONOTONIC ns
	late                 time.Duration // of this machine, while it watched
	issued               serve.Issued  // rounds of the load
	before, after        serve.Usage
	behaved              []clientfleet.Behaved
	closes               map[int]serve.Close
}

// of is the numbers of a group: group g has the clients g*size up to (g+1)*size.
func (r *tuneRun) of(g int) serve.Span { return serve.Span{From: g * r.size, To: (g + 1) * r.size} }

func (r *tuneRun) total() int { return r.loaders() + len(r.groups)*r.size }

func (r *tuneRun) loaders() int {
	if r.load {
		return loadClients
	}
	return 0
}

func (r *tuneRun) run(ctx context.Context) (err error) {
	defer r.end()
	r.spread = max(r.ping, r.pulse()/4)
	ctx, cancel := context.WithTimeoutCause(ctx, r.observe+r.spread+time.Minute, errSlow)
	defer cancel()
	for _, step := range []func(context.Context) error{r.start, r.connect, r.watch, r.collect} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *tuneRun) start(ctx context.Context) (err error) {
	if len(r.doomedNumbers()) > 0 {
		if r.doomed, err = startChild("second fleet", "fleet", carrier{cpus: r.cpus["fleet"]}); err != nil {
			return err
		}
	}
	r.message = max(r.message, tuneSize)
	plan := serve.Plan{
		Engine: r.engine.String(), Strategy: "seq", Clients: r.total(), Size: r.message, Seed: r.seed,
		SendBuffer: r.sndbuf, Shards: 1, Order: "fixed", Handler: serve.HandlerBlock, WriteTimeout: r.writeTimeout,
	}
	if r.load {
		plan.WriteTimeout = 5 * time.Second // a hub must not hang on a peer that is dead
	}
	for g, b := range r.groups {
		if b.deaf {
			plan.Deaf = append(plan.Deaf, r.of(g))
		}
		if b.apart {
			plan.Apart = append(plan.Apart, r.of(g))
		}
	}
	r.pair, err = startPair(ctx, r.cpus, plan)
	return err
}

// extras are the clients of all groups but the doomed, each with the time of its begin.
func (r *tuneRun) extras() []clientfleet.Extra {
	random := rand.New(rand.NewPCG(r.seed, 1))
	var out []clientfleet.Extra
	for g, b := range r.groups {
		if b.kind == "" {
			continue
		}
		for i := range r.size {
			e := clientfleet.Extra{Number: r.of(g).From + i, Kind: b.kind, RecvBuffer: r.recvbuf}
			if b.dead { // evenly over the interval, so that no phase of it is left out
				e.After = scaled(r.spread, (float64(i)+random.Float64())/float64(r.size))
			}
			if b.shape != nil {
				b.shape(&r.tuneSetup, &e)
			}
			out = append(out, e)
		}
	}
	return out
}

func (r *tuneRun) connect(ctx context.Context) error {
	main := clientfleet.Plan{
		Addr: r.started.Addr, Extras: r.extras(), Size: r.message, Rounds: 1 + int(r.observe/loadInterval), Timeout: 20 * time.Second, Nap: -1,
	}
	if r.load {
		main.Numbers = []clientfleet.Range{{From: r.total() - loadClients, To: r.total()}}
		main.Inbound = &clientfleet.Inbound{PerSecond: loadClients / loadInterval.Seconds() / 2, Size: 128}
	}
	second := clientfleet.Plan{Addr: r.started.Addr, Size: r.message, Timeout: main.Timeout, Rounds: main.Rounds, Numbers: r.doomedNumbers()}
	if _, err := join(ctx, r.fleet, main); err != nil {
		return err
	}
	if r.doomed != nil {
		if _, err := join(ctx, r.doomed, second); err != nil {
			return err
		}
	}
	_, err := call[serve.Settled](ctx, r.server, "settle", serve.Settle{Members: 1, Timeout: 10 * time.Second}, nil)
	return err
}

// doomedNumbers are the clients of the process that is killed.
func (r *tuneRun) doomedNumbers() []clientfleet.Range {
	var out []clientfleet.Range
	for g, b := range r.groups {
		if b.kind == "" {
			out = append(out, clientfleet.Range(r.of(g)))
		}
	}
	return out
}

// watch lets the clients behave as they should and waits until the end.
func (r *tuneRun) watch(ctx context.Context) (err error) {
	if r.before, err = call[serve.Usage](ctx, r.server, "usage", nil, nil); err != nil {
		return err
	}
	r.began = clock.Now()
	if _, err := r.fleet.ask(ctx, "misbehave", nil, nil); err != nil {
		return err
	}
	if err := r.burst(ctx); err != nil {
		return err
	}
	loaded := make(chan error, 1)
	go func() { loaded <- r.rounds(ctx) }()
	late := watchLateness()
	defer func() { r.late = late() }()
	if err := sleep(ctx, r.spread/2); err == nil {
		if err := r.kill(); err != nil {
			return err
		}
		_ = sleep(ctx, time.Duration(r.began-clock.Now())+r.spread+r.observe) // the end of ctx is looked at below
	}
	if err := <-loaded; err != nil {
		return err
	}
	return context.Cause(ctx)
}

// kill ends the second fleet as a crash would. That it did not end before is part of what is measured.
func (r *tuneRun) kill() error {
	if r.doomed == nil {
		return nil
	}
	select {
	case <-r.doomed.messages:
		return r.doomed.died("wait")
	default:
	}
	r.killed = clock.Now()
	r.doomed.link.kill()
	return nil
}

func (r *tuneRun) burst(ctx context.Context) error {
	for g, b := range r.groups {
		if b.backlog == 0 {
			continue
		}
		size := max(b.message, tuneSize)
		burst := serve.Burst{Messages: b.backlog / size, Size: size, Gate: r.gate, Then: b.then, Every: steadyEvery}
		for n := r.of(g).From; n < r.of(g).To; n++ {
			burst.Numbers = append(burst.Numbers, n)
		}
		if _, err := r.server.ask(ctx, "burst", burst, nil); err != nil {
			return err
		}
	}
	return nil
}

// rounds is the load, if there is one.
func (r *tuneRun) rounds(ctx context.Context) error {
	if !r.load {
		return nil
	}
	if _, err := r.fleet.ask(ctx, "inbound", clientfleet.Switch{On: true}, nil); err != nil {
		return err
	}
	var err error
	r.issued, err = call[serve.Issued](ctx, r.server, "phase", serve.Phase{
		Kind: "healthy", Rounds: int((r.spread + r.observe) / loadInterval), Interval: loadInterval,
	}, nil)
	return err
}

// collect asks both sides what they saw, and takes them down.
func (r *tuneRun) collect(ctx context.Context) (err error) {
	closes, err := call[serve.Closes](ctx, r.server, "closes", nil, nil)
	if err != nil {
		return err
	}
	r.ended = closes.Now
	r.closes = map[int]serve.Close{}
	for _, c := range closes.Closes {
		r.closes[c.Number] = c
	}
	if r.after, err = call[serve.Usage](ctx, r.server, "usage", nil, nil); err != nil {
		return err
	}
	if r.behaved, err = call[[]clientfleet.Behaved](ctx, r.fleet, "behaved", nil, nil); err != nil {
		return err
	}
	return r.stop(ctx)
}

func (r *tuneRun) end() {
	if r.pair != nil {
		r.pair.end()
	}
	if r.doomed != nil {
		r.doomed.end()
	}
}
