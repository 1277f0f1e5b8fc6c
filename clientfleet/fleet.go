package clientfleet

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"wsfanout/internal/clock"
)

// ErrClosed is returned for a question to a fleet that has been closed.
var ErrClosed = errors.New("clientfleet: closed")

// Fleet is a number of connected clients and what they have received. Its methods may be called from any goroutine.
type Fleet struct {
	seats   []seat
	readers []*reader
	marked  usage // at the last Mark
	pace    pace  // of the extras that do something at their times
	inbound pace
	talks   bool        // the plan has inbound messages
	clock   *otherClock // the server's; nil: this host's own
	asker   *reader     // of the client that asks for it
	asking  pace

	mu      sync.Mutex
	closed  bool
	endEcho context.CancelCauseFunc // of the echo load under way; nil: none
}

// Connect connects the clients of a plan. It returns when each of them is connected, refused, or out of time: fewer
// clients than asked are no error, Connected says how many there are and why. progress is called at most twice a second
// and once at the end; nil is allowed.
//
// The error is one of the plan (ErrPlan), of this machine, or the cause of ctx. Then everything is closed again.
func Connect(ctx context.Context, p Plan, progress func(connected int)) (*Fleet, Connected, error) {
	p, err := p.checked()
	if err != nil {
		return nil, Connected{}, err
	}
	if progress == nil {
		progress = func(int) {}
	}
	f, err := newFleet(p)
	if err != nil {
		return nil, Connected{}, err
	}
	d, err := newDialing(f, p)
	if err != nil {
		f.Close()
		return nil, Connected{}, fmt.Errorf("clientfleet: %w", err)
	}
	timed, cancel := context.WithTimeoutCause(ctx, p.Timeout, errTimeout)
	defer cancel()
	got := d.all(timed, p.Dialing, progress)
	if ctx.Err() != nil {
		f.Close()
		return nil, got, context.Cause(ctx)
	}
	f.seats = nil // the readers know their clients
	f.each(func(r *reader) { got.Unstamped += r.tally.unstamped })
	return f, got, f.Mark()
}

// newFleet starts the readers and deals the clients out to them in turn.
func newFleet(p Plan) (*Fleet, error) {
	f := &Fleet{talks: p.Inbound != nil}
	deal := make([][]seat, p.Readers)
	healthy := make([]int, p.Readers)
	add := func(number int, extra *Extra) {
		r := len(f.seats) % p.Readers
		s := seat{number: number, extra: extra, reader: r, place: len(deal[r])}
		deal[r] = append(deal[r], s)
		f.seats = append(f.seats, s)
	}
	for _, span := range p.Numbers {
		for n := span.From; n < span.To; n++ {
			healthy[len(f.seats)%p.Readers]++
			add(n, nil)
		}
	}
	for i := range p.Extras {
		add(p.Extras[i].Number, &p.Extras[i])
	}
	if slices.ContainsFunc(p.Extras, func(x Extra) bool { return x.Kind == AsksClock }) {
		f.clock = newOtherClock()
	}
	filling, all := p.Content.filling(p.Size), 0
	for _, n := range healthy {
		all += n
	}
	for i, seats := range deal {
		r, err := newReader(seats, p, filling, newTalk(p.Inbound, healthy[i], all), f.clock)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("clientfleet: reader: %w", err)
		}
		f.readers = append(f.readers, r)
		if r.asks != nil {
			f.asker = r
		}
	}
	return f, nil
}

// adopt hands a connected client to its reader.
func (f *Fleet) adopt(s seat, l link) {
	r := f.readers[s.reader]
	r.inbox.post(func() { r.adopt(s.place, l) })
}

// missing notes a client that will never be there.
func (f *Fleet) missing(s seat, kind string) {
	r, at := f.readers[s.reader], clock.Now()
	r.inbox.post(func() { r.gone = append(r.gone, Gone{Number: s.number, Why: "never connected: " + kind, At: at}) })
}

// each runs do with every reader, on the reader's own thread, one after the other.
func (f *Fleet) each(do func(*reader)) {
	for _, r := range f.readers {
		r.do(func() { do(r) })
	}
}

// Received counts the messages of the rounds from..to-1, of every kind, at healthy clients, each client and round once. It
// wakes the readers for a moment: call it at most twice a second.
func (f *Fleet) Received(from, to uint32) int64 {
	var n int64
	f.each(func(r *reader) {
		for i := from; i < r.grid.end(to); i++ {
			n += int64(r.grid.rounds[i].received)
		}
	})
	return n
}

// Settle returns the memory that connecting has cost to the operating system.
func (f *Fleet) Settle() {
	debug.FreeOSMemory() // what was in a sync.Pool
	debug.FreeOSMemory() // survives one collection
}

// Close ends every connection with a reset, which leaves no TIME_WAIT, and all goroutines. What was collected can still
// be read. Closing again does nothing.
func (f *Fleet) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	if f.endEcho != nil {
		f.endEcho(ErrClosed)
	}
	f.pace.end()
	f.inbound.end()
	f.asking.end()
	for _, r := range f.readers {
		r.do(r.shut)
		<-r.exited
	}
	return nil
}
