package serve

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"wsfanout/engines"
	"wsfanout/internal/clock"
)

// stallWatch finds handlers that run for longer than a limit. It costs two readings of the clock for each message.
type stallWatch struct {
	limit time.Duration // 0: off
	cost  float64       // ns, of watching one handler
	count atomic.Int64

	mu      sync.Mutex // held only by handlers that were too long
	worst   int64
	handler string
}

// newStallWatch measures its own cost.
func newStallWatch(limit time.Duration) *stallWatch {
	w := &stallWatch{limit: limit}
	if limit == 0 {
		return w
	}
	const often = 100_000
	began := clock.Now()
	for range often {
		w.end(nil, nil, clock.Now())
	}
	w.cost = float64(clock.Now()-began) / often
	w.count.Store(0) // a preemption may have looked like a stall
	w.worst, w.handler = 0, ""
	return w
}

// end is called when the handler that began then is done.
func (w *stallWatch) end(c engines.Conn, message []byte, began int64) {
	took := clock.Now() - began
	if took <= int64(w.limit) {
		return
	}
	w.count.Add(1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if took > w.worst && c != nil {
		w.worst, w.handler = took, fmt.Sprintf("%s of client %d", called(message), c.Number())
	}
}

// stalls is what was found so far.
func (s *session) stalls(context.Context, struct{}) (Stalls, error) {
	w := s.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	return Stalls{Limit: w.limit, Count: w.count.Load(), WorstNs: w.worst, Handler: w.handler, CostNs: w.cost}, nil
}

// called is a message as a report names it: a request by its text, anything else by its size.
func called(message []byte) string {
	if bytes.HasPrefix(message, blockPrefix) {
		return strconv.Quote(string(message))
	}
	return fmt.Sprintf("a message of %d bytes", len(message))
}
