package serve

import (
	"bytes"
	"time"

	"wsfanout/engines"
	"wsfanout/internal/clock"
)

// The values of Plan.Handler: what the server does with a message of a client, on whatever goroutine the engine calls it.
const (
	HandlerCount = ""      // counts it
	HandlerBlock = "block" // counts it; the text "block 1.6s" holds the handler for so long
	HandlerEcho  = "echo"  // as block, and then writes it back: clients of such a server are in no round
)

var blockPrefix = []byte("block ")

func (s *session) handle(c engines.Conn, message []byte) {
	if s.plan.Handler == HandlerCount {
		return
	}
	if s.watch.limit > 0 {
		defer s.watch.end(c, message, clock.Now())
	}
	if text, ok := bytes.CutPrefix(message, blockPrefix); ok {
		if d, err := time.ParseDuration(string(text)); err == nil {
			time.Sleep(min(d, longestBlock))
		}
	}
	if s.plan.Handler == HandlerEcho {
		_ = c.Write(message) // a failure has begun the eviction, which is reported
	}
}

// longestBlock bounds what a client can ask for.
const longestBlock = time.Minute
