package engines

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// debt is what a connection was handed and what the kernel has taken of it, in bytes since it was opened, for an engine
// whose writes do not block. Both only grow.
type debt struct {
	handed atomic.Int64
	taken  atomic.Int64

	watched atomic.Bool // in the sweeper's list
	marks   []mark      // guarded by sweeper.mu
}

// mark says that bytes had been handed over at an instant.
type mark struct {
	at    time.Time
	bytes int64
}

func (d *debt) owed() int64 { return max(0, d.handed.Load()-d.taken.Load()) }

// indebted is a connection the sweeper can watch.
type indebted interface {
	debt() *debt
	Evict(cause error)
}

// sweeper gives the write timeout one meaning where the library has none that is sound: a connection is evicted when the
// kernel has taken less, now, than had been handed over one timeout ago. It looks only at connections that owe. One whose
// every byte is taken in time is never evicted, however long it owes something.
type sweeper struct {
	timeout time.Duration

	mu    sync.Mutex
	owing []indebted
}

// watch is called after a write that left something owed. It costs one atomic load when the connection is watched already.
func (s *sweeper) watch(c indebted) {
	d := c.debt()
	if d.watched.Load() || d.watched.Swap(true) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d.marks = append(d.marks[:0], mark{time.Now(), d.handed.Load()})
	s.owing = append(s.owing, c)
}

// run sweeps until ctx is done.
func (s *sweeper) run(ctx context.Context) {
	tick := time.NewTicker(max(s.timeout/10, 5*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, c := range s.sweep(time.Now()) {
				c.Evict(writeTimeout(s.timeout))
			}
		}
	}
}

// sweep returns the connections to evict and forgets those and the ones that owe nothing any more.
func (s *sweeper) sweep(now time.Time) (late []indebted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keep := s.owing[:0]
	for _, c := range s.owing {
		d := c.debt()
		switch {
		case d.settled():
		case d.late(now, s.timeout):
			late = append(late, c)
		default:
			keep = append(keep, c)
		}
	}
	clear(s.owing[len(keep):])
	s.owing = keep
	return late
}

// settled reports whether nothing is owed, and then stops watching. A write that comes in between watches anew, so this
// looks twice.
func (d *debt) settled() bool {
	if d.owed() > 0 {
		return false
	}
	d.watched.Store(false)
	return d.owed() == 0 || d.watched.Swap(true)
}

// late drops the marks that are paid, reports whether the oldest unpaid one is older than the timeout, and sets a mark for
// what was handed over since the last one. There are never more marks than sweeps in one timeout, and one.
func (d *debt) late(now time.Time, timeout time.Duration) bool {
	taken, handed := d.taken.Load(), d.handed.Load()
	paid := 0
	for paid < len(d.marks) && d.marks[paid].bytes <= taken {
		paid++
	}
	d.marks = append(d.marks[:0], d.marks[paid:]...)
	if len(d.marks) > 0 && now.Sub(d.marks[0].at) >= timeout {
		return true
	}
	if n := len(d.marks); n == 0 || d.marks[n-1].bytes < handed {
		d.marks = append(d.marks, mark{now, handed})
	}
	return false
}
