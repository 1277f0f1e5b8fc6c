//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/engines"
	"wsfanout/internal/clock"
	"wsfanout/serve"
)

// blockRequest is what the flags of `compare block` ask for.
type blockRequest struct {
	*surveyFlags
	blocking []int
	hold     time.Duration
	fast     int
	stall    time.Duration
	window   time.Duration // how long a set-up is measured
}

// maxHeld bounds what one loop may have to hold in turn: four times that is a window.
const maxHeld = 20 * time.Second

// blockEngines are the places where handlers run.
const blockEngines = "gorilla,nbio,nbio:pool=4,nbio:executor=inline:npoller=1,nbio:executor=inline:npoller=2,nbio:executor=inline:npoller=16," +
	"gobwas:pool=4,gobwas:mode=goroutine"

func parseBlock(args []string, usage io.Writer) (*blockRequest, error) {
	q := &blockRequest{surveyFlags: newSurveyFlags("block", blockEngines, 3, "gorilla and nbio on one loop with 0 and 4 blocking connections, once: within 15 s")}
	blocking := q.fs.String("blocking", "0,1,4,16", "numbers of connections that hold a handler")
	q.fs.DurationVar(&q.hold, "hold", 50*time.Millisecond, "how long a handler is held")
	q.fs.IntVar(&q.fast, "fast", 500, "connections that echo, each with one message under way")
	q.fs.DurationVar(&q.stall, "stall", 5*time.Millisecond, "name the handler that ran for longer than this; 0: do not look")
	q.fs.DurationVar(&q.window, "for", time.Second, "how long each set-up is measured")
	if err := q.parse(args, usage); err != nil {
		return nil, err
	}
	if q.quick {
		q.unless("blocking", func() { *blocking = "0,4" })
		q.unless("trials", func() { q.trials = 1 })
		q.unless("for", func() { q.window = 500 * time.Millisecond })
		q.unless("engines", func() { q.engines, _ = parseSpecs("", "gorilla,nbio:executor=inline:npoller=1", nil, engines.Parse) })
	}
	var err error
	if q.blocking, err = parseList("blocking", *blocking, wholeNumber); err != nil {
		return nil, err
	}
	switch {
	case q.blocking[0] < 0 || q.blocking[len(q.blocking)-1] > 1000:
		return nil, fmt.Errorf("-blocking %s: want numbers of 0 to 1000, such as 0,1,4,16", *blocking)
	case q.hold < time.Millisecond || q.hold > 10*time.Second:
		return nil, fmt.Errorf("-hold %v: want 1ms to 10s", q.hold)
	case q.fast < 1 || q.fast > 10_000:
		return nil, fmt.Errorf("-fast %d: want 1 to 10000", q.fast)
	case q.stall < 0 || q.stall > time.Minute:
		return nil, fmt.Errorf("-stall %v: want 0 to 1m", q.stall)
	case time.Duration(q.blocking[len(q.blocking)-1])*q.hold > maxHeld:
		return nil, fmt.Errorf("-blocking %s and -hold %v: a loop that holds them in turn takes %v to come round, at most %v is measured",
			*blocking, q.hold, time.Duration(q.blocking[len(q.blocking)-1])*q.hold, maxHeld)
	case q.window < 100*time.Millisecond || q.window > time.Minute:
		return nil, fmt.Errorf("-for %v: want 100ms to 1m", q.window)
	}
	return q, q.resolvable(blockSize)
}

// runBlock is `compare block`.
func runBlock(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) (int, error) {
	q, err := parseBlock(args, stdout)
	if err != nil {
		return exitUsage, err
	}
	s, err := newSurvey(q.surveyFlags, "block", q.fast+q.blocking[len(q.blocking)-1], stderr)
	if err != nil {
		return exitUsage, err
	}
	s.file.Plan.Clients, s.file.Plan.SizeBytes = q.fast, blockSize
	var took time.Duration
	for _, e := range q.engines {
		for _, kind := range []string{clientfleet.Blocker, clientfleet.Half} {
			for _, b := range q.blocking {
				if b == 0 && kind == clientfleet.Half {
					continue // is in the list already
				}
				setup := blockSetup{engine: e, blocking: b, kind: kind}
				took += 1200*time.Millisecond + 3*q.windowOf(setup)/2 + 2*q.hold
				q.add(s, setup)
			}
		}
	}
	if q.blocking[0] != 0 {
		fmt.Fprintln(stderr, "note: without 0 in -blocking there is nothing to compare with: what is left of the echoes will not be known")
	}
	fmt.Fprintf(stderr, "plan: %d set-ups x %s, about %v\n", len(s.tasks), times(q.trials), (took * time.Duration(q.trials)).Round(time.Second))
	return s.finish(ctx, stdout, stderr)
}

// blockSize is small: what counts is how often a handler runs.
const blockSize = 64

// blockSetup is one place where handlers run with so many connections that hold one.
type blockSetup struct {
	engine   engines.Spec
	blocking int
	kind     string // a clientfleet kind
}

