package serve

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"wsfanout/engines"
	"wsfanout/internal/clock"
	"wsfanout/internal/sock"
)

// samplePeriod is how often the stuck clients, and only they, are looked at.
const samplePeriod = 10 * time.Millisecond

// watch is what a sampler knows of one client that stopped reading.
type watch struct {
	conn      engines.Conn
	stopped   int64 // bytes the kernel had taken when the client stopped reading
	taken     int64 // at the latest sample
	sampledAt int64
	owedSince int64 // when the oldest owed byte was handed over, as far as samples tell; 0: nothing is owed
	report    StuckClient
}

// sampler watches the stuck clients through a phase. The proof of a jam comes from the kernel: a byte stayed owed while
// none was taken.
type sampler struct {
	session *session
	after   time.Duration // a byte owed for so long is a jam
	origin  int64         // the phase's first due instant
	quit    chan struct{}
	done    sync.WaitGroup

	mu      sync.Mutex
	starts  []int64 // of the phase's rounds
	watches []*watch
	heap    heapGrowth
}

// JamAfter is for how long a byte must stay owed, while the kernel takes none, to be a jam: half the write timeout, at
// most 500 ms, and 500 ms without one.
func JamAfter(writeTimeout time.Duration) time.Duration {
	if writeTimeout == 0 {
		return 500 * time.Millisecond
	}
	return min(writeTimeout/2, 500*time.Millisecond)
}

// watchStuck takes the state of every extra at the moment it stopped reading. One that is closed already has none.
func (s *session) watchStuck() (*sampler, error) {
	w := &sampler{session: s, after: JamAfter(s.options.WriteLimit()), quit: make(chan struct{})}
	for _, c := range s.engine.Conns() {
		if !s.isExtra(c.Number()) {
			continue
		}
		one := &watch{conn: c, report: StuckClient{Number: c.Number(), Held: [][2]int64{}}}
		var err error
		closed := c.Control(func(fd uintptr) {
			if one.stopped, err = sock.Taken(int(fd)); err == nil {
				one.report.SendBuffer, err = sock.SendBuffer(int(fd))
			}
		})
		if err != nil {
			return nil, fmt.Errorf("client %d: %w", c.Number(), err)
		}
		if closed == nil {
			one.taken, one.sampledAt = one.stopped, clock.Now()
			w.watches = append(w.watches, one)
		}
	}
	return w, nil
}

// begin starts the sampler; the phase's first round is due at origin.
func (w *sampler) begin(origin int64) {
	w.origin = origin
	w.heap.begin()
	w.done.Go(func() {
		tick := time.NewTicker(samplePeriod)
		defer tick.Stop()
		for {
			select {
			case <-w.quit:
				return
			case <-tick.C:
				w.sample()
			}
		}
	})
}

func (w *sampler) end() {
	close(w.quit)
	w.done.Wait()
	w.sample()
}

// roundStarts tells the sampler that a round begins: a jam belongs to the round whose byte stayed owed.
func (w *sampler) roundStarts(at int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.starts = append(w.starts, at)
}

func (w *sampler) sample() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heap.sample()
	for _, one := range w.watches {
		w.look(one)
	}
}

func (w *sampler) look(one *watch) {
	now := clock.Now()
	owed := one.conn.Owed()
	member, _ := w.session.hub().Member(one.report.Number)
	w.hold(one, now, max(owed, member.QueuedBytes)) // a message being written counts in both
	one.report.QueuedMax = max(one.report.QueuedMax, member.Queued)
	if member.Dropped > one.report.Drops {
		one.report.Drops = member.Dropped
		w.notice(one, "queue full", now)
	}
	taken := one.taken
	if one.conn.Control(func(fd uintptr) {
		if n, err := sock.Taken(int(fd)); err == nil {
			taken = n
		}
	}) != nil {
		return // closed: what it owed until then still tells why
	}
	switch {
	case owed == 0:
		one.owedSince = 0
	case one.owedSince == 0 || taken != one.taken:
		// Handed over since the last look: by the round that began in between, or by one that was still going on.
		one.owedSince = max(one.sampledAt, w.startOf(w.roundAt(now)))
	case one.report.JamAt == 0 && now-one.owedSince >= int64(w.after):
		one.report.JamAt, one.report.JamRound = one.owedSince, w.roundAt(one.owedSince)
	}
	one.taken, one.sampledAt = taken, now
	if one.report.JamAt == 0 {
		one.report.Absorbed = taken - one.stopped
		one.report.Handed = one.report.Absorbed + owed
	}
}

// roundAt is the round that was under way at an instant, from 1; 0: the phase's first had not begun.
func (w *sampler) roundAt(at int64) int {
	n := len(w.starts)
	for n > 0 && w.starts[n-1] > at {
		n--
	}
	return n
}

func (w *sampler) startOf(round int) int64 {
	if round == 0 {
		return 0
	}
	return w.starts[round-1]
}

// hold records what the server holds for the client whenever it changes.
func (w *sampler) hold(one *watch, now, bytes int64) {
	r := &one.report
	r.HeldMax = max(r.HeldMax, bytes)
	if n := len(r.Held); n == 0 && bytes > 0 || n > 0 && r.Held[n-1][1] != bytes {
		r.Held = append(r.Held, [2]int64{now - w.origin, bytes})
	}
}

func (w *sampler) notice(one *watch, by string, at int64) {
	if one.report.NoticedBy == "" {
		one.report.NoticedBy, one.report.NoticedAt = by, at
	}
}

// reports closes the record with what the register knows of the evictions.
func (w *sampler) reports(lost map[int]loss, owed func(number int) int, failed func(number int) int) []StuckClient {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []StuckClient
	watched := map[int]bool{}
	for _, one := range w.watches {
		watched[one.report.Number] = true
		r := &one.report
		if l, ok := lost[r.Number]; ok {
			if l.why == errBounded.Error() {
				r.Bounded = true
			} else {
				r.EvictedBy, r.EvictedAt = l.why, l.at
				w.notice(one, l.why, l.at)
				w.closedForOwing(one)
			}
		}
		r.Owed, r.Failed = owed(r.Number), failed(r.Number)
		r.Held = thinned(r.Held)
		out = append(out, *r)
	}
	for number, l := range lost {
		if !watched[number] {
			out = append(out, StuckClient{Number: number, GoneBefore: l.why, Held: [][2]int64{}})
		}
	}
	slices.SortFunc(out, func(a, b StuckClient) int { return cmp.Compare(a.Number, b.Number) })
	return out
}

// closedForOwing: a client that was closed because of what it owed, before a jam could be timed, was jammed from the
// moment it owed: a cap of a few messages acts faster than the proof.
func (w *sampler) closedForOwing(one *watch) {
	r := &one.report
	switch r.EvictedBy {
	case engines.ErrWriteOverflow.Error(), engines.ErrQueueFull.Error(), engines.ErrWriteTimeout.Error():
		if r.JamAt == 0 && one.owedSince != 0 {
			r.JamAt, r.JamRound = one.owedSince, w.roundAt(one.owedSince)
		}
	}
}

// heldKept bounds the points of a curve in the results file.
const heldKept = 200

func thinned(points [][2]int64) [][2]int64 {
	if len(points) <= heldKept {
		return points
	}
	out := make([][2]int64, 0, heldKept+1)
	for i := range heldKept {
		out = append(out, points[i*len(points)/heldKept])
	}
	return append(out, points[len(points)-1])
}
