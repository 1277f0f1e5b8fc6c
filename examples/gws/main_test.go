package main

import (
	"io"
	"testing"
	"time"

	"wsfanout/engines"
	"wsfanout/engines/enginetest"
)

// TestEngine is all that an engine of your own needs.
func TestEngine(t *testing.T) {
	options := engines.Foreign(engines.Defaults{WriteTimeout: time.Second, MaxPayload: 256 << 10, Log: io.Discard})
	enginetest.Run(t, enginetest.Suite{Options: options, New: newEngine})
}
