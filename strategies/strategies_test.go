package strategies

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"go.uber.org/goleak"

	"wsfanout/engines"
	"wsfanout/internal/sock"
)

// hall is a strategy on a real engine with real clients.
type hall struct {
	t        *testing.T
	engine   engines.Engine
	strategy Strategy
	addr     string
	opened   chan engines.Conn
	mu       sync.Mutex
	causes   map[int]error
}

func newHall(t *testing.T, engine, strategy string, env Env) *hall {
	t.Helper()
	spec, err := engines.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	o, err := spec.Resolve(engines.Defaults{MaxPayload: 1 << 20, MaxClients: 64})
	if err != nil {
		t.Fatal(err)
	}
	strategySpec, err := Parse(strategy)
	if err != nil {
		t.Fatal(err)
	}
	h := &hall{t: t, opened: make(chan engines.Conn, 64), causes: map[int]error{}}
	h.engine, err = engines.New(o, engines.Hooks{OnOpen: h.open, OnClose: h.close})
	if err != nil {
		t.Fatal(err)
	}
	env.Prepare = h.engine.Prepare
	h.strategy = New(strategySpec, env)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.addr = ln.Addr().String()
	if err := h.engine.Start(ln); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.engine.Stop(context.Background())
		h.strategy.Close()
	})
	return h
}

func (h *hall) open(c engines.Conn) {
	h.strategy.Join(c)
	h.opened <- c
}

func (h *hall) close(c engines.Conn, cause error) {
	h.strategy.Leave(c)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.causes[c.Number()] = cause
}

func (h *hall) cause(number int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.causes[number]
}

// dial connects one client; small buffers let it jam after a few KiB.
func (h *hall) dial(number int, smallBuffers bool) net.Conn {
	h.t.Helper()
	d := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		if !smallBuffers {
			return nil
		}
		closed := raw.Control(func(fd uintptr) { err = sock.SetReceiveBuffer(int(fd), 2048) })
		return errors.Join(err, closed)
	}}
	conn, _, _, err := ws.Dialer{NetDial: d.DialContext}.Dial(context.Background(), fmt.Sprintf("ws://%s/ws?i=%d", h.addr, number))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { conn.Close() })
	if server := <-h.opened; smallBuffers {
		server.Control(func(fd uintptr) { err = sock.SetSendBuffer(int(fd), 4096) })
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return conn
}

func (h *hall) broadcast(n uint32, size int) Tally {
	payload := make([]byte, size)
	copy(payload, fmt.Sprintf("round %d", n))
	return h.strategy.Broadcast(Round{N: n, Payload: payload})
}

func read(t *testing.T, c net.Conn) string {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	header, err := ws.ReadHeader(c)
	if err != nil {
		t.Fatal(err)
	}
	payload := make([]byte, header.Length)
	if _, err := io.ReadFull(c, payload); err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(string(payload), "\x00")
}

func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 5 s: %s", what)
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// TestEveryoneGetsEveryRoundInOrder runs every strategy in both orders.
func TestEveryoneGetsEveryRoundInOrder(t *testing.T) {
	for _, mapOrder := range []bool{false, true} {
		for _, name := range append(Names(), "shard:1", "shard:7", "chan:1", "seq:gate=64KiB", "chan:4:full=evict") {
			t.Run(fmt.Sprintf("%s map=%v", name, mapOrder), func(t *testing.T) {
				h := newHall(t, "gorilla", name, Env{Shards: 3, MapOrder: mapOrder})
				var clients []net.Conn
				for i := range 10 {
					clients = append(clients, h.dial(i, false))
				}
				for n := range uint32(3) {
					tally := h.broadcast(n, 100)
					if sum := tally.Written + tally.Queued + tally.Dropped + tally.Failed; sum != 10 || tally.Failed+tally.Dropped != 0 {
						t.Errorf("round %d: %+v, want all 10 written or queued", n, tally)
					}
					for i, c := range clients {
						if got, want := read(t, c), fmt.Sprintf("round %d", n); got != want {
							t.Errorf("client %d got %q, want %q", i, got, want)
						}
					}
				}
				within(t, "nothing queued", func() bool {
					m, ok := h.strategy.Member(3)
					return ok && m.Queued == 0
				})
			})
		}
	}
}

// TestChanDropsOnlyForTheStuckClient is chatml's case: 64 slots, one stuck client, no write timeout. The first drop comes
// after the kernel's share, the queue, and the one message in flight; nobody else loses anything.
func TestChanDropsOnlyForTheStuckClient(t *testing.T) {
	h := newHall(t, "gorilla:writetimeout=0", "chan", Env{})
	h.dial(0, true)
	healthy := h.dial(1, false)
	const rounds = 100
	firstDrop := 0
	for n := range uint32(rounds) {
		if tally := h.broadcast(n, 1024); tally.Dropped > 0 && firstDrop == 0 {
			firstDrop = int(n) + 1
		}
		read(t, healthy)
		time.Sleep(time.Millisecond) // the stuck client's writer takes what it can
	}
	stuck, _ := h.strategy.Member(0)
	other, _ := h.strategy.Member(1)
	// The kernel takes 9 to 10 messages of 1 KiB, one is in flight, 64 are queued: the next one is dropped.
	if firstDrop < 64+1+5 || firstDrop > 64+1+15 {
		t.Errorf("first drop in round %d, want about 64 + 1 + 10", firstDrop)
	}
	if stuck.Queued != 65 || stuck.QueuedBytes != 65*1024 || stuck.Dropped != rounds-firstDrop+1 || stuck.Failed != 0 {
		t.Errorf("stuck client: %+v with the first drop in round %d", stuck, firstDrop)
	}
	if other.Dropped != 0 || other.Queued != 0 || other.Failed != 0 {
		t.Errorf("healthy client: %+v, want nothing", other)
	}
}

