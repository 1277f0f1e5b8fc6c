package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wsfanout/engines"
	"wsfanout/internal/clock"
	"wsfanout/internal/procstat"
	"wsfanout/internal/sock"
	"wsfanout/internal/stamp"
	"wsfanout/strategies"
)

// session is one cell's server. The request loop is its only goroutine besides the engine's hooks, which touch nothing
// but the strategy and the register.
type session struct {
	newEngine  NewEngine
	engineSpec string // for a plan without one
	own        bool   // newEngine makes one engine, which has no spec
	plan       Plan
	engine     engines.Engine
	strategy   atomic.Pointer[strategies.Strategy] // use hub: "strategy" replaces it while clients come and go
	register   *register
	filling    []byte
	baseline   procstat.State
	healthy    Settled // the server at rest with everybody connected
	options    engines.Options
	inbound    atomic.Int64 // messages of clients
	watch      *stallWatch
	bursts     sync.WaitGroup

	phaseNow *phaseState
}

func (s *session) start(_ context.Context, p Plan) (Started, error) {
	if s.engine != nil {
		return Started{}, errors.New("start: already started")
	}
	options, err := s.resolve(p)
	if err != nil {
		return Started{}, err
	}
	strategySpec, err := strategies.Parse(p.Strategy)
	if err != nil {
		return Started{}, err
	}
	if p.Size < stamp.Size {
		return Started{}, fmt.Errorf("size %d is below the stamp of %d bytes", p.Size, stamp.Size)
	}
	ln, err := net.Listen("tcp", p.Listen)
	if err != nil {
		return Started{}, err
	}
	addr := ln.Addr().String()
	if err := s.begin(p, options, strategySpec, ln); err != nil {
		ln.Close()
		return Started{}, err
	}
	return Started{
		Addr: addr, MonotonicNs: clock.Now(), Clock: clock.Identity(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		BaselineBytes: s.baseline.InUseBytes(), BaselineFDs: s.baseline.FDs,
		BaselineRoutines: s.baseline.Goroutines, Footnotes: s.footnotes(),
	}, nil
}

// resolve decides the engine's set-up.
func (s *session) resolve(p Plan) (engines.Options, error) {
	d := engines.Defaults{
		WriteTimeout: p.WriteTimeout, SendBuffer: p.SendBuffer, MaxPayload: p.Size, MaxClients: p.numbers(),
		Compress: p.Compress, CertPEM: p.CertPEM, KeyPEM: p.KeyPEM,
	}
	if s.own && p.Engine != "" {
		return engines.Options{}, fmt.Errorf("this program serves its own engine, not %s: it is a row by NAME=exec:COMMAND", p.Engine)
	}
	name := cmp.Or(p.Engine, s.engineSpec)
	if name == "" {
		return engines.Foreign(d), nil
	}
	spec, err := engines.Parse(name)
	if err != nil {
		return engines.Options{}, err
	}
	return spec.Resolve(d)
}

func (s *session) begin(p Plan, o engines.Options, spec strategies.Spec, ln net.Listener) error {
	s.watch = newStallWatch(p.Stall)
	s.plan, s.options, s.register, s.filling = p, o, newRegister(p.Extras, p.numbers()), stamp.Filling(p.Size, p.Seed)
	if p.Compress {
		s.filling = stamp.Text(p.Size, p.Seed) // what does not compress at all would measure the wrong thing
	}
	s.setHub(s.newStrategy(spec))
	engine, err := s.newEngine(o, engines.Hooks{OnOpen: s.opened, OnMessage: s.heard, OnClose: s.closed, Deaf: s.deaf})
	if err != nil {
		return err
	}
	s.engine = engine
	if err := engine.Start(ln); err != nil {
		s.engine = nil
		return err
	}
	s.baseline, err = procstat.ReadState(true)
	return err
}

// newStrategy makes a strategy without members. It asks the engine to frame, the engine's hooks feed it: the closure breaks
// the circle.
func (s *session) newStrategy(spec strategies.Spec) strategies.Strategy {
	return strategies.New(spec, strategies.Env{
		Prepare:  func(b []byte) (engines.Prepared, error) { return s.engine.Prepare(b) },
		Shards:   s.plan.Shards,
		MapOrder: s.plan.Order == "map",
	})
}

func (s *session) hub() strategies.Strategy { return *s.strategy.Load() }

func (s *session) setHub(hub strategies.Strategy) { s.strategy.Store(&hub) }

// change gives everybody to another strategy. The hooks of clients that come or go meanwhile may still see the old one: an
// experiment changes it while everybody is connected.
func (s *session) change(_ context.Context, c Change) (struct{}, error) {
	spec, err := strategies.Parse(c.Strategy)
	if err != nil {
		return struct{}{}, err
	}
	old := s.hub()
	s.setHub(s.newStrategy(spec))
	for _, conn := range s.engine.Conns() {
		if c.Everybody || !among(s.plan.Apart, conn.Number()) {
			s.hub().Join(conn)
		}
	}
	old.Close()
	return struct{}{}, nil
}

func (s *session) opened(c engines.Conn) {
	if !among(s.plan.Apart, c.Number()) {
		s.hub().Join(c)
	}
	s.register.opened(c.Number())
}

func (s *session) deaf(number int) bool { return among(s.plan.Deaf, number) }

func among(spans []Span, number int) bool {
	return slices.ContainsFunc(spans, func(r Span) bool { return r.From <= number && number < r.To })
}

func (s *session) closed(c engines.Conn, cause error) {
	s.hub().Leave(c)
	s.register.closed(c.Number(), cause)
}

// announcement is what a client says that is going to stop reading.
const announcement = "slow"

// heard counts what clients send. One that announces itself gets the small send buffer without which it could not jam in a
// short run; that the kernel really set it is checked.
func (s *session) heard(c engines.Conn, message []byte) {
	if s.tellClock(c, message) {
		return
	}
	if string(message) != announcement || !s.isExtra(c.Number()) {
		s.inbound.Add(1)
		s.handle(c, message)
		return
	}
	var err error
	if s.plan.StuckSendBuffer > 0 {
		closed := c.Control(func(fd uintptr) { err = sock.SetSendBuffer(int(fd), s.plan.StuckSendBuffer) })
		err = cmp.Or(err, closed)
	}
	s.register.hear(c.Number(), err)
}

// settle waits for the members, then lets the process come to rest, so that no phase pays for the connects.
func (s *session) settle(ctx context.Context, q Settle) (Settled, error) {
	deadline := time.Now().Add(q.Timeout)
	for {
		members := s.register.members()
		if members >= q.Members {
			break
		}
		if time.Now().After(deadline) {
			return Settled{}, fmt.Errorf("%d of %d clients are open after %v", members, q.Members, q.Timeout)
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return Settled{}, err
		}
	}
	var err error
	s.healthy, err = s.rest(true)
	return s.healthy, err
}

func (s *session) rest(collect bool) (Settled, error) {
	m, err := procstat.ReadState(collect)
	return Settled{
		Members: s.register.members(), FDs: m.FDs, Goroutines: m.Goroutines, Threads: m.Threads,
		HeapBytes: m.HeapBytes, StackBytes: m.StackBytes, RSSBytes: m.RSSBytes,
	}, err
}

// stop takes the engine down and says what is left of it above the baseline.
func (s *session) stop(context.Context, struct{}) (Stopped, error) {
	if s.engine == nil {
		return Stopped{}, nil
	}
	if err := s.close(); err != nil {
		return Stopped{}, err
	}
	m, err := procstat.ReadState(false)
	return Stopped{
		Members: s.register.members(), FDs: m.FDs - s.baseline.FDs, Goroutines: m.Goroutines - s.baseline.Goroutines,
	}, err
}

// stopPatience is for an engine that hangs: Stop itself gives each client at most a second for its close frame.
const stopPatience = 10 * time.Second

// close stops the engine before the strategy: only closed connections let a writer that hangs in one go.
func (s *session) close() error {
	if s.engine == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	err := s.engine.Stop(ctx)
	s.bursts.Wait()
	s.hub().Close()
	s.engine = nil
	return err
}

func (s *session) isExtra(number int) bool {
	_, extra := s.register.extras[number]
	return extra
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
