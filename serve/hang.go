package serve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"wsfanout/internal/clock"
)

// hearPatience is for announcements that are on their way while the phase begins.
const hearPatience = 5 * time.Second

// arm prepares the stuck phase: the announcements, the proof's starting point, then the filler.
func (s *session) arm(ctx context.Context, p Phase) (err error) {
	for deadline := time.Now().Add(hearPatience); ; {
		switch n, err := s.register.unheard(); {
		case err != nil:
			return err
		case n > 0 && time.Now().After(deadline):
			return fmt.Errorf("%d of %d extras have not announced themselves after %v", n, len(s.plan.Extras), hearPatience)
		case n > 0:
			if err := sleep(ctx, time.Millisecond); err != nil {
				return err
			}
			continue
		}
		break
	}
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
	if len(s.plan.Extras) == 0 || s.options.WriteLimit() > 0 {
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
