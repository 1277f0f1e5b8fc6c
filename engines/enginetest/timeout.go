package enginetest

import (
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"wsfanout/engines"
)

// timeouts checks what `enforced` means: a byte owed for longer than the write timeout D evicts, and nothing else does.
func (s *Suite) timeouts() Cases {
	list := Cases{
		"owed":              s.owed,
		"stuck, one burst":  func(t *testing.T) { s.stuck(t, 0) },
		"stuck, rounds":     func(t *testing.T) { s.stuck(t, 50*time.Millisecond) },
		"idle":              s.idle,
		"drained, silence":  s.drained,
		"none, then evict":  s.unlimited,
		"user timeout":      s.userTimeout,
		"overtaken by peer": s.stuckThenGone,
		"lock over a write": s.lock,
	}
	if !s.Brief || s.unforeseen() && !raceEnabled { // the detector makes compressing too slow for the rate
		list["steady"] = func(t *testing.T) { s.steady(t).wantOpen(1) }
	}
	return list
}

const stuckTimeout = 400 * time.Millisecond

// stuck never reads. It is evicted D after its first byte was owed, whether one burst came or rounds more often than D.
func (s *Suite) stuck(t *testing.T, interval time.Duration) {
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = stuckTimeout })
	_, c := srv.dialStuck(1)
	healthy := srv.dial(2)
	healthy.drain()
	jammed := time.Now()
	go func() { // blocks on some engines
		for c.Write(bulk(64<<10)) == nil && interval > 0 {
			time.Sleep(interval)
		}
	}()
	time.Sleep(stuckTimeout / 2)
	srv.wantOpen(1)
	srv.wantClose(1, 5*time.Second, engines.ErrWriteTimeout)
	if after := time.Since(jammed); after < stuckTimeout || after > 3*stuckTimeout {
		t.Errorf("evicted after %v, want about %v and not before", after, stuckTimeout)
	}
	if err := srv.conn(2).Write([]byte("still here")); err != nil {
		t.Errorf("the healthy client is disturbed: %v", err)
	}
	srv.wantOpen(2)
}

// idle gets a message now and then, with pauses far above D.
func (s *Suite) idle(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = 50 * time.Millisecond })
	reader := srv.dial(1)
	for range 3 {
		if err := srv.conn(1).Write([]byte("now and then")); err != nil {
			t.Errorf("Write after a pause: %v", err)
		}
		reader.message()
		time.Sleep(250 * time.Millisecond)
	}
	srv.wantOpen(1)
}

// unforeseen reports whether bytes are counted where they enter the socket layer.
func (s *Suite) unforeseen() bool { return s.Options.Compress || s.Options.TLS() }

// drained takes a message that no buffer holds at once, in pieces but within D; then nothing is sent for longer than D.
func (s *Suite) drained(t *testing.T) {
	d, size := time.Second, 12<<20
	if s.Options.Compress { // takes a part of D on some engines
		d, size = 2*d, size/2
	}
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout, o.MaxPayload = d, size })
	reader := srv.dial(1)
	conn := srv.conn(1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.CopyN(io.Discard, reader.r, int64(size))
	}()
	if err := conn.Write(bulk(size)); err != nil {
		t.Errorf("Write of %d MiB: %v", size>>20, err)
	}
	<-done
	time.Sleep(d + d/2)
	srv.wantOpen(1)
	if err := conn.Write([]byte("much later")); err != nil {
		t.Errorf("Write after the silence: %v", err)
	}
}

// steady reads 1 MiB/s, gets a burst of 256 KiB and then 0.94 MiB/s: it owes something for longer than D, but no byte for
// longer than a third of D. It returns when that is over, or when the client was closed.
func (s *Suite) steady(t *testing.T) *server {
	const d, step, rate = time.Second, 20 * time.Millisecond, 1 << 20
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = d })
	reader, conn := srv.dialStuck(1)
	go reader.readAt(rate, step/4, 4*d)
	for range 32 {
		if err := conn.Write(bulk(8 << 10)); err != nil {
			t.Errorf("Write of the burst: %v", err)
		}
	}
	message := bulk(int(rate * 94 / 100 * step / time.Second))
	for start, sent := time.Now(), time.Duration(0); time.Since(start) < 3*d; sent++ {
		time.Sleep(time.Until(start.Add(sent * step)))
		if conn.Write(message) != nil {
			break
		}
	}
	time.Sleep(100 * time.Millisecond) // for OnClose
	return srv
}

// unlimited has no write timeout: a stuck client stays and owes, until somebody evicts it.
func (s *Suite) unlimited(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = 0 })
	_, c := srv.dialStuck(1)
	wrote := make(chan error, 1)
	go func() { wrote <- c.Write(bulk(256 << 10)) }()
	time.Sleep(2 * stuckTimeout)
	srv.wantOpen(1)
	if c.Owed() == 0 {
		t.Error("a stuck client owes nothing")
	}
	c.Evict(engines.ErrQueueFull)
	srv.wantClose(1, 5*time.Second, engines.ErrQueueFull)
	if err := <-wrote; err != nil && !errors.Is(err, engines.ErrClosed) {
		t.Errorf("the write that was under way: %v, want ErrClosed or nothing", err)
	}
	if owed := c.Owed(); owed != 0 {
		t.Errorf("a closed connection owes %d bytes", owed)
	}
}

// userTimeout leaves the eviction to the kernel.
func (s *Suite) userTimeout(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout, o.UserTimeout = 0, 500*time.Millisecond })
	_, c := srv.dialStuck(1)
	go func() { _ = c.Write(bulk(256 << 10)) }()
	srv.wantClose(1, 8*time.Second, engines.ErrUserTimeout)
}

// stuckThenGone stops reading and then resets: the cause is the peer's, before D.
func (s *Suite) stuckThenGone(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = 3 * time.Second })
	reader, c := srv.dialStuck(1)
	go func() { _ = c.Write(bulk(64 << 10)) }()
	time.Sleep(100 * time.Millisecond)
	reader.reset()
	srv.wantClose(1, 2*time.Second, engines.ErrPeerClosed)
}

// lock holds a lock over every write, as a hub does, which OnClose takes.
func (s *Suite) lock(t *testing.T) {
	var hub sync.Mutex
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = stuckTimeout }, func(srv *server) {
		srv.onClose = func(engines.Conn) { hub.Lock(); defer hub.Unlock() }
	})
	for i, leave := range []func(*client){(*client).reset, func(*client) {}} {
		reader, c := srv.dialStuck(i)
		go func() { time.Sleep(50 * time.Millisecond); leave(reader) }()
		for err := error(nil); err == nil; time.Sleep(time.Millisecond) {
			hub.Lock()
			err = c.Write(bulk(4096))
			hub.Unlock()
		}
	}
	srv.wantClose(0, 5*time.Second, engines.ErrPeerClosed)
	srv.wantClose(1, 5*time.Second, engines.ErrWriteTimeout)
}
