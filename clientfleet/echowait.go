package clientfleet

import (
	"golang.org/x/sys/unix"

	"wsfanout/internal/clock"
)

// wait waits for events, or no longer than until an echo load has something to send.
func (r *reader) wait(events []unix.EpollEvent) (int, error) {
	if r.echo == nil || !r.echo.running {
		return unix.EpollWait(r.epoll, events, -1)
	}
	r.echoDue()
	n, err := unix.EpollWait(r.epoll, events, 0)
	if n != 0 || err != nil {
		return n, err
	}
	if err := r.ready(r.echo.next()); err != nil {
		return 0, err
	}
	return unix.EpollWait(r.epoll, events, 0)
}

// ready waits until there are events or, if it is not 0, until an instant: epoll_wait knows only milliseconds.
func (r *reader) ready(until int64) error {
	r.polled[0] = unix.PollFd{Fd: int32(r.epoll), Events: unix.POLLIN}
	var timeout *unix.Timespec
	if until != 0 {
		r.asleep = unix.NsecToTimespec(max(0, until-clock.Now()))
		timeout = &r.asleep
	}
	_, err := unix.Ppoll(r.polled[:], timeout, nil)
	return err
}

// doze is the nap after a wake-up, cut short when an echo load has something to send. One whose next messages wait for
// echoes has no time for it.
func (r *reader) doze() {
	nap := r.nap
	if e := r.echo; e != nil && e.running {
		nap = min(nap, e.spare())
	}
	if nap > 0 {
		r.asleep = unix.NsecToTimespec(int64(nap))
		unix.Nanosleep(&r.asleep, nil)
	}
}
