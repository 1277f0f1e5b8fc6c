package report

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"wsfanout/compare/result"
)

// What a cell does with a client that does not take its bytes follows from its specs; the options are those in force.

const (
	mixedBlocking = 10_000 // connections that nbio's mixed mode serves as blocking ones before it goes over to pollers
	defaultQueue  = 64     // messages, of a chan spec without a number
)

// writesBlock says whether a write to a full connection makes its goroutine wait. Where connections of both kinds are
// served, it is not known of a single one.
func writesBlock(c *result.Cell, extras int) (block, known bool) {
	if c.Options["exec"] != "" { // a program of somebody else's
		return false, false
	}
	switch c.Options["iomod"] {
	case "nonblocking":
		return false, true
	case "mixed":
		return true, c.Clients+extras <= mixedBlocking
	}
	return c.Options["async"] != "true", true // gorilla has neither option
}

// writeTimeout is 0 where nothing ends a write.
func writeTimeout(c *result.Cell) time.Duration {
	if c.Options["deadline"] == "none" {
		return 0
	}
	return option(c, "writetimeout")
}

func option(c *result.Cell, name string) time.Duration {
	d, err := time.ParseDuration(cmp.Or(c.Options[name], "0"))
	if err != nil {
		return 0
	}
	return d
}

func queues(c *result.Cell) bool {
	return c.Strategy == "chan" || strings.HasPrefix(c.Strategy, "chan:")
}

// queueLength is that of a chan cell, in messages.
func queueLength(c *result.Cell) int {
	for _, part := range strings.Split(c.Strategy, ":")[1:] {
		if n, err := strconv.Atoi(part); err == nil {
			return n
		}
	}
	return defaultQueue
}

// gated says that clients which owe too much are skipped, on any engine.
func gated(c *result.Cell) bool { return strings.Contains(c.Strategy, "gate=") }

// heldAs is the form in which the server holds bytes for a client that does not take them; "" where it is not known.
func heldAs(c *result.Cell, extras int) string {
	block, known := writesBlock(c, extras)
	switch {
	case !known:
		return ""
	case !block:
		return copies
	case queues(c):
		return shared
	}
	return inWrite
}

const (
	copies  = "copies"   // the engine's own, for each client
	shared  = "shared"   // the round's payload, which every queue points to
	inWrite = "in write" // the one message that blocks in its write
)