// add makes the set-up a task and an entry of the file.
func (q *blockRequest) add(s *survey, b blockSetup) {
	entry := len(s.file.Block)
	o, _ := b.engine.Resolve(engines.Defaults{MaxPayload: blockSize, MaxClients: 1})
	place, loops := placeOf(o, q.fast+b.blocking)
	r := result.Block{
		Engine: b.engine.String(), Place: place, Blockers: "sleep", Blocking: b.blocking, HoldNs: int64(q.hold), Fast: q.fast, Loops: loops,
		Trials: []result.BlockTrial{},
	}
	if b.kind == clientfleet.Half {
		r.Blockers, r.HoldNs = "half frame", 0
	}
	// A poller is not held by half a frame, which nbio keeps and goes on; neither is a pool that gets whole messages. Where a read has a
	// limit, a half frame holds a worker only until then.
	if loops > 0 && (b.kind == clientfleet.Blocker || b.engine.Name == "gobwas" && o.ReadTimeout == 0) {
		r.Load = float64(b.blocking) / float64(loops)
	}
	s.file.Block = append(s.file.Block, r)
	name := fmt.Sprintf("%s %d %s", b.engine, b.blocking, r.Blockers)
	s.tasks = append(s.tasks, task{name: name, measure: func(ctx context.Context, trial int) (func(), error) {
		t := result.BlockTrial{Trial: trial, Warnings: []string{}}
		err := q.measure(ctx, b, &t)
		if err != nil {
			t.Error = err.Error()
		}
		return func() { s.file.Block[entry].Trials = append(s.file.Block[entry].Trials, t) }, err
	}})
}

func pollers(n int) string {
	if n == 1 {
		return "1 poller"
	}
	return fmt.Sprintf("%d pollers", n)
}

// placeOf says where handlers run, and how many can at a time; 0: one for each connection.
func placeOf(o engines.Options, connections int) (place string, loops int) {
	blocking := o.IOMod == engines.IOModBlocking || o.IOMod == engines.IOModMixed && connections <= engines.MixedBlocking
	switch {
	case o.Name == "nbio" && blocking, o.Name == "gorilla", o.Mode == engines.ModeGoroutine:
		return "the connection's goroutine", 0
	case o.Name == "nbio" && o.Executor == engines.ExecutorInline:
		return "inline on " + pollers(o.NPoller), o.NPoller
	}
	return fmt.Sprintf("a pool of %d", o.Pool), o.Pool
}

func (q *blockRequest) measure(ctx context.Context, b blockSetup, t *result.BlockTrial) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute+2*q.windowOf(b), errSlow)
	defer cancel()
	p, err := startPair(ctx, q.cpus, serve.Plan{
		Engine: b.engine.String(), Strategy: "seq", Clients: q.fast + b.blocking, Size: blockSize, Seed: q.seed,
		Shards: 1, Order: "fixed", Handler: serve.HandlerEcho, Stall: q.stall, Apart: []serve.Span{{From: 0, To: q.fast + b.blocking}},
	})
	defer p.end()
	if err != nil {
		return err
	}
	plan := clientfleet.Plan{Addr: p.started.Addr, Numbers: []clientfleet.Range{{From: 0, To: q.fast}}, Size: blockSize, Rounds: 1}
	for i := range b.blocking {
		e := clientfleet.Extra{Number: q.fast + i, Kind: b.kind}
		if b.kind == clientfleet.Blocker {
			e.Announce = "block " + q.hold.String()
		}
		plan.Extras = append(plan.Extras, e)
	}
	if _, err := join(ctx, p.fleet, plan); err != nil {
		return err
	}
	if _, err := p.fleet.ask(ctx, "misbehave", nil, nil); err != nil {
		return err
	}
	if err := sleep(ctx, 2*q.hold); err != nil { // the handlers are held before anybody is fast
		return err
	}
	window := q.windowOf(b)
	echoed, err := call[clientfleet.Echoed](ctx, p.fleet, "echo", clientfleet.Echo{
		Mode: clientfleet.EchoClosed, Outstanding: q.fast, Size: blockSize, For: window, Warmup: window / 5,
	}, nil)
	if err != nil {
		return err
	}
	if len(echoed.Errors) > 0 || echoed.Clients < q.fast {
		return fmt.Errorf("%d of the %d connections that should echo took part, some were closed meanwhile: %v", echoed.Clients, q.fast, echoed.Errors)
	}
	t.PerSecond, t.Sent, t.Received, t.Lost, t.Stuck, t.Starved = echoed.PerSecond, echoed.Sent, echoed.Received, echoed.Lost, echoed.Stuck, echoed.Starved
	if echoed.Received > 0 {
		if t.LatencyNs, err = latencyOf(echoed.Latency); err != nil {
			return err
		}
	}
	return q.blockers(ctx, p, t)
}

// windowOf is long enough for a loop that holds all blocking handlers in turn to come round a few times.
func (q *blockRequest) windowOf(b blockSetup) time.Duration {
	if b.kind == clientfleet.Half {
		return q.window
	}
	return max(q.window, 4*time.Duration(b.blocking)*q.hold)
}

// blockers adds what the blocking connections did, and what the server saw of it.
func (q *blockRequest) blockers(ctx context.Context, p *pair, t *result.BlockTrial) error {
	behaved, err := call[[]clientfleet.Behaved](ctx, p.fleet, "behaved", nil, nil)
	if err != nil {
		return err
	}
	for _, b := range behaved {
		t.Turns += b.Frames - b.Pongs
		if b.BeganAt > 0 {
			t.TurnsPerSecond += float64(b.Frames-b.Pongs) / (float64(clock.Now()-b.BeganAt) / 1e9)
		}
	}
	closes, err := call[serve.Closes](ctx, p.server, "closes", nil, nil)
	if err != nil {
		return err
	}
	if t.BlockersGone = len(closes.Closes); t.BlockersGone > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d blocking connections were closed by the server before the end (%s): they held nothing any more",
			t.BlockersGone, closes.Closes[0].Why))
	}
	if q.stall > 0 {
		stalls, err := call[serve.Stalls](ctx, p.server, "stalls", nil, nil)
		if err != nil {
			return err
		}
		t.Stalls = &result.Stalls{LimitNs: int64(stalls.Limit), Count: stalls.Count, WorstNs: stalls.WorstNs, Handler: stalls.Handler, CostNs: stalls.CostNs}
	}
	return p.stop(ctx)
}
