//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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
	if c.apart.server.own() {
		return here, nil
	}
	server, err := startChild("server", "serve", c.serverCarrier())
	if err != nil {
		return here, err
	}
	defer server.end()
	ctx, cancel := context.WithTimeoutCause(ctx, carrierPatience, errSlow)
	defer cancel()
	h, err := call[serve.Host](ctx, server, "host", nil, nil)
	switch _, refused := errors.AsType[refusal](err); {
	case refused: // a program that does not say what it runs on can be measured all the same
		c.warnings = append(c.warnings, fmt.Sprintf("the host is that of `compare`, not the server's: %v", err))
		return here, nil
	case err != nil:
		return here, err
	case h.GOMAXPROCS < 1:
		return here, fmt.Errorf("%s: host: GOMAXPROCS %d", server.name, h.GOMAXPROCS)
	}
	runtime.GOMAXPROCS(h.GOMAXPROCS) // the defaults that the file records are worked out here
	if !c.explicit["shards"] {
		c.shards = h.GOMAXPROCS
	}
	return result.Host(h.Machine), c.refuseTwins()
}

// carrierPatience is for a carrier's way to its child: ssh, a container that is still starting.
const carrierPatience = 30 * time.Second
