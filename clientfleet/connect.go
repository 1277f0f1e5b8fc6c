package clientfleet

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/gobwas/ws"
	"golang.org/x/sys/unix"

	"wsfanout/internal/clock"
)

// refusedFor is how long a server may refuse everybody before refusals are final: a full backlog drains, a server that
// is not there does not come.
const refusedFor = 3 * time.Second

var errTimeout = errors.New("timeout")

// seat is one client before it is connected: who it is and which reader will have it.
type seat struct {
	number int
	extra  *Extra // nil: healthy
	reader int
	place  int // in the reader's list
}

// dialing connects the clients of a fleet, many at a time.
type dialing struct {
	target
	fleet   *Fleet
	limit   int          // source addresses at most: 1 unless the server is in 127.0.0.0/8
	sources atomic.Int64 // source addresses in use; they grow if ports run out all the same
	next    atomic.Int64 // next seat
	good    atomic.Int64 // connected
	lately  atomic.Int64 // when the last one was, CLOCK_MONOTONIC nanoseconds

	mu     sync.Mutex
	errors map[string]int
	took   *hdrhistogram.Histogram // of the dials that succeeded
}

func newDialing(f *Fleet, p Plan) (*dialing, error) {
	addr, err := net.ResolveTCPAddr("tcp", p.Addr)
	if err != nil {
		return nil, err
	}
	d := &dialing{
		target: target{addr: addr.AddrPort(), host: p.Addr, path: p.Path, compress: p.Compress},
		fleet:  f, limit: 1, errors: map[string]int{}, took: newHistogram(),
	}
	if d.tls, err = p.TLS.config(p.Addr); err != nil {
		return nil, err
	}
	d.sources.Store(1)
	if ip := d.addr.Addr().Unmap(); ip.Is4() && ip.IsLoopback() {
		low, high, err := portRange()
		if err != nil {
			return nil, err
		}
		d.limit = maxSources
		d.sources.Store(int64(sourcesFor(len(f.seats), low, high)))
	}
	return d, nil
}

// all connects every seat or gives up on it when ctx ends.
func (d *dialing) all(ctx context.Context, workers int, progress func(int)) Connected {
	begin := clock.Now()
	d.lately.Store(begin)
	var wg sync.WaitGroup
	for range min(workers, len(d.fleet.seats)) {
		wg.Go(func() {
			for i := d.next.Add(1) - 1; i < int64(len(d.fleet.seats)); i = d.next.Add(1) - 1 {
				d.one(ctx, d.fleet.seats[i])
			}
		})
	}
	d.report(&wg, progress)
	return Connected{
		Asked: len(d.fleet.seats), Connected: int(d.good.Load()), ConnectNs: clock.Now() - begin,
		Errors: d.errors, Sources: int(d.sources.Load()), Dial: encodeSome(d.took),
	}
}

// report calls progress twice a second and once at the end, when all workers are done.
func (d *dialing) report(wg *sync.WaitGroup, progress func(int)) {
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			progress(int(d.good.Load()))
		case <-done:
			progress(int(d.good.Load()))
			return
		}
	}
}

// one connects one client, again and again while the server only has no room yet.
func (d *dialing) one(ctx context.Context, s seat) {
	wait := 5 * time.Millisecond
	for try := 0; ; try++ {
		if ctx.Err() != nil {
			d.fail(s, context.Cause(ctx))
			return
		}
		sources := d.sources.Load()
		source := -1
		if sources > 1 {
			source = (s.number + try) % int(sources) // another one each time: the ports of one may have run out
		}
		l, err := d.dial(ctx, s, source)
		if err == nil {
			d.lately.Store(clock.Now())
			d.good.Add(1)
			d.time(l)
			d.fleet.adopt(s, l)
			return
		}
		if ctx.Err() == nil && !d.again(err, sources) {
			d.fail(s, err)
			return
		}
		select {
		case <-time.After(wait):
			wait = min(2*wait, 250*time.Millisecond)
		case <-ctx.Done():
		}
	}
}

func (d *dialing) time(l link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.took.RecordValue(min(l.took, highestValue))
}

// again tells whether another try may do better.
func (d *dialing) again(err error, sources int64) bool {
	switch {
	case errors.Is(err, unix.EADDRNOTAVAIL):
		// Others use more ports than were left to them: one source address more, if there can be one.
		d.sources.CompareAndSwap(sources, min(sources+1, int64(d.limit)))
		return sources < int64(d.limit)
	case errors.Is(err, unix.ECONNREFUSED), errors.Is(err, unix.ETIMEDOUT), errors.Is(err, unix.EAGAIN):
		return clock.Now()-d.lately.Load() < int64(refusedFor)
	}
	return false
}

func (d *dialing) fail(s seat, err error) {
	kind := kindOf(err)
	d.mu.Lock()
	d.errors[kind]++
	d.mu.Unlock()
	d.fleet.missing(s, kind)
}

// kindOf names an error of a connect so that equal ones can be counted.
func kindOf(err error) string {
	var status ws.StatusError
	var errno unix.Errno
	switch {
	case errors.Is(err, errTimeout), errors.Is(err, os.ErrDeadlineExceeded):
		return errTimeout.Error()
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.As(err, &status):
		return "http " + strconv.Itoa(int(status))
	case errors.As(err, &errno):
		return errno.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "EOF in the handshake"
	}
	return err.Error()
}
