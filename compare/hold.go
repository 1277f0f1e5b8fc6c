//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/engines"
	"wsfanout/internal/stamp"
	"wsfanout/serve"
)

// holdRequest is what the flags of `compare hold` ask for.
type holdRequest struct {
	*surveyFlags
	counts []int
}

// holdEngines are every way in which the engines hold a connection.
const holdEngines = "gorilla,gorilla:writebufferpool,nbio,nbio:iomod=blocking,nbio:iomod=mixed,gobwas,gobwas:mode=goroutine"

func parseHold(args []string, usage io.Writer) (*holdRequest, error) {
	q := &holdRequest{surveyFlags: newSurveyFlags("hold", holdEngines, 1,
		"gorilla and nbio with 200, 500 and 1,000 connections, once: within 15 s")}
	counts := q.fs.String("clients", "1000,5000,10000", "numbers of connections, at least two: what one costs is the slope between them")
	if err := q.parse(args, usage); err != nil {
		return nil, err
	}
	if q.quick {
		q.unless("clients", func() { *counts = "200,500,1000" })
		q.unless("engines", func() { q.engines, _ = parseSpecs("", "gorilla,nbio", nil, engines.Parse) })
	}
	var err error
	if q.counts, err = parseList("clients", *counts, wholeNumber); err != nil {
		return nil, err
	}
	if q.counts[0] < 1 || len(q.counts) < 2 || slices.Max(q.counts) > 1_000_000 {
		return nil, fmt.Errorf("-clients %s: want at least two numbers of 1 to 1000000, such as 1000,5000,10000", *counts)
	}
	if err := q.resolvable(defaultSize); err != nil {
		return nil, err
	}
	return q, q.mixed()
}

// mixed refuses numbers of connections on both sides of the one at which iomod=mixed begins to serve in another way: no line goes
// through both. Of the default engines it is left out.
func (q *holdRequest) mixed() error {
	if q.counts[0] >= engines.MixedBlocking || slices.Max(q.counts) <= engines.MixedBlocking {
		return nil
	}
	isMixed := func(e engines.Spec) bool {
		o, err := e.Resolve(engines.Defaults{MaxPayload: defaultSize, MaxClients: 1})
		return err == nil && o.IOMod == engines.IOModMixed
	}
	if !q.explicit["engines"] {
		q.engines = slices.DeleteFunc(q.engines, isMixed)
		return nil
	}
	if i := slices.IndexFunc(q.engines, isMixed); i >= 0 {
		return fmt.Errorf("-engines: %s serves the first %d connections in another way than the others: no line goes through -clients on both sides of that",
			q.engines[i], engines.MixedBlocking)
	}
	return nil
}

// runHold is `compare hold`.
func runHold(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) (int, error) {
	q, err := parseHold(args, stdout)
	if err != nil {
		return exitUsage, err
	}
	s, err := newSurvey(q.surveyFlags, "hold", slices.Max(q.counts), stderr)
	if err != nil {
		return exitUsage, err
	}
	s.file.Plan.ClientsList, s.file.Plan.SizeBytes = q.counts, defaultSize
	took := time.Duration(0)
	for _, n := range q.counts {
		took += 2*time.Second + time.Duration(n)*(perConnect+12*perDelivery)
	}
	for i, e := range q.engines {
		s.file.Hold = append(s.file.Hold, result.Hold{Engine: e.String(), Footnotes: notesOf(e, defaultSize), Trials: []result.HoldTrial{}})
		s.tasks = append(s.tasks, task{name: e.String(), measure: func(ctx context.Context, trial int) (func(), error) {
			t := result.HoldTrial{Trial: trial, Warnings: []string{}}
			err := q.hold(ctx, e, &t)
			if err != nil {
				t.Error = err.Error()
			}
			return func() { s.file.Hold[i].Trials = append(s.file.Hold[i].Trials, t) }, err
		}})
	}
	fmt.Fprintf(stderr, "plan: %d engines x %d numbers of connections x %s, about %v\n", len(q.engines), len(q.counts), times(q.trials),
		(took * time.Duration(len(q.engines)*q.trials)).Round(time.Second))
	return s.finish(ctx, stdout, stderr)
}

func (q *holdRequest) hold(ctx context.Context, e engines.Spec, t *result.HoldTrial) error {
	for _, n := range q.counts {
		h := &holding{clients: n, most: slices.Max(q.counts), engine: e, seed: q.seed, cpus: q.cpus}
		point, err := h.measure(ctx)
		if err != nil {
			return fmt.Errorf("%d connections: %w", n, err)
		}
		t.Points = append(t.Points, *point)
	}
	return nil
}

// holding is one server that holds so many connections, in fresh processes.
type holding struct {
	clients int
	most    int // of all numbers of connections
	engine  engines.Spec
	seed    uint64
	cpus    pinning
	*pair
	next uint32 // round
}

// sweepRounds are the broadcasts of each strategy, of which the median counts.
const sweepRounds = 5

// sweeps are the strategies whose broadcast is put beside the cost of holding.
var sweeps = []string{"seq", "shard"}

