package enginetest

import (
	"errors"
	"testing"
	"time"

	"wsfanout/engines"
)

// The cases of this file are for variants: what a policy other than `enforced` does, to the healthy too. Not every engine
// has every policy, so each is called by name.

// NativeNeverEvicts jams a client under rounds more often than the write timeout: a library whose deadline every write
// sets anew never closes it, while what it owes grows. When the rounds stop, the last deadline closes it.
func (s Suite) NativeNeverEvicts(t *testing.T) {
	const d, interval = 300 * time.Millisecond, 50 * time.Millisecond
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = d })
	_, c := srv.dialStuck(1)
	owed := int64(0)
	for range 20 {
		if err := c.Write(bulk(16 << 10)); err != nil {
			t.Fatalf("Write: %v", err)
		}
		if now := c.Owed(); now <= owed {
			t.Errorf("owes %d bytes, no more than before", now)
		} else {
			owed = now
		}
		time.Sleep(interval)
	}
	srv.wantOpen(1)
	srv.wantClose(1, 2*d, engines.ErrWriteTimeout)
}

// NativeKillsTheHealthy has a client drain a message that was only partly taken at once; then nothing is written. A timer
// that only a later write would clear closes it.
func (s Suite) NativeKillsTheHealthy(t *testing.T) {
	const d = 300 * time.Millisecond
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = d })
	reader, c := srv.dialStuck(1)
	if err := c.Write(bulk(64 << 10)); err != nil {
		t.Fatal(err)
	}
	reader.drain()
	for deadline := time.Now().Add(d / 2); c.Owed() > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if c.Owed() > 0 {
		t.Skip("this machine is too slow to drain 64 KiB in time")
	}
	srv.wantClose(1, 2*d, engines.ErrWriteTimeout)
}

// OnceKillsTheSteady has the steady client of the suite killed although it owes no byte for long.
func (s Suite) OnceKillsTheSteady(t *testing.T) {
	s.steady(t).wantClose(1, time.Second, engines.ErrWriteTimeout)
}

// OnceKillsEverybody sets one deadline at connect, where it stays: the first write after it fails, however healthy the
// client.
func (s Suite) OnceKillsEverybody(t *testing.T) {
	const d, clients = 200 * time.Millisecond, 3
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = d })
	for i := range clients {
		srv.dial(i).drain()
		if err := srv.conn(i).Write([]byte("in time")); err != nil {
			t.Errorf("Write before the deadline: %v", err)
		}
	}
	time.Sleep(d + d/2)
	for i := range clients {
		if err := srv.conn(i).Write([]byte("too late")); !errors.Is(err, engines.ErrWriteTimeout) {
			t.Errorf("Write after the deadline: %v, want ErrWriteTimeout", err)
		}
		srv.wantClose(i, 5*time.Second, engines.ErrWriteTimeout)
	}
}

// Overflow jams a client of an engine with a pending cap.
func (s Suite) Overflow(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = 0 })
	_, c := srv.dialStuck(1)
	healthy := srv.dial(2)
	healthy.drain()
	srv.conn(2)
	var err error
	for sent := int64(0); err == nil && sent <= s.Options.PendingCap+1<<20; sent += 64 << 10 {
		if owed := c.Owed(); owed > s.Options.PendingCap {
			t.Errorf("owes %d bytes with a cap of %d", owed, s.Options.PendingCap)
		}
		err = c.Write(bulk(64 << 10))
	}
	if !errors.Is(err, engines.ErrWriteOverflow) {
		t.Errorf("Write above the cap: %v, want ErrWriteOverflow", err)
	}
	srv.wantClose(1, 5*time.Second, engines.ErrWriteOverflow)
	if owed := c.Owed(); owed != 0 {
		t.Errorf("a closed connection owes %d bytes", owed)
	}
	srv.wantOpen(2)
}

// HoldsOneMessage jams a client of an engine with a pending cap by one message that does not compress: no overflow.
func (s Suite) HoldsOneMessage(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = 0 })
	_, c := srv.dialStuck(1)
	if err := c.Write(bulk(s.Options.MaxPayload)); err != nil {
		t.Errorf("Write of one message of %d bytes with a cap of %d: %v", s.Options.MaxPayload, s.Options.PendingCap, err)
	}
	if owed := c.Owed(); owed <= 0 || owed > s.Options.PendingCap {
		t.Errorf("owes %d bytes with a cap of %d", owed, s.Options.PendingCap)
	}
}

// HandlerStalls has one client's handler sleep on an engine that runs handlers on its poller: the only poller's other
// client waits for it. With a pool nobody waits.
func (s Suite) HandlerStalls(t *testing.T, wait bool) {
	const nap = 300 * time.Millisecond
	srv := s.start(t, nil, func(srv *server) {
		srv.onMessage = func(c engines.Conn, _ []byte) {
			if c.Number() == 1 {
				time.Sleep(nap)
			}
		}
	})
	sleeper, other := srv.dial(1), srv.dial(2)
	srv.conn(1)
	srv.conn(2)
	sleeper.sendText("sleep")
	if !srv.await(frameLimit, func() bool { return len(srv.texts[1]) > 0 }) {
		t.Fatal("the first message did not arrive")
	}
	began := time.Now()
	other.sendText("hello")
	if !srv.await(frameLimit, func() bool { return len(srv.texts[2]) > 0 }) {
		t.Fatal("the second message did not arrive")
	}
	if took := time.Since(began); (took > nap/2) != wait {
		t.Errorf("the other client's message took %v beside a handler that sleeps %v; want it to wait: %t", took, nap, wait)
	}
}

// TooSlow has a client read without pause, but a tenth of what it is sent, on an engine that keeps what the kernel refuses:
// every write is short, and still the last bytes kept are owed for longer than D.
func (s Suite) TooSlow(t *testing.T) {
	const d, rate = 400 * time.Millisecond, 64 << 10
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = d })
	reader, c := srv.dialStuck(1)
	go reader.readAt(rate, 2*time.Millisecond, 5*d)
	began := time.Now()
	for time.Since(began) < 5*d && c.Write(bulk(1<<10)) == nil {
		time.Sleep(time.Second / (10 * rate >> 10))
	}
	srv.wantClose(1, time.Second, engines.ErrWriteTimeout)
	if after := time.Since(began); after < d || after > 3*d {
		t.Errorf("evicted after %v, want about %v and not before", after, d)
	}
}
