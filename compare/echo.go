//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/engines"
	"wsfanout/internal/units"
	"wsfanout/internal/wire"
	"wsfanout/serve"
)

// echoRequest is what the flags of `compare echo` ask for.
type echoRequest struct {
	*surveyFlags
	clients     int
	size        int
	perSecond   float64 // 0: share counts
	share       float64 // of the set-up's own rate in the closed loop
	outstanding int
	window      time.Duration
}

func parseEcho(args []string, usage io.Writer) (*echoRequest, error) {
	q := &echoRequest{surveyFlags: newSurveyFlags("echo", "gorilla,nbio,gobwas", 3, "gorilla and nbio with 1,000 connections, once: within 15 s")}
	q.fs.IntVar(&q.clients, "clients", defaultClients, "connections")
	size := q.fs.String("size", "1KiB", "payload bytes of a message")
	rate := q.fs.String("rate", "10000", "echoes per second of all connections together, the same for every engine; 30%: a share of the engine's own closed loop")
	q.fs.IntVar(&q.outstanding, "outstanding", 1000, "messages under way at a time in the closed loop")
	q.fs.DurationVar(&q.window, "for", 3*time.Second, "how long each load is measured")
	if err := q.parse(args, usage); err != nil {
		return nil, err
	}
	if q.quick {
		q.unless("clients", func() { q.clients = 1000 })
		q.unless("trials", func() { q.trials = 1 })
		q.unless("for", func() { q.window = time.Second })
		q.unless("engines", func() { q.engines, _ = parseSpecs("", "gorilla,nbio", nil, engines.Parse) })
		q.unless("outstanding", func() { q.outstanding = 100 })
		q.unless("rate", func() { *rate = "5000" })
	}
	return q, q.check(*size, *rate)
}

func (q *echoRequest) check(size, rate string) error {
	bytes, err := units.ParseBytes(size)
	if err != nil {
		return fmt.Errorf("-size: %w", err)
	}
	q.size = int(bytes)
	number, percent := strings.CutSuffix(rate, "%")
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || !(v > 0) || percent && v > 100 || v > 1e7:
		return fmt.Errorf("-rate %q: want echoes per second such as 10000, or a share of the closed loop such as 30%%", rate)
	case q.size < 21 || q.size > 1<<20:
		return fmt.Errorf("-size %s: want 21 to 1MiB", size)
	case q.clients < 1 || q.clients > 1_000_000:
		return fmt.Errorf("-clients %d: want 1 to 1000000", q.clients)
	case q.outstanding < 1 || q.outstanding > q.clients:
		return fmt.Errorf("-outstanding %d: want 1 to the %d connections: each has one message under way", q.outstanding, q.clients)
	case !percent && v*q.window.Seconds() < leastEchoes:
		return fmt.Errorf("-rate %s: in %v come %.0f echoes, which carry no p99: want at least %d, by -rate or -for", rate, q.window, v*q.window.Seconds(), leastEchoes)
	case q.window < 100*time.Millisecond || q.window > maxDuration:
		return fmt.Errorf("-for %v: want 100ms to %v", q.window, maxDuration)
	}
	if percent {
		q.share = v / 100
	} else {
		q.perSecond = v
	}
	return q.resolvable(q.size)
}

// leastEchoes of a window carry a p99.
const leastEchoes = 100

// runEcho is `compare echo`.
func runEcho(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) (int, error) {
	q, err := parseEcho(args, stdout)
	if err != nil {
		return exitUsage, err
	}
	s, err := newSurvey(q.surveyFlags, "echo", q.clients, stderr)
	if err != nil {
		return exitUsage, err
	}
	s.file.Plan.SizeBytes, s.file.Plan.OfferedPerSecond, s.file.Plan.OfferedShare = q.size, q.perSecond, q.share
	for i, e := range q.engines {
		s.file.Echo = append(s.file.Echo, result.Echo{Engine: e.String(), Footnotes: notesOf(e, q.size), Trials: []result.EchoTrial{}})
		s.tasks = append(s.tasks, task{name: e.String(), measure: func(ctx context.Context, trial int) (func(), error) {
			t := result.EchoTrial{Trial: trial, Warnings: []string{}}
			err := q.measure(ctx, e, &t)
			if err != nil {
				t.Error = err.Error()
			}
			return func() { s.file.Echo[i].Trials = append(s.file.Echo[i].Trials, t) }, err
		}})
	}
	one := 2*time.Second + time.Duration(q.clients)*perConnect + 12*q.window/5
	fmt.Fprintf(stderr, "plan: %d engines x %s, about %v\n", len(q.engines), times(q.trials), (one * time.Duration(len(q.engines)*q.trials)).Round(time.Second))
	return s.finish(ctx, stdout, stderr)
}

