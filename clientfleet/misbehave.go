package clientfleet

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"golang.org/x/sys/unix"

	"wsfanout/internal/clock"
)

// beat is how often slow clients read, and how exactly a stuck one keeps to its Resume.
const beat = 20 * time.Millisecond

// Misbehave makes the extras do what they are there for. Their sockets stay open; the healthy clients are as before. The
// error names an extra that cannot misbehave, because the kernel refuses its socket filter, or is ErrClosed.
func (f *Fleet) Misbehave() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrClosed
	}
	var errs []error
	busy := false
	f.each(func(r *reader) {
		errs = append(errs, r.misbehave())
		busy = busy || r.paced()
	})
	if busy {
		f.pace.begin(beat, f.readers, (*reader).beatOnce)
	}
	return errors.Join(errs...)
}

// misbehave takes the extras out of epoll, once.
func (r *reader) misbehave() error {
	if r.misbehaved != 0 {
		return nil
	}
	r.misbehaved = clock.Now()
	r.beaten = r.misbehaved
	for i := range r.clients {
		c := &r.clients[i]
		if c.extra == nil || c.fd < 0 {
			continue
		}
		// The server hears of it before anything else: what it does about this client's buffers must not disturb the rounds before.
		if text := c.extra.Announce; text != "" {
			if err := r.answer(c, ws.OpText, []byte(text)); err != nil {
				return fmt.Errorf("client %d cannot announce itself: %w", c.number, err)
			}
		}
		if c.extra.Kind == Vanished {
			if err := dropEverything(int(c.fd)); err != nil {
				return fmt.Errorf("client %d cannot vanish: the kernel refuses its socket filter: %w", c.number, err)
			}
		}
		unix.EpollCtl(r.epoll, unix.EPOLL_CTL_DEL, int(c.fd), nil)
	}
	return nil
}

// dropEverything attaches a program that accepts no byte of any segment. Nothing is acknowledged any more, and the end of
// the connection cannot be seen either.
func dropEverything(fd int) error {
	program := [1]unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: 0}}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &program[0]})
}

// paced says whether an extra has something to do while it misbehaves.
func (r *reader) paced() bool {
	for i := range r.clients {
		if e := r.clients[i].extra; e != nil && (e.Rate > 0 || e.Resume > 0) {
			return true
		}
	}
	return false
}

// beatOnce lets slow clients read their share since the last beat, and stuck ones return to reading when their time has come.
func (r *reader) beatOnce() {
	now := clock.Now()
	elapsed := time.Duration(now - r.beaten)
	r.beaten = now
	for i := range r.clients {
		c := &r.clients[i]
		switch e := c.extra; {
		case e == nil || c.fd < 0:
		case e.Kind == Slow:
			if c.unsent != nil {
				r.flush(c) // its error is also the next read's
			}
			e.allowance += float64(e.Rate) * elapsed.Seconds()
			r.readAtMost(c, int64(e.allowance))
		case e.Kind == Stuck && e.Resume > 0 && now-r.misbehaved >= int64(e.Resume):
			if r.watch(int(c.fd), int32(i)) == nil { // EEXIST from the second beat on
				r.interest(c)
			}
		}
	}
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

// pace has the readers do something again and again.
type pace struct {
	quit chan struct{}
	done sync.WaitGroup
}

// begin begins unless it has begun.
func (p *pace) begin(every time.Duration, readers []*reader, do func(*reader)) {
	if p.quit != nil {
		return
	}
	quit := make(chan struct{})
	p.quit = quit
	p.done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				for _, r := range readers {
					r.inbox.post(func() { do(r) })
				}
			}
		}
	})
}

// end ends it, once the last beat is in the inboxes; it may begin again.
func (p *pace) end() {
	if p.quit != nil {
		close(p.quit)
		p.done.Wait()
		p.quit = nil
	}
}
