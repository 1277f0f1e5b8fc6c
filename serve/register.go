package serve

import (
	"errors"
	"fmt"
	"sync"

	"wsfanout/engines"
	"wsfanout/internal/clock"
)

// register knows who is open, and why and since when the others are not.
type register struct {
	extras map[int]Extra

	mu    sync.Mutex
	live  map[int]bool
	gone  map[int]loss
	heard map[int]error // extras that announced themselves -> what went wrong with their send buffer
}

// loss is the end of one connection: its cause in the words of the report, at a CLOCK_MONOTONIC instant.
type loss struct {
	why string
	at  int64
}

func newRegister(extras []Extra) *register {
	r := &register{live: map[int]bool{}, gone: map[int]loss{}, heard: map[int]error{}, extras: map[int]Extra{}}
	for _, e := range extras {
		r.extras[e.Number] = e
	}
	return r
}

func (r *register) open(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live[number] = true
	delete(r.gone, number)
}

func (r *register) close(number int, cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, number)
	r.gone[number] = loss{reason(cause), clock.Now()}
}

func (r *register) hear(number int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard[number] = err
}

// unheard is how many open extras have not announced themselves yet; the error is that of one that has.
func (r *register) unheard() (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for number, err := range r.heard {
		if err != nil {
			return 0, fmt.Errorf("stuck client %d: %w", number, err)
		}
	}
	for number := range r.extras {
		if _, heard := r.heard[number]; !heard && r.live[number] {
			n++
		}
	}
	return n, nil
}

func (r *register) members() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.live)
}

// stuckExtras splits the extras: live is how many of those that never read again are still open, leaving how many should
// leave or have left.
func (r *register) stuckExtras() (live, leaving int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for number, e := range r.extras {
		open := r.live[number]
		if e.Forever && open {
			live++
		}
		if e.Forever || !open {
			leaving++
		}
	}
	return live, leaving
}

// lost splits those that are gone into healthy clients and extras.
func (r *register) lost() (healthy, extras map[int]loss) {
	r.mu.Lock()
	defer r.mu.Unlock()
	healthy, extras = map[int]loss{}, map[int]loss{}
	for number, l := range r.gone {
		if _, extra := r.extras[number]; extra {
			extras[number] = l
		} else {
			healthy[number] = l
		}
	}
	return healthy, extras
}

// errBounded ends a client that would have made the hub hang for ever; it is the experiment's doing, not the engine's.
var errBounded = errors.New("ended with the run")

// reason names a cause by its sentinel, so that the report counts kinds and not texts.
func reason(cause error) string {
	for _, known := range []error{
		engines.ErrWriteTimeout, engines.ErrWriteOverflow, engines.ErrQueueFull, engines.ErrUserTimeout, engines.ErrTCPKeepalive,
		engines.ErrReadTimeout, engines.ErrPeerClosed, engines.ErrProtocol, engines.ErrStopped, errBounded,
	} {
		if errors.Is(cause, known) {
			return known.Error()
		}
	}
	if cause == nil {
		return "unknown"
	}
	return cause.Error()
}
