package engines

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// gobwas is the pattern that people build from gobwas/ws, a library of frames without a server: an epoll loop that hands
// each connection with something to read to a bounded pool, where a worker reads one message and blocks until it has all
// of it. With mode=goroutine each connection has its own reader instead.
type gobwas struct {
	*Roster
	options Options
	tls     *tls.Config // nil: none
	began   time.Time   // the clock of heard

	listener  net.Listener
	accepting sync.WaitGroup
	poll      *netpoll       // nil with mode=goroutine
	open      openSet        // connections that are still HTTP
	tasks     sync.WaitGroup // handshakes, connections until their end is reported, pingers
	quit      context.CancelFunc
	sweeping  sync.WaitGroup
}

func newGobwas(o Options, h Hooks) (Engine, error) {
	e := &gobwas{Roster: NewRoster(o, h), options: o, began: time.Now()}
	if o.TLS() {
		pair, err := tls.X509KeyPair(o.CertPEM, o.KeyPEM)
		if err != nil {
			return nil, err
		}
		e.tls = &tls.Config{Certificates: []tls.Certificate{pair}}
	}
	return e, nil
}

func (e *gobwas) polls() bool { return e.options.Mode == ModeNetpoll }

// Start serves ln.
func (e *gobwas) Start(ln net.Listener) error {
	if err := tune(ln, &e.options); err != nil {
		return err
	}
	if e.polls() {
		poll, err := newNetpoll()
		if err != nil {
			return err
		}
		e.poll = poll
		poll.start(e.options.Pool)
	}
	ctx, quit := context.WithCancel(context.Background())
	e.quit, e.listener = quit, ln
	if e.polls() && e.options.Keepalive > 0 {
		e.sweeping.Go(func() { e.sweepSilent(ctx) })
	}
	e.accepting.Go(e.accept)
	return nil
}

// Prepare frames payload once, and compresses it once.
func (e *gobwas) Prepare(payload []byte) (Prepared, error) {
	f := &gobwasFrame{plain: compiled(payload)}
	if e.options.Compress {
		frame, err := CompressedFrame(payload, e.options.Level)
		if err != nil {
			return nil, err
		}
		f.compressed = frame
	}
	return f, nil
}

// Stop says goodbye, closes everything and waits for it. The pool ends last: its workers end with their connections.
func (e *gobwas) Stop(ctx context.Context) error {
	if e.quit == nil { // never started
		return nil
	}
	members := e.stop()
	err := e.listener.Close()
	e.accepting.Wait()
	farewell(ctx, &e.options, members)
	e.quit()
	e.open.closeAll()
	var stopped sync.WaitGroup
	stopped.Go(func() {
		e.sweeping.Wait()
		e.tasks.Wait()
		if e.poll != nil {
			e.poll.stop()
		}
	})
	return errors.Join(err, wait(ctx, &stopped))
}

// sweepSilent closes who has been silent for the keepalive time: with netpoll an idle connection is in no read, so a read
// deadline would not end it. It sleeps until the first can be due.
func (e *gobwas) sweepSilent(ctx context.Context) {
	keepalive := e.options.Keepalive
	timer := time.NewTimer(keepalive)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		next := keepalive
		for _, m := range e.members() {
			left := m.(*gobwasConn).lastHeard() + keepalive - e.now()
			if left <= 0 {
				m.Evict(readTimeout(keepalive))
				continue
			}
			next = min(next, left)
		}
		timer.Reset(max(next, 5*time.Millisecond))
	}
}

// now is the time on the engine's own clock.
func (e *gobwas) now() time.Duration { return time.Since(e.began) }
