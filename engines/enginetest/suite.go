// Package enginetest is the suite that every engine must pass, over real loopback sockets. An engine of your own:
//
//	func TestMine(t *testing.T) {
//		options := engines.Options{Name: "mine", ...}
//		enginetest.Run(t, enginetest.Suite{Options: options, New: newMine})
//	}
package enginetest

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"wsfanout/engines"
)

// Suite is an engine under test.
type Suite struct {
	// Options is the set-up to start from. The suite changes the timeouts, MaxClients, Keepalive and Ping. With Compress its
	// clients offer permessage-deflate, with a certificate they speak TLS.
	Options engines.Options
	// New makes an engine.
	New func(engines.Options, engines.Hooks) (engines.Engine, error)
	// Known is what the engine's library is known to do differently. The suite asserts that it does.
	Known []Deviation
	// Brief leaves out the cases that take seconds, for variants of an engine that passes them.
	Brief bool
}

// Deviation is something that a library does against the rules and the adapter cannot mend.
type Deviation string

// The deviations there are.
const (
	AcceptsUnmasked  Deviation = "accepts unmasked client frames" // RFC 6455 5.1: must close
	UnheardIsSilent  Deviation = "a message without a handler does not move the keepalive deadline"
	IgnoresBadFrames Deviation = "keeps a connection after a bad frame" // nbio's blocking reader drops the parser's error
)

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	t.Run("bytes", s.bytes)
	t.Run("admit", s.admit)
	t.Run("control", s.control)
	t.Run("ping", s.pings)
	t.Run("both ways", s.bothWays)
	t.Run("timed", func(t *testing.T) { Together(t, s.closing(), s.timeouts(), s.keepalives()) })
	t.Run("stop", s.stops)
}

func (s *Suite) known(d Deviation) bool {
	for _, k := range s.Known {
		if k == d {
			return true
		}
	}
	return false
}

// Cases are tests by name.
type Cases map[string]func(*testing.T)

// Together runs cases that mostly sleep at the same time, however few processors there are.
func Together(t *testing.T, groups ...Cases) {
	var all sync.WaitGroup
	for _, group := range groups {
		for name, f := range group {
			all.Go(func() { t.Run(name, f) })
		}
	}
	all.Wait()
}

// server is an engine at work and a record of its hooks.
type server struct {
	t      *testing.T
	engine engines.Engine
	addr   string

	options engines.Options

	mu      sync.Mutex
	changed *sync.Cond
	conns   map[int]engines.Conn // the latest of each number
	causes  map[int][]error      // of OnClose
	texts   map[int][]string     // of OnMessage

	deaf      func(number int) bool
	onOpen    func(engines.Conn)
	onMessage func(engines.Conn, []byte)
	onClose   func(engines.Conn)
}

// start starts the engine with changed options; the test's end stops it.
func (s *Suite) start(t *testing.T, change func(*engines.Options), also ...func(*server)) *server {
	t.Helper()
	o := s.Options
	o.MaxClients = 64
	if change != nil {
		change(&o)
	}
	srv := &server{t: t, options: o, conns: map[int]engines.Conn{}, causes: map[int][]error{}, texts: map[int][]string{}}
	srv.changed = sync.NewCond(&srv.mu)
	for _, f := range also {
		f(srv)
	}
	engine, err := s.New(o, engines.Hooks{OnOpen: srv.opened, OnMessage: srv.messaged, OnClose: srv.closed, Deaf: srv.deaf})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(ln); err != nil {
		t.Fatal(err)
	}
	srv.engine, srv.addr = engine, ln.Addr().String()
	t.Cleanup(srv.stop)
	return srv
}

// stop stops the engine once; a second call does nothing.
func (srv *server) stop() {
	srv.t.Helper()
	srv.mu.Lock()
	engine := srv.engine
	srv.engine = nil
	srv.mu.Unlock()
	if engine == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := engine.Stop(ctx); err != nil {
		srv.t.Errorf("Stop: %v", err)
	}
}

func (srv *server) opened(c engines.Conn) {
	srv.mu.Lock()
	srv.conns[c.Number()] = c
	srv.changed.Broadcast()
	srv.mu.Unlock()
	if srv.onOpen != nil {
		srv.onOpen(c)
	}
}

func (srv *server) messaged(c engines.Conn, b []byte) {
	srv.mu.Lock()
	srv.texts[c.Number()] = append(srv.texts[c.Number()], string(b))
	srv.changed.Broadcast()
	srv.mu.Unlock()
	if srv.onMessage != nil {
		srv.onMessage(c, b)
	}
}

func (srv *server) closed(c engines.Conn, cause error) {
	if srv.onClose != nil {
		srv.onClose(c)
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	srv.causes[c.Number()] = append(srv.causes[c.Number()], cause)
	if srv.conns[c.Number()] == c {
		delete(srv.conns, c.Number())
	}
	srv.changed.Broadcast()
}

// await waits until ready, called under the lock, is true; it reports whether it became so in time.
func (srv *server) await(limit time.Duration, ready func() bool) bool {
	expired := false
	timer := time.AfterFunc(limit, func() {
		srv.mu.Lock()
		expired = true
		srv.changed.Broadcast()
		srv.mu.Unlock()
	})
	defer timer.Stop()
	srv.mu.Lock()
	defer srv.mu.Unlock()
	for !ready() {
		if expired {
			return false
		}
		srv.changed.Wait()
	}
	return true
}

// conn waits for OnOpen of a number.
func (srv *server) conn(number int) engines.Conn {
	srv.t.Helper()
	var c engines.Conn
	if !srv.await(5*time.Second, func() bool { c = srv.conns[number]; return c != nil }) {
		srv.t.Fatalf("client %d was not opened", number)
	}
	return c
}

// wantClose waits for OnClose of a number and checks its cause, and that it is the only one.
func (srv *server) wantClose(number int, limit time.Duration, want error) {
	srv.t.Helper()
	if !srv.await(limit, func() bool { return len(srv.causes[number]) > 0 }) {
		srv.t.Errorf("client %d was not closed within %v; want %q", number, limit, want)
		return
	}
	time.Sleep(20 * time.Millisecond) // for a second OnClose
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if causes := srv.causes[number]; len(causes) != 1 || !errors.Is(causes[0], want) {
		srv.t.Errorf("client %d: OnClose with %q, want once with %q", number, causes, want)
	}
}

// wantOpen checks that a number has not been closed.
func (srv *server) wantOpen(number int) {
	srv.t.Helper()
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if causes := srv.causes[number]; len(causes) != 0 {
		srv.t.Errorf("client %d was closed: %q; want it open", number, causes)
	}
}
