//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/serve"
)

// pair is a fresh server and a fresh fleet, both of this program and on this machine.
type pair struct {
	fleet, server *child
	started       serve.Started
}

// startPair starts both, the fleet first. Whatever happens, end must be called.
func startPair(ctx context.Context, cpus pinning, plan serve.Plan) (p *pair, err error) {
	p = &pair{}
	if p.fleet, err = startChild("fleet", "fleet", carrier{cpus: cpus["fleet"]}); err != nil {
		return p, err
	}
	if p.server, err = startChild("server", "serve", carrier{cpus: cpus["server"]}); err != nil {
		return p, err
	}
	plan.Listen = "127.0.0.1:0"
	p.started, err = call[serve.Started](ctx, p.server, "start", plan, nil)
	return p, err
}

// join connects a fleet: all of its clients, or it is an error.
func join(ctx context.Context, fleet *child, p clientfleet.Plan) (clientfleet.Connected, error) {
	if p.Timeout == 0 {
		p.Timeout = 20*time.Second + 2*time.Millisecond*time.Duration(numbersIn(p))
	}
	got, err := call[clientfleet.Connected](ctx, fleet, "connect", p, nil)
	if err == nil && got.Connected < got.Asked {
		err = fmt.Errorf("%d of %d clients connected: %v", got.Connected, got.Asked, got.Errors)
	}
	return got, err
}

func numbersIn(p clientfleet.Plan) int {
	n := len(p.Extras)
	for _, r := range p.Numbers {
		n += r.To - r.From
	}
	return n
}

// stop takes both down in order.
func (p *pair) stop(ctx context.Context) error {
	if _, err := p.server.ask(ctx, "stop", nil, nil); err != nil {
		return err
	}
	_, err := p.fleet.ask(ctx, "close", nil, nil)
	return err
}

// end reaps both, whatever state they are in.
func (p *pair) end() {
	for _, c := range []*child{p.server, p.fleet} {
		if c != nil {
			c.end()
		}
	}
}