func TestFullEvictClosesTheStuckClient(t *testing.T) {
	h := newHall(t, "gorilla:writetimeout=0", "chan:2:full=evict", Env{})
	h.dial(0, true)
	healthy := h.dial(1, false)
	for n := range uint32(40) {
		h.broadcast(n, 1024)
		read(t, healthy)
		time.Sleep(time.Millisecond)
	}
	within(t, "the stuck client is evicted", func() bool { return errors.Is(h.cause(0), engines.ErrQueueFull) })
	accounts := h.strategy.Members()
	if !accounts[0].Left || accounts[0].Queued != 0 || accounts[0].Failed == 0 {
		t.Errorf("evicted client: %+v, want its queue counted as failed", accounts[0])
	}
	if accounts[1].Left || accounts[1].Failed != 0 {
		t.Errorf("healthy client: %+v", accounts[1])
	}
}

// TestGateKeepsMemoryFlat: on an engine that never blocks a queue cannot fill; a gate skips the client that owes too much.
func TestGateKeepsMemoryFlat(t *testing.T) {
	if raceEnabled {
		t.Skip("nbio's own code trips the race detector: see engines/enginetest")
	}
	for _, strategy := range []string{"seq:gate=8KiB", "shard:2:gate=8KiB", "seqprep:gate=8KiB", "chan:64:gate=8KiB"} {
		t.Run(strategy, func(t *testing.T) {
			h := newHall(t, "nbio:writetimeout=0", strategy, Env{})
			h.dial(0, true)
			healthy := h.dial(1, false)
			var owed int64
			for n := range uint32(60) {
				h.broadcast(n, 1024)
				read(t, healthy)
				owed = max(owed, h.engine.Conns()[0].Owed())
			}
			stuck, _ := h.strategy.Member(0)
			if owed == 0 || owed > 8<<10+4*1028 || stuck.Dropped < 30 {
				t.Errorf("owed at most %d bytes with %d drops, want about 8 KiB and dozens", owed, stuck.Dropped)
			}
		})
	}
}

// TestOneShardWaits: a client that blocks its writer delays its own shard and no other.
func TestOneShardWaits(t *testing.T) {
	h := newHall(t, "gorilla:writetimeout=300ms", "shard:2", Env{})
	h.dial(0, true)               // shard 0, first in its list
	behind := h.dial(2, false)    // shard 0
	elsewhere := h.dial(1, false) // shard 1
	arrived := map[string]time.Duration{}
	for n := range uint32(30) {
		start := time.Now()
		var both sync.WaitGroup
		var mu sync.Mutex
		for name, c := range map[string]net.Conn{"behind": behind, "elsewhere": elsewhere} {
			both.Go(func() {
				read(t, c)
				mu.Lock()
				defer mu.Unlock()
				arrived[name] = max(arrived[name], time.Since(start))
			})
		}
		h.broadcast(n, 1024)
		both.Wait()
	}
	if arrived["behind"] < 250*time.Millisecond || arrived["elsewhere"] > arrived["behind"]/2 {
		t.Errorf("worst delivery: %v, want about 300 ms behind the stuck client and far less elsewhere", arrived)
	}
	within(t, "the stuck client is closed by a write timeout", func() bool { return errors.Is(h.cause(0), engines.ErrWriteTimeout) })
}

// TestJoinAndLeaveWhileRoundsGoOut is for the race detector.
func TestJoinAndLeaveWhileRoundsGoOut(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			h := newHall(t, "gorilla", name, Env{Shards: 2})
			stop := make(chan struct{})
			var churn sync.WaitGroup
			churn.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					c := h.dial(i%8, false)
					c.Close()
					for h.strategyHas(i % 8) {
						time.Sleep(time.Millisecond)
					}
				}
			})
			for n := range uint32(200) {
				h.broadcast(n, 64)
				h.strategy.Members()
				time.Sleep(time.Millisecond)
			}
			close(stop)
			churn.Wait()
		})
	}
}

func (h *hall) strategyHas(number int) bool {
	_, ok := h.strategy.Member(number)
	return ok
}

func TestParse(t *testing.T) {
	for _, row := range []struct{ spec, canonical, fails string }{
		{"seq", "seq", ""},
		{"shard:16", "shard:16", ""},
		{"chan:256:full=evict", "chan:256:full=evict", ""},
		{"chan:gate=64KiB:full=drop:8", "chan:8:full=drop:gate=64KiB", ""}, // options sorted, the count first
		{"fanout", "", "want seq, seqprep, shard, shardprep, chan"},
		{"seq:4", "", "want gate="},
		{"seq:full=drop", "", "want gate="},
		{"shard:0", "", "1 to 65536"},
		{"shard:two", "", "number of workers"},
		{"shard:2:3", "", "given twice"},
		{"chan:gate=1:gate=2", "", "given twice"},
		{"chan:gate=0", "", "positive number of bytes"},
		{"chan:full=never", "", "drop or evict"},
		{"chan:", "", "nothing after the last colon"},
		{"", "", "unknown strategy"},
	} {
		s, err := Parse(row.spec)
		switch {
		case row.fails == "" && (err != nil || s.String() != row.canonical):
			t.Errorf("Parse(%q) = %q, %v; want %q", row.spec, s, err, row.canonical)
		case row.fails != "" && (err == nil || !strings.Contains(err.Error(), row.fails)):
			t.Errorf("Parse(%q): %v, want an error with %q", row.spec, err, row.fails)
		}
	}
}
