package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"go.uber.org/goleak"

	"wsfanout/engines"
	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
	"wsfanout/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// parent drives a server over pipes, as compare does over a child's stdin and stdout.
type parent struct {
	t     *testing.T
	conn  *wire.Conn
	stdin io.Closer
	ended chan error
}

func newParent(t *testing.T) *parent {
	t.Helper()
	toServer, stdin := io.Pipe()
	stdout, fromServer := io.Pipe()
	p := &parent{t: t, conn: wire.NewConn(stdout, stdin), stdin: stdin, ended: make(chan error, 1)}
	go func() {
		p.ended <- Run(t.Context(), toServer, fromServer, engines.New, "")
		fromServer.Close()
	}()
	t.Cleanup(func() { stdin.Close() })
	return p
}

func (p *parent) ask(do string, body any) wire.Message {
	p.t.Helper()
	if err := p.conn.Ask(do, body); err != nil {
		p.t.Fatal(err)
	}
	return p.next()
}

func (p *parent) next() wire.Message {
	p.t.Helper()
	var m wire.Message
	if err := p.conn.Read(&m); err != nil {
		p.t.Fatal(err)
	}
	return m
}

// reply asks and decodes the answer, which must not be an error.
func reply[T any](p *parent, do string, body any) T {
	p.t.Helper()
	m := p.ask(do, body)
	if m.Error != "" {
		p.t.Fatalf("%s: %s", do, m.Error)
	}
	var v T
	if err := json.Unmarshal(m.Body, &v); err != nil {
		p.t.Fatal(err)
	}
	return v
}

func plan(clients int) Plan {
	return Plan{
		Engine: "gorilla", Strategy: "seq", Listen: "127.0.0.1:0", Clients: clients, Size: 256, Seed: 1,
		WriteTimeout: time.Second, Shards: 2, Order: "fixed",
	}
}

// dial connects clients that keep what they read.
func dial(t *testing.T, addr string, n int) []net.Conn {
	t.Helper()
	var conns []net.Conn
	for i := range n {
		c, _, _, err := ws.Dial(context.Background(), fmt.Sprintf("ws://%s/ws?i=%d", addr, i))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		conns = append(conns, c)
	}
	return conns
}

func TestRoundsFollowAnAbsoluteScheduleInPairs(t *testing.T) {
	p := newParent(t)
	started := reply[Started](p, "start", plan(3))
	clients := dial(t, started.Addr, 3)
	if got := reply[Settled](p, "settle", Settle{Members: 3, Timeout: 5 * time.Second}); got.Members != 3 {
		t.Fatalf("settled: %+v", got)
	}
	issued := reply[Issued](p, "phase", Phase{Kind: "healthy", Rounds: 4, Pairs: true, First: 10, Interval: 20 * time.Millisecond})
	if len(issued.Rounds) != 8 {
		t.Fatalf("%d slots, want 4 pairs", len(issued.Rounds))
	}
	for i, r := range issued.Rounds {
		if r.N != uint32(10+i) || r.Bare != (i%2 == 1) || r.Written != 3 {
			t.Errorf("slot %d: %+v", i, r)
		}
		if want := issued.Rounds[0].Due + int64(i)*int64(20*time.Millisecond); r.Due != want || r.Start < r.Due || r.End < r.Start {
			t.Errorf("slot %d: due %d, start %d, end %d; want due %d and start behind it", i, r.Due, r.Start, r.End, want)
		}
	}
	for number, c := range clients {
		for i, r := range issued.Rounds {
			c.SetReadDeadline(time.Now().Add(5 * time.Second))
			header, err := ws.ReadHeader(c)
			if err != nil || header.Length != 256 {
				t.Fatalf("client %d, message %d: %+v, %v", number, i, header, err)
			}
			payload := make([]byte, 256)
			if _, err := io.ReadFull(c, payload); err != nil {
				t.Fatal(err)
			}
			want := stamp.Stamp{Start: r.Start, Round: r.N, Due: r.Due, Kind: stamp.Strategy}
			if r.Bare {
				want.Kind = stamp.Bare
			}
			if got := stamp.Get(payload); got != want {
				t.Errorf("client %d, message %d: stamp %+v, want %+v", number, i, got, want)
			}
		}
	}
	drained := reply[Drained](p, "drain", Drain{})
	if drained.Strategy.Rounds != 4 || drained.Bare.Rounds != 4 || len(drained.Accounts) != 0 {
		t.Errorf("drained: %+v", drained)
	}
	if left := reply[Stopped](p, "stop", nil); left.Members != 0 || left.Goroutines > 0 { // the clients' descriptors are this process's, too
		t.Errorf("left after stop: %+v", left)
	}
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
}

