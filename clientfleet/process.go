package clientfleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
	"wsfanout/internal/wire"
)

// Span is the body of the requests "received" and "collect": the rounds From..To-1, and of "collect" the kind.
type Span struct {
	From uint32     `json:"from"`
	To   uint32     `json:"to"`
	Kind stamp.Kind `json:"kind"`
}

// Progress is the body of the event "connected".
type Progress struct {
	Connected int `json:"connected"`
}

// Received is the reply to "received".
type Received struct {
	Received int64 `json:"received"`
}

// Switch is the body of "inbound".
type Switch struct {
	On bool `json:"on"`
}

// Host is the reply to "host", which needs no fleet: whose clock this is, and what it shows.
type Host struct {
	Clock       string `json:"clock"` // clock.Identity
	MonotonicNs int64  `json:"monotonic_ns"`
}

// process is a fleet that is driven by messages.
type process struct {
	conn  *wire.Conn
	fleet *Fleet // nil before connect
}

// verb is a request to a connected fleet.
type verb struct {
	name string
	do   func(context.Context, *process, json.RawMessage) (any, error)
}

// with decodes the body of a request.
func with[T any](do func(*Fleet, T) (any, error)) func(context.Context, *process, json.RawMessage) (any, error) {
	return func(_ context.Context, p *process, raw json.RawMessage) (any, error) {
		body, err := wire.Decode[T](raw)
		if err != nil {
			return nil, err
		}
		return do(p.fleet, body)
	}
}

// without ignores it.
func without(do func(*Fleet) (any, error)) func(context.Context, *process, json.RawMessage) (any, error) {
	return func(_ context.Context, p *process, _ json.RawMessage) (any, error) { return do(p.fleet) }
}

// echo is a request that takes its time, with events.
func echo(ctx context.Context, p *process, raw json.RawMessage) (any, error) {
	e, err := wire.Decode[Echo](raw)
	if err != nil {
		return nil, err
	}
	return p.fleet.Echo(ctx, e, func(w Window) { p.conn.Event("window", w) })
}

// verbs are the requests but "host", "connect" and "close", in the order of an experiment.
var verbs = []verb{
	{"settle", without(func(f *Fleet) (any, error) { f.Settle(); return f.Counters() })},
	{"clock", without(func(f *Fleet) (any, error) { return f.AskClock() })},
	{"mark", without(func(f *Fleet) (any, error) { return nil, f.Mark() })},
	{"received", with(func(f *Fleet, s Span) (any, error) { return Received{f.Received(s.From, s.To)}, nil })},
	{"counters", without(func(f *Fleet) (any, error) { return f.Counters() })},
	{"collect", with(func(f *Fleet, s Span) (any, error) { return f.Collect(s.From, s.To, s.Kind), nil })},
	{"misbehave", without(func(f *Fleet) (any, error) { return nil, f.Misbehave() })},
	{"behaved", without(func(f *Fleet) (any, error) { return f.Behaved(), nil })},
	{"inbound", with(func(f *Fleet, s Switch) (any, error) { return nil, f.Inbound(s.On) })},
	{"echo", echo},
}

// Run is a fleet in a process of its own: it answers the requests on r (package wire) on w until "close", the end of r, or
// the end of ctx, and leaves nothing open. Requests: "host" (reply Host), "connect" with a Plan (events "connected" with
// Progress; reply Connected), then in any order "settle" (reply Counters), "clock" (reply ClockSeen), "mark", "received" with
// a Span (reply Received), "counters" (reply Counters), "collect" with a Span (reply Collection), "misbehave", "behaved" (reply a
// list of Behaved), "inbound" with a Switch, "echo" with an Echo (events "window" with Window; reply Echoed). "close" and the
// end of r also end a connect or echo that is under way.
//
// It returns nil after "close" or the end of r, and otherwise why it ended. After the end of ctx one goroutine may be
// left reading r.
func Run(ctx context.Context, r io.Reader, w io.Writer) error {
	p := &process{conn: wire.NewConn(r, w)}
	defer p.close()
	connecting, cancel := context.WithCancel(ctx)
	defer cancel()
	requests := make(chan wire.Request)
	var ended error // why there are no more requests; read after requests is closed
	go func() {
		defer close(requests)
		defer cancel()
		ended = p.listen(ctx, requests, cancel)
	}()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case req, ok := <-requests:
			if !ok {
				return ended
			}
			if req.Do == "close" {
				p.close()
				return p.conn.Reply(req.Do, nil)
			}
			if err := p.answer(connecting, req); err != nil {
				return err
			}
		}
	}
}

// listen passes requests on until r ends, and calls hurry when nobody will wait for a running connect any more.
func (p *process) listen(ctx context.Context, requests chan<- wire.Request, hurry func()) error {
	for {
		var req wire.Request
		switch err := p.conn.Read(&req); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if req.Do == "close" {
			hurry()
		}
		select {
		case requests <- req:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if req.Do == "close" {
			return nil
		}
	}
}

// answer carries out one request. The error is one of the carrier: a request that fails is answered.
func (p *process) answer(ctx context.Context, req wire.Request) error {
	body, err := p.do(ctx, req)
	if err != nil {
		return p.conn.Fail(fmt.Errorf("%s: %w", req.Do, err))
	}
	return p.conn.Reply(req.Do, body)
}

func (p *process) do(ctx context.Context, req wire.Request) (any, error) {
	switch req.Do {
	case "host":
		return Host{Clock: clock.Identity(), MonotonicNs: clock.Now()}, nil
	case "connect":
		return p.connect(ctx, req.Body)
	}
	i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == req.Do })
	if i < 0 {
		return nil, fmt.Errorf("unknown request, known: %s", known())
	}
	if p.fleet == nil {
		return nil, errors.New("out of order: connect comes first")
	}
	return verbs[i].do(ctx, p, req.Body)
}

func (p *process) connect(ctx context.Context, body json.RawMessage) (any, error) {
	if p.fleet != nil {
		return nil, errors.New("out of order: already connected")
	}
	plan, err := wire.Decode[Plan](body)
	if err != nil {
		return nil, err
	}
	fleet, got, err := Connect(ctx, plan, func(n int) { p.conn.Event("connected", Progress{n}) })
	p.fleet = fleet
	return got, err
}

func (p *process) close() {
	if p.fleet != nil {
		p.fleet.Close()
	}
}

// known lists all requests.
func known() string {
	names := []string{"host", "connect"}
	for _, v := range verbs {
		names = append(names, v.name)
	}
	return strings.Join(append(names, "close"), ", ")
}