func (h *holding) measure(ctx context.Context) (*result.HoldPoint, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute+time.Duration(h.clients)*10*time.Millisecond, errSlow)
	defer cancel()
	var err error
	h.pair, err = startPair(ctx, h.cpus, serve.Plan{
		Engine: h.engine.String(), Strategy: sweeps[0], Clients: h.clients, Size: defaultSize, Seed: h.seed,
		WriteTimeout: 10 * time.Second, Shards: h.cpus.serverProcs(), Order: "fixed",
		// At rest nobody is in a round: what a strategy keeps of its members is this program's, not the engine's. "strategy" lets them in.
		// The span is the same at every number of connections, and with it every table that the server makes by the numbers there can be.
		Apart: []serve.Span{{From: 0, To: h.most}},
	})
	defer h.end()
	if err != nil {
		return nil, err
	}
	_, err = join(ctx, h.fleet, clientfleet.Plan{
		Addr: h.started.Addr, Numbers: []clientfleet.Range{{From: 0, To: h.clients}}, Size: defaultSize, Rounds: len(sweeps) * sweepRounds,
	})
	if err != nil {
		return nil, err
	}
	held, err := call[serve.Held](ctx, h.server, "hold", serve.Hold{Members: h.clients, Timeout: 10 * time.Second}, nil)
	if err != nil {
		return nil, err
	}
	p := &result.HoldPoint{
		Connections: h.clients, HeapBytes: held.HeapBytes, StackBytes: held.StackBytes, RSSBytes: held.RSSBytes, KernelBytes: held.Kernel,
		Goroutines: held.Goroutines, Threads: held.Threads,
	}
	for _, strategy := range sweeps {
		sweep, err := h.sweep(ctx, strategy)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strategy, err)
		}
		p.Sweeps = append(p.Sweeps, sweep)
	}
	p.After, err = h.left(ctx)
	return p, err
}

// sweep sends a few messages to everybody.
func (h *holding) sweep(ctx context.Context, strategy string) (result.Sweep, error) {
	out := result.Sweep{Strategy: strategy, Rounds: sweepRounds}
	if _, err := h.server.ask(ctx, "strategy", serve.Change{Strategy: strategy, Everybody: true}, nil); err != nil {
		return out, err
	}
	span := clientfleet.Span{From: h.next, To: h.next + sweepRounds, Kind: stamp.Strategy}
	h.next = span.To
	interval := 50*time.Millisecond + 3*perDelivery*time.Duration(h.clients)
	issued, err := call[serve.Issued](ctx, h.server, "phase", serve.Phase{
		Kind: "healthy", Rounds: sweepRounds, First: span.From, Interval: interval,
	}, nil)
	if err != nil {
		return out, err
	}
	if err := h.await(ctx, span); err != nil {
		return out, err
	}
	drained, err := call[serve.Drained](ctx, h.server, "drain", serve.Drain{}, nil)
	if err != nil {
		return out, err
	}
	seen, err := call[clientfleet.Collection](ctx, h.fleet, "collect", span, nil)
	if err != nil {
		return out, err
	}
	var last, hub []int64
	received := 0
	for _, r := range seen.Rounds {
		last = append(last, r.Last-r.Start)
		received += r.Received
	}
	for _, r := range issued.Rounds {
		hub = append(hub, r.End-r.Start)
	}
	if len(last) == 0 {
		return out, fmt.Errorf("no round arrived")
	}
	out.LastClientNs, out.HubNs = median(last), median(hub)
	out.Reach = float64(received) / float64(sweepRounds*h.clients)
	out.CPUNs = (drained.Strategy.UserNs + drained.Strategy.SystemNs) / sweepRounds
	return out, nil
}

// await waits for what is under way.
func (h *holding) await(ctx context.Context, span clientfleet.Span) error {
	for deadline := time.Now().Add(5 * time.Second); ; {
		got, err := call[clientfleet.Received](ctx, h.fleet, "received", span, nil)
		if err != nil || got.Received >= int64(sweepRounds*h.clients) || time.Now().After(deadline) {
			return err
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// left lets all clients go at once and says what the server keeps.
func (h *holding) left(ctx context.Context) (*result.Left, error) {
	if _, err := h.fleet.ask(ctx, "close", nil, nil); err != nil {
		return nil, err
	}
	gone := serve.Hold{Members: 0, Timeout: 10 * time.Second}
	if _, err := h.server.ask(ctx, "hold", gone, nil); err != nil {
		return nil, err
	}
	// A strategy keeps accounts, and with them the connections, of everybody who left: that is this program's memory, not the engine's.
	if _, err := h.server.ask(ctx, "strategy", serve.Change{Strategy: sweeps[0], Everybody: true}, nil); err != nil {
		return nil, err
	}
	held, err := call[serve.Held](ctx, h.server, "hold", gone, nil)
	if err != nil {
		return nil, err
	}
	_, err = h.server.ask(ctx, "stop", nil, nil)
	return &result.Left{
		Members: held.Members, FDs: held.FDs - held.Start.FDs, Goroutines: held.Goroutines - held.Start.Goroutines,
		HeapBytes: held.HeapBytes + held.StackBytes - held.Start.HeapBytes - held.Start.StackBytes,
	}, err
}