func TestALateRoundRunsAtOnceAndNoneIsSkipped(t *testing.T) {
	p := newParent(t)
	started := reply[Started](p, "start", plan(200))
	dial(t, started.Addr, 200)
	reply[Settled](p, "settle", Settle{Members: 200, Timeout: 5 * time.Second})
	// No round to 200 clients fits into 100 us: all but the first are late.
	issued := reply[Issued](p, "phase", Phase{Kind: "healthy", Rounds: 10, Interval: 100 * time.Microsecond})
	if len(issued.Rounds) != 10 {
		t.Fatalf("%d rounds, want all 10", len(issued.Rounds))
	}
	for i, r := range issued.Rounds[1:] {
		if before := issued.Rounds[i]; r.Start < before.End || r.Due-before.Due != 100_000 {
			t.Errorf("round %d starts %d ns after the end of the one before, due %d ns after it",
				i+1, r.Start-before.End, r.Due-before.Due)
		}
	}
	reply[Stopped](p, "stop", nil)
}

func TestALostClientIsInTheAccounts(t *testing.T) {
	p := newParent(t)
	started := reply[Started](p, "start", plan(3))
	clients := dial(t, started.Addr, 3)
	reply[Settled](p, "settle", Settle{Members: 3, Timeout: 5 * time.Second})
	clients[1].Close()
	time.Sleep(50 * time.Millisecond)
	reply[Issued](p, "phase", Phase{Kind: "healthy", Rounds: 2, Interval: 10 * time.Millisecond})
	drained := reply[Drained](p, "drain", Drain{})
	if len(drained.Accounts) != 1 || drained.Accounts[0].Number != 1 || drained.Accounts[0].Lost != engines.ErrPeerClosed.Error() {
		t.Errorf("accounts: %+v, want client 1, closed by peer", drained.Accounts)
	}
	reply[Stopped](p, "stop", nil)
}

func TestBadRequestsAreAnswered(t *testing.T) {
	p := newParent(t)
	for _, row := range []struct {
		do   string
		body any
		want string
	}{
		{"dance", nil, "start, settle, phase"},
		{"phase", Phase{}, "before start"},
		{"start", Plan{Engine: "epoll", Strategy: "seq"}, "gorilla"},
		{"start", Plan{Engine: "gorilla", Strategy: "spray"}, "seqprep"},
		{"start", Plan{Engine: "gorilla", Strategy: "seq", Size: 4}, "21"},
		{"start", "not a plan", "body"},
	} {
		if m := p.ask(row.do, row.body); !strings.Contains(m.Error, row.want) {
			t.Errorf("%s %v: %+v, want an error with %q", row.do, row.body, m, row.want)
		}
	}
	started := reply[Started](p, "start", plan(1))
	if now := clock.Now(); started.MonotonicNs > now || started.MonotonicNs < now-int64(10*time.Second) {
		t.Errorf("the server's clock shows %d, this one %d", started.MonotonicNs, now)
	}
	if m := p.ask("start", plan(1)); !strings.Contains(m.Error, "already") {
		t.Errorf("a second start: %+v", m)
	}
	if m := p.ask("drain", nil); !strings.Contains(m.Error, "without a phase") {
		t.Errorf("drain first: %+v", m)
	}
	if m := p.ask("settle", Settle{Members: 1, Timeout: 20 * time.Millisecond}); !strings.Contains(m.Error, "0 of 1") {
		t.Errorf("settle without clients: %+v, want both numbers", m)
	}
	reply[Stopped](p, "stop", nil)
}

// TestTheEndOfTheStreamEndsAPhase: no orphan goes on sending when its parent is gone.
func TestTheEndOfTheStreamEndsAPhase(t *testing.T) {
	for _, how := range []string{"close", "stop"} {
		t.Run(how, func(t *testing.T) {
			p := newParent(t)
			reply[Started](p, "start", plan(0))
			if err := p.conn.Ask("phase", Phase{Kind: "healthy", Rounds: 1000, Interval: time.Second}); err != nil {
				t.Fatal(err)
			}
			if how == "close" {
				p.stdin.Close()
			} else if err := p.conn.Ask("stop", nil); err != nil {
				t.Fatal(err)
			}
			go func() {
				for p.conn.Read(new(wire.Message)) == nil {
				}
			}()
			select {
			case <-p.ended:
			case <-time.After(10 * time.Second):
				t.Fatal("still running 10 s after the " + how)
			}
		})
	}
}

// A program that serves its own engine must not be measured under another's name.
func TestAProgramOfItsOwnRefusesAnotherEngine(t *testing.T) {
	s := &session{newEngine: engines.New, own: true}
	if _, err := s.start(t.Context(), plan(1)); err == nil || !strings.Contains(err.Error(), "NAME=exec:") {
		t.Errorf("%v", err)
	}
}
