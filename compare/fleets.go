//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"wsfanout/clientfleet"
)

// fleets are the client half of a cell: one process, or several that share the clients.
type fleets []*child

// startFleets starts one for each carrier.
func startFleets(ctx context.Context, by []carrier) (fleets, error) {
	var all fleets
	for i, one := range by {
		name := "fleet"
		if len(by) > 1 {
			name = fmt.Sprintf("fleet %d", i+1)
		}
		c, err := reachChild(ctx, name, "fleet", one)
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	return all, nil
}

// askEach asks all fleets at the same time and waits for every answer; body is the i-th fleet's. The error is the first fleet's
// that has one.
func askEach[T any](ctx context.Context, f fleets, do string, body func(i int) any) ([]T, error) {
	replies := make([]T, len(f))
	errs := make([]error, len(f))
	var all sync.WaitGroup
	for i, c := range f {
		all.Go(func() { replies[i], errs[i] = call[T](ctx, c, do, body(i), nil) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return replies, nil
}

func same(body any) func(int) any { return func(int) any { return body } }

// tell is askEach where nothing is to be learned.
func (f fleets) tell(ctx context.Context, do string, body any) error {
	_, err := askEach[json.RawMessage](ctx, f, do, same(body))
	return err
}

// hosts are the clocks of all fleets.
func (f fleets) hosts(ctx context.Context) ([]clientfleet.Host, error) {
	return askEach[clientfleet.Host](ctx, f, "host", same(nil))
}

// connect connects the clients of each fleet's plan.
func (f fleets) connect(ctx context.Context, plan func(i int) clientfleet.Plan) (clientfleet.Connected, error) {
	parts, err := askEach[clientfleet.Connected](ctx, f, "connect", func(i int) any { return plan(i) })
	return clientfleet.MergeConnected(parts...), err
}

func (f fleets) received(ctx context.Context, s clientfleet.Span) (int64, error) {
	parts, err := askEach[clientfleet.Received](ctx, f, "received", same(s))
	var n int64
	for _, p := range parts {
		n += p.Received
	}
	return n, err
}

func (f fleets) counters(ctx context.Context) (clientfleet.Counters, error) {
	parts, err := askEach[clientfleet.Counters](ctx, f, "counters", same(nil))
	if err != nil {
		return clientfleet.Counters{}, err
	}
	return clientfleet.MergeCounters(parts...)
}

func (f fleets) collect(ctx context.Context, s clientfleet.Span) (clientfleet.Collection, error) {
	parts, err := askEach[clientfleet.Collection](ctx, f, "collect", same(s))
	if err != nil {
		return clientfleet.Collection{}, err
	}
	return clientfleet.Merge(parts...)
}

func (f fleets) end() {
	var all sync.WaitGroup
	for _, c := range f {
		all.Go(c.end)
	}
	all.Wait()
}

// share is the part of a plan that the i-th of n fleets carries out: a stretch of the healthy clients, and the extras of the
// first fleet.
func share(p clientfleet.Plan, i, n int) clientfleet.Plan {
	if n == 1 {
		return p
	}
	total := 0
	for _, r := range p.Numbers {
		total += r.To - r.From
	}
	from, to := total*i/n, total*(i+1)/n
	numbers, passed := p.Numbers, 0
	p.Numbers = nil
	for _, r := range numbers {
		a, b := max(r.From, r.From+from-passed), min(r.To, r.From+to-passed)
		if a < b {
			p.Numbers = append(p.Numbers, clientfleet.Range{From: a, To: b})
		}
		passed += r.To - r.From
	}
	if i > 0 {
		p.Extras = nil
	}
	if p.Inbound != nil && total > 0 {
		in := *p.Inbound
		in.PerSecond *= float64(to-from) / float64(total)
		p.Inbound = &in
	}
	return p
}

// whose says which fleet has a healthy client, where there are several.
func (r *cellRun) whose(number int) string {
	if len(r.fleet) < 2 {
		return ""
	}
	for i, c := range r.fleet {
		for _, n := range share(r.fleetPlan(0), i, len(r.fleet)).Numbers {
			if n.From <= number && number < n.To {
				return " of " + c.name
			}
		}
	}
	return ""
}