func (q *echoRequest) measure(ctx context.Context, e engines.Spec, t *result.EchoTrial) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute+3*q.window, errSlow)
	defer cancel()
	p, err := startPair(ctx, q.cpus, serve.Plan{
		Engine: e.String(), Strategy: "seq", Clients: q.clients, Size: q.size, Seed: q.seed, Shards: 1, Order: "fixed",
		Handler: serve.HandlerEcho, Apart: []serve.Span{{From: 0, To: q.clients}},
	})
	defer p.end()
	if err != nil {
		return err
	}
	got, err := join(ctx, p.fleet, clientfleet.Plan{
		Addr: p.started.Addr, Numbers: []clientfleet.Range{{From: 0, To: q.clients}}, Size: q.size, Rounds: 1,
	})
	if err != nil {
		return err
	}
	t.Connections, t.ConnectPerSecond = got.Connected, float64(got.Connected)/(float64(got.ConnectNs)/1e9)
	if t.DialNs, err = latencyOf(got.Dial); err != nil {
		return err
	}
	if _, err := call[serve.Settled](ctx, p.server, "settle", serve.Settle{Members: q.clients, Timeout: 10 * time.Second}, nil); err != nil {
		return err
	}
	closed := clientfleet.Echo{Mode: clientfleet.EchoClosed, Outstanding: q.outstanding, Size: q.size, For: q.window, Warmup: q.window / 5}
	if t.Closed, err = echoPhase(ctx, p, closed); err != nil {
		return err
	}
	rate := closed
	rate.Mode, rate.Outstanding, rate.PerSecond = clientfleet.EchoRate, 0, q.perSecond
	if q.share > 0 {
		rate.PerSecond = q.share * t.Closed.PerSecond
	}
	if t.Rate, err = echoPhase(ctx, p, rate); err != nil {
		return err
	}
	t.Warnings = append(t.Warnings, t.Rate.Doubts()...)
	for _, load := range []*result.EchoPhase{t.Closed, t.Rate} {
		if load.Clients < q.clients || len(load.Gone) > 0 {
			return fmt.Errorf("%d of %d connections took part, and some were closed meanwhile (%v): the figures would be those of the others",
				load.Clients, q.clients, load.Gone)
		}
	}
	return p.stop(ctx)
}

// echoPhase is one load, and what both sides used for it in its window.
func echoPhase(ctx context.Context, p *pair, load clientfleet.Echo) (*result.EchoPhase, error) {
	var usage []serve.Usage
	var failed error
	got, err := call[clientfleet.Echoed](ctx, p.fleet, "echo", load, func(m wire.Message) {
		if m.Event == "window" { // it begins, or ends
			u, err := call[serve.Usage](ctx, p.server, "usage", nil, nil)
			usage, failed = append(usage, u), cmp.Or(failed, err)
		}
	})
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	if len(usage) != 2 {
		return nil, fmt.Errorf("the fleet told of %d ends of its window, want 2", len(usage))
	}
	before, after := usage[0], usage[1]
	out := &result.EchoPhase{
		AskedPerSecond: load.PerSecond, Outstanding: load.Outstanding, PerSecond: got.PerSecond, Sent: got.Sent, Received: got.Received,
		Skipped: got.Skipped, Lost: got.Lost, Stuck: got.Stuck, Starved: got.Starved, Clients: got.Clients, Gone: got.Errors, RSSBytes: after.Now.RSSBytes, HeapBytes: after.Now.HeapBytes, Goroutines: after.Now.Goroutines,
	}
	if echoes := got.PerSecond * load.For.Seconds(); echoes > 0 { // those that arrived in the window
		out.ServerUserNs = float64(after.UserNs-before.UserNs) / echoes
		out.ServerSystemNs = float64(after.SystemNs-before.SystemNs) / echoes
		out.FleetNs = float64(got.CPUUserNs+got.CPUSystemNs) / echoes
	}
	if out.LatencyNs, err = latencyOf(got.Latency); err != nil {
		return nil, err
	}
	if load.Mode == clientfleet.EchoRate {
		due, err := latencyOf(got.LatencyDue)
		if err != nil {
			return nil, err
		}
		lag, err := latencyOf(got.SendLag)
		out.LatencyDueNs, out.SendLagNs = &due, &lag
		return out, err
	}
	return out, nil
}

// latencyOf reads a histogram of the fleet's, which is empty where nothing was measured.
func latencyOf(encoded []byte) (result.Latency, error) {
	if len(encoded) == 0 {
		return result.Latency{}, nil
	}
	h, err := hdrhistogram.Decode(encoded)
	if err != nil {
		return result.Latency{}, err
	}
	if d := distribution(h); d != nil {
		return *d, nil
	}
	return result.Latency{}, nil
}
