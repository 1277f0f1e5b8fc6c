package clientfleet

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// ErrNoClock is wrapped when the server does not say what its clock shows.
var ErrNoClock = errors.New("clientfleet: the server's clock is not known")

const (
	askEvery    = 70 * time.Millisecond // does not go with any usual interval of rounds, which would delay each answer
	askAgain    = time.Second           // a question without an answer holds the next one up for so long
	burst       = 40                    // exchanges when nothing else goes on
	burstEnough = 5                     // of them, where more would take longer than burstTime
	burstTime   = 300 * time.Millisecond
	burstLimit  = 5 * time.Second
)

// question is that of the client of kind AsksClock, of which its reader has one at a time.
type question struct {
	number uint32
	asked  int64 // when it was sent; 0: it is answered
}

// AskClock asks the server for its clock many times, which takes a moment without rounds, and goes on asking from then on until
// Close. It returns what is known of the clock now. The error is ErrNoClock, also where the plan has no client of kind AsksClock, or
// ErrClosed.
func (f *Fleet) AskClock() (ClockSeen, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return ClockSeen{}, ErrClosed
	case f.asker == nil:
		return ClockSeen{}, fmt.Errorf("%w: no client of kind %s in the plan", ErrNoClock, AsksClock)
	}
	f.asking.end()
	defer f.asking.begin(askEvery, []*reader{f.asker}, (*reader).ask)
	f.clock.fresh()
	if err := f.askMany(); err != nil {
		return ClockSeen{}, err
	}
	f.clock.fresh()
	offset, within := f.clock.at(clock.Now())
	return ClockSeen{OffsetNs: offset, DriftPPM: f.clock.drift() * 1e6, UncertaintyNs: within, Exchanges: f.clock.count()}, nil
}

// askMany is a burst, one exchange after the other.
func (f *Fleet) askMany() error {
	began, before := clock.Now(), f.clock.count()
	for {
		f.asker.do(f.asker.ask)
		select {
		case <-f.clock.told:
		case <-time.After(askEvery):
		}
		took := time.Duration(clock.Now() - began)
		switch n := f.clock.count() - before; {
		case n >= burst, n >= burstEnough && took > burstTime, n > 0 && took > burstLimit:
			return nil
		case took > burstLimit:
			return fmt.Errorf("%w: no answer within %v", ErrNoClock, burstLimit)
		}
	}
}

// ask sends the next question, unless one is still under way.
func (r *reader) ask() {
	c, q := r.asks, &r.question
	if c.fd < 0 || c.ended || q.asked != 0 && clock.Now()-q.asked < int64(askAgain) {
		return
	}
	q.number++
	text := strconv.AppendUint([]byte("clock "), uint64(q.number), 10)
	q.asked = clock.Now()
	sent, err := r.sendShort(c, 0x80|byte(ws.OpText), text)
	if !sent {
		q.asked = 0
	}
	if err != nil {
		r.lost(c, err)
	}
}

// told takes the answer to the question that is under way. The server's clock was read at some instant between the sending and
// the arrival.
func (r *reader) told(s stamp.Stamp, m moment) {
	q := &r.question
	if q.asked == 0 || s.Round != q.number {
		return
	}
	from, to := q.asked, m.picked
	q.asked = 0
	inexact := int64(0)
	if m.arrival > from && m.arrival < to {
		to, inexact = m.arrival, r.wall.bracket
	}
	way := to - from
	r.grid.clock.add(reading{
		at: from + way/2, offset: s.Start - from - way/2,
		within: way/2 + way/1000 + inexact + 1, // a thousandth is what the clocks may drift apart meanwhile
	})
}
