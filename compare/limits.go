//go:build linux

package main

import (
	"context"
	"fmt"
	"io"

	"wsfanout/compare/result"
	"wsfanout/internal/preflight"
)

// preflightRun looks at the limits before anything starts: a default number of clients shrinks to what fits and says so,
// an explicit one that does not fit is refused. Limits that count elsewhere refuse nothing: a cell that meets one says so.
func preflightRun(ctx context.Context, c *config, stderr io.Writer) (result.Host, error) {
	if c.anywhere() {
		host, err := c.serverHost(ctx)
		if err == nil {
			fmt.Fprintln(stderr, "note:", notHere)
		}
		return host, err
	}
	limits := preflight.Read()
	need := preflight.Need{Clients: c.clients, Extras: c.behave.extras(), SizeBytes: c.size}
	clients, notes, err := preflight.Settle(limits, need, c.explicit["clients"])
	if err != nil {
		return result.Host{}, err
	}
	if clients < c.clients { // only a default shrinks, and that is no list
		c.clients, c.clientCounts = clients, []int{clients}
	}
	for _, note := range notes {
		fmt.Fprintln(stderr, "note:", note)
		c.warnings = append(c.warnings, note)
	}
	return result.Host(limits.Host), nil
}
