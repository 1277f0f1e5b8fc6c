//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"wsfanout/compare/result"
	"wsfanout/internal/preflight"
	"wsfanout/serve"
)

// notHere is said instead of a look at limits that are not those of the children.
const notHere = "the limits of this machine were not held against the run: another one counts; run `compare doctor` where the halves run"

// serverHost is the machine of the results file: the server's. What follows from its CPUs follows them wherever it runs: a carrier
// that leads nowhere is found out before the run, too.
func (c *config) serverHost(ctx context.Context) (result.Host, error) {
	here := result.Host(preflight.Read().Host)
	ctx, cancel := context.WithTimeoutCause(ctx, carrierPatience, errSlow)
	defer cancel()
	if err := c.askFleets(ctx); err != nil {
		return here, err
	}
	if c.apart.server.own() {
		return here, nil
	}
	by := c.serverCarrier()
	by.patience = dialPatience
	server, err := reachChild(ctx, "server", "serve", by)
	if err != nil {
		return here, err
	}
	defer server.end()
	h, err := call[serve.Host](ctx, server, "host", nil, nil)
	switch _, refused := errors.AsType[refusal](err); {
	case refused: // a program that does not say what it runs on can be measured all the same
		c.warnings = append(c.warnings, fmt.Sprintf("the host is that of `compare`, not the server's: %v", err))
		return here, nil
	case err != nil:
		return here, err
	case h.GOMAXPROCS < 1:
		return here, fmt.Errorf("%s: it does not say how many processors it uses: is it `compare serve`?", server.name)
	}
	runtime.GOMAXPROCS(h.GOMAXPROCS) // the defaults that the file records are worked out here
	if !c.explicit["shards"] {
		c.shards = h.GOMAXPROCS
	}
	if h.Machine.CPUs < 1 {
		c.warnings = append(c.warnings, fmt.Sprintf("the host is that of `compare`, not the server's: %s does not tell its own", server.name))
		return here, c.refuseTwins()
	}
	m := h.Machine
	for _, text := range []*string{&m.CPUModel, &m.Kernel, &m.TCPWmem, &m.TCPRmem, &m.PortRange} {
		*text = tame(*text)
	}
	return result.Host(m), c.refuseTwins()
}

// askFleets reaches every fleet of another place once.
func (c *config) askFleets(ctx context.Context) error {
	by := slices.Clone(c.apart.fleets)
	for i := range by {
		by[i].patience = dialPatience
	}
	all, err := startFleets(ctx, by)
	defer all.end()
	if err != nil {
		return err
	}
	hosts, err := all.hosts(ctx)
	for i, h := range hosts {
		if h.MonotonicNs <= 0 {
			return fmt.Errorf("%s: it does not say what its clock shows: is it `compare fleet`?", all[i].name)
		}
	}
	return err
}

// carrierPatience is for a carrier's way to its child: ssh, a container that is still starting.
const carrierPatience = 30 * time.Second
