package serve

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"wsfanout/engines"
	"wsfanout/internal/clock"
)

// arm prepares the stuck phase: the proof's starting point first, then the filler.
func (s *session) arm(p Phase) (err error) {
	if s.phaseNow.stuck, err = s.watchStuck(); err != nil || p.Jam != "fill" {
		return err
	}
	var all sync.WaitGroup
	watches := s.phaseNow.stuck.watches
	errs := make([]error, len(watches))
	for i, one := range watches {
		if e := s.register.extras[one.report.Number]; e.Fill { // a slow client would take filler for as long as it comes
			all.Go(func() { one.report.Filled, errs[i] = fill(one.conn, s.filling, e.Forever) })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// hubWatch frees a hub that hangs in a write without a deadline: the run must end, and say so.
type hubWatch struct {
	timer *time.Timer
	since atomic.Int64 // when the running broadcast began; 0: none is running
	freed atomic.Bool
}

// watchHub closes the extras if, behind the end of the schedule (CLOCK_MONOTONIC), one broadcast has lasted for longer
// than patience. A hub that is merely late is left alone. Only set-ups whose writes never time out need it.
func (s *session) watchHub(end int64) *hubWatch {
	w := &hubWatch{}
	timed := s.options.Deadline != engines.DeadlineNone && s.options.WriteTimeout > 0
	if len(s.plan.Extras) == 0 || timed {
		return w
	}
	patience := max(2*time.Second, s.options.UserTimeout+time.Second)
	// Armed only after the assignment: the function resets the timer.
	w.timer = time.AfterFunc(math.MaxInt64, func() {
		if since := w.since.Load(); since == 0 || time.Duration(clock.Now()-since) < patience {
			w.timer.Reset(samplePeriod)
			return
		}
		w.freed.Store(true)
		for _, c := range s.engine.Conns() {
			if s.isExtra(c.Number()) {
				c.Evict(errBounded)
			}
		}
	})
	w.timer.Reset(time.Duration(end-clock.Now()) + patience)
	return w
}

func (w *hubWatch) begin() { w.since.Store(clock.Now()) }
func (w *hubWatch) done()  { w.since.Store(0) }

func (w *hubWatch) fired() bool { return w.freed.Load() }

func (w *hubWatch) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}
