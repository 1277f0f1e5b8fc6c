package clientfleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"wsfanout/internal/clock"
)

// echoLead is how long before its first message an echo load is told to the readers.
const echoLead = 5 * time.Millisecond

var errEchoing = errors.New("clientfleet: an echo load is under way")

// Echo carries out an echo load and returns when its last echo has come or the drain is over. progress is told when the
// window begins and when it ends; nil is allowed. The error is ErrPlan, the cause of ctx, or ErrClosed.
func (f *Fleet) Echo(ctx context.Context, e Echo, progress func(Window)) (Echoed, error) {
	if err := e.checked(); err != nil {
		return Echoed{}, err
	}
	if progress == nil {
		progress = func(Window) {}
	}
	ctx, done, err := f.reserveEcho(ctx)
	if err != nil {
		return Echoed{}, err
	}
	defer done()
	w, err := f.startEcho(e)
	if err != nil {
		return Echoed{}, err
	}
	begin, end, err := f.watchEcho(ctx, w, progress)
	if err != nil {
		f.each((*reader).endEcho)
		return Echoed{}, err
	}
	got := f.finishEcho(w)
	got.CPUUserNs, got.CPUSystemNs = end.user-begin.user, end.system-begin.system
	return got, nil
}

// reserveEcho sees to it that there is one at a time, which ends with the fleet.
func (f *Fleet) reserveEcho(ctx context.Context) (context.Context, func(), error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return nil, nil, ErrClosed
	case f.endEcho != nil:
		return nil, nil, errEchoing
	case f.talks:
		return nil, nil, fmt.Errorf("%w: echoes and inbound messages", ErrPlan)
	case f.readers[0].unpacker != nil:
		return nil, nil, fmt.Errorf("%w: echoes and compression", ErrPlan)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	f.endEcho = cancel
	return ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.endEcho = nil
		cancel(nil)
	}, nil
}

// startEcho gives each reader its part.
func (f *Fleet) startEcho(e Echo) (Window, error) {
	var all int
	var loads []*echoLoad
	f.each(func(r *reader) {
		loads = append(loads, newEchoLoad(e, r))
		all += len(loads[len(loads)-1].places)
	})
	switch {
	case all == 0:
		return Window{}, fmt.Errorf("%w: echoes, and no healthy client is connected", ErrPlan)
	case e.Mode == EchoClosed && e.Outstanding > all:
		return Window{}, fmt.Errorf("%w: %d echoes outstanding, %d clients connected", ErrPlan, e.Outstanding, all)
	}
	for left := e.Outstanding; e.Mode == EchoClosed && left > 0; {
		for _, l := range loads {
			if left > 0 && len(l.resting) > 0 {
				l.wake()
				left--
			}
		}
	}
	began := clock.Now() + int64(echoLead)
	w := Window{From: began + int64(e.Warmup)}
	w.To = w.From + int64(e.For)
	for i, l := range loads {
		l.schedule(began, w, all, float64(i)/float64(len(loads)))
	}
	next := 0
	f.each(func(r *reader) {
		r.beginEcho(loads[next])
		next++
	})
	return w, nil
}

// beginEcho takes over a load. The kernel wakes this thread when it says, for as long as that: by default it takes 50 us
// more, which would be half of what an echo takes.
func (r *reader) beginEcho(l *echoLoad) {
	r.echo = l
	unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
}

// endEcho sends no more, and takes what still comes for late echoes.
func (r *reader) endEcho() {
	r.echo.running = false
	unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // 0: the default
}

// watchEcho waits for the end of the window and of the drain, and reads what the process has spent where the window begins
// and ends.
func (f *Fleet) watchEcho(ctx context.Context, w Window, progress func(Window)) (begin, end usage, err error) {
	if err = sleepUntil(ctx, w.From); err != nil {
		return
	}
	if begin, err = spent(); err != nil {
		return
	}
	progress(Window{From: w.From})
	if err = sleepUntil(ctx, w.To); err != nil {
		return
	}
	if end, err = spent(); err != nil {
		return
	}
	progress(w)
	for quiet := false; !quiet && clock.Now() < w.To+int64(echoDrain); {
		if err = sleepUntil(ctx, clock.Now()+int64(5*time.Millisecond)); err != nil {
			return
		}
		quiet = true
		f.each(func(r *reader) { quiet = quiet && r.echoQuiet() })
	}
	return
}

// sleepUntil returns the cause if ctx ends before that instant.
func sleepUntil(ctx context.Context, at int64) error {
	timer := time.NewTimer(time.Duration(at - clock.Now()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finishEcho adds up what the readers have counted.
func (f *Fleet) finishEcho(w Window) Echoed {
	all := newEchoSeen(w)
	var shares []uint32
	f.each(func(r *reader) {
		r.endEcho()
		all.add(r.echoSeen(clock.Now()))
		shares = r.echo.shares(shares)
	})
	all.compare(shares)
	return all.finish()
}
