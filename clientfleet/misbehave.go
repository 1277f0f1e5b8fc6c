package clientfleet

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gobwas/ws"
	"golang.org/x/sys/unix"

	"wsfanout/internal/clock"
)

// How often the extras have their turns, and how exactly a stuck one keeps to its Resume.
const (
	beat     = 20 * time.Millisecond
	fineBeat = 5 * time.Millisecond // when one keeps to an After, Every or Delay
)

// Misbehave makes the extras do what they are there for, each After its time. Their sockets stay open; the healthy
// clients are as before. The error names an extra that cannot misbehave, because the kernel refuses its socket filter, or
// is ErrClosed.
func (f *Fleet) Misbehave() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrClosed
	}
	var errs []error
	every := time.Duration(math.MaxInt64)
	f.each(func(r *reader) {
		errs = append(errs, r.misbehave())
		every = min(every, r.paced())
	})
	if every <= beat {
		f.pace.begin(every, f.readers, (*reader).beatOnce)
	}
	return errors.Join(errs...)
}

// misbehave begins what begins now, once.
func (r *reader) misbehave() error {
	if r.misbehaved != 0 {
		return nil
	}
	r.misbehaved = clock.Now()
	r.beaten = r.misbehaved
	for i := range r.extras {
		c := &r.extras[i]
		switch e := c.extra; {
		case c.fd < 0 || c.ended:
		case e.After == 0:
			if err := r.start(c); err != nil {
				return err
			}
		case e.Kind == Vanished:
			if err := filter(c, everything); err != nil { // better known now than later
				return err
			}
		}
	}
	return nil
}

// start makes an extra begin.
func (r *reader) start(c *client) error {
	e := c.extra
	e.account.BeganAt = clock.Now()
	e.next = e.account.BeganAt
	if err := r.starts(c, e); err != nil {
		e.account = Behaved{Number: e.Number, Kind: e.Kind}
		return err
	}
	return nil
}

func (r *reader) starts(c *client, e *behaviour) error {
	// The server hears of it before anything else: what it does about this client's buffers must not disturb the rounds before.
	if e.Announce != "" {
		if err := r.answer(c, ws.OpText, []byte(e.Announce)); err != nil {
			return fmt.Errorf("client %d cannot announce itself: %w", c.number, err)
		}
	}
	if e.does.begin != nil {
		if err := e.does.begin(r, c); err != nil {
			return err
		}
	}
	if e.does.frozen {
		unix.EpollCtl(r.epoll, unix.EPOLL_CTL_DEL, int(c.fd), nil)
	}
	return nil
}

// What a socket filter accepts of a segment, bytes.
const (
	nothing    = 0 // it is not acknowledged, and the end of the connection cannot be seen either
	everything = math.MaxUint32
)

func (r *reader) vanish(c *client) error { return filter(c, nothing) }

// filter attaches a program that accepts so many bytes of any segment.
func filter(c *client, bytes uint32) error {
	program := [1]unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: bytes}}
	err := unix.SetsockoptSockFprog(int(c.fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &program[0]})
	if err != nil {
		return fmt.Errorf("client %d cannot vanish: the kernel refuses its socket filter: %w", c.number, err)
	}
	return nil
}

// paced says how often the extras must have turns; more than beat: never.
func (r *reader) paced() time.Duration {
	every := time.Duration(math.MaxInt64)
	for i := range r.extras {
		switch e := r.extras[i].extra; {
		case e.After > 0 || e.Every > 0 || e.Delay > 0:
			return fineBeat
		case e.Rate > 0 || e.Resume > 0:
			every = beat
		}
	}
	return every
}

// beatOnce gives each extra its turn, if it has begun, and begins those whose time has come.
func (r *reader) beatOnce() {
	now := clock.Now()
	for i := range r.extras {
		c := &r.extras[i]
		if c.fd < 0 {
			continue
		}
		if err := r.beatFor(c, now); err != nil {
			r.lost(c, err)
		}
	}
	r.beaten = now
}

func (r *reader) beatFor(c *client, now int64) error {
	e := c.extra
	switch k := e.does; {
	case !e.began():
		if !c.ended && now-r.misbehaved >= int64(e.After) {
			return r.start(c)
		}
	case k.turn != nil:
		return k.turn(r, c, now)
	case k.say != nil && !c.ended && now >= e.next:
		e.next = max(e.next, now-int64(e.Every)) + int64(e.Every) // what was missed is not made up for
		return k.say(r, c)
	}
	return nil
}

// resume makes a stuck client read again when its time has come.
func (r *reader) resume(c *client, now int64) error {
	e := c.extra
	if e.Resume > 0 && !e.resumed && now-e.account.BeganAt >= int64(e.Resume) && r.watch(int(c.fd), c.column) == nil {
		e.resumed = true
		r.interest(c)
	}
	return nil
}

// readSlowly reads a slow client's share since the last beat.
func (r *reader) readSlowly(c *client, now int64) error {
	if c.unsent != nil {
		r.flush(c) // its error is also the next read's
	}
	e := c.extra
	e.allowance += float64(e.Rate) * time.Duration(now-r.beaten).Seconds()
	r.readAtMost(c, int64(e.allowance))
	return nil
}

// readAtMost is one read of at most n bytes. Unused allowance is kept for one second's worth only: a slow client does not
// become a fast one by waiting.
func (r *reader) readAtMost(c *client, n int64) {
	n = min(n, int64(len(r.buf)))
	if n == 0 {
		return
	}
	var run run
	r.vec.SetLen(int(n))
	r.wall.refresh()
	got := r.step(c, &run)
	r.vec.SetLen(len(r.buf))
	r.tally.shared += run.shared()
	c.extra.allowance = min(c.extra.allowance-float64(got), float64(c.extra.Rate))
}
