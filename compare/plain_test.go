//go:build linux

package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/gorilla/websocket"
	"golang.org/x/sys/unix"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/internal/stamp"
	"wsfanout/internal/wire"
	"wsfanout/serve"
)

// The fleet beside an ordinary client on the same server takes about three minutes of both cores: it is no part of the
// ordinary tests.
//
//	WSFANOUT_PLAIN=1 go test ./compare -run TestEchoAgainstAPlainClient -v -timeout 10m
const plainEnv = "WSFANOUT_PLAIN"

// plainChildEnv makes TestPlainClientProcess the client.
const plainChildEnv = "WSFANOUT_PLAIN_CHILD"

const (
	plainClients = 200
	plainSize    = 1 << 10
	plainPairs   = 7
	plainWindow  = 2 * time.Second
)

// contender is one client of the server, of plainClients connections, and what came of each of its turns.
type contender struct {
	name, verb string
	nap        time.Duration
	child      *child
	seen       []turn
}

// turn is one window at the fixed rate. The latency of the phase ends at the kernel's stamp; medians, nanoseconds.
type turn struct {
	*result.EchoPhase
	lag      float64 // from the stamp to the client's own pick-up
	pickedUp float64 // from the send to the pick-up; the fleet's: latency and lag added up
	wakeups  float64 // an echo; NaN: not known
}

func (w turn) server() float64  { return w.ServerNs() }
func (w turn) arrival() float64 { return float64(w.LatencyNs.P50) }

// plainCounters are what a client says after a turn.
type plainCounters struct {
	clientfleet.Counters
	PickedUp []byte `json:"picked_up,omitempty"` // the plain client's histogram, by its own clock
}

func TestEchoAgainstAPlainClient(t *testing.T) {
	if os.Getenv(plainEnv) == "" {
		t.Skip("set " + plainEnv + "=1: it takes about three minutes of both cores")
	}
	t.Setenv(plainChildEnv, "1")
	for _, engine := range []string{"gorilla", "nbio", "gobwas"} {
		t.Run(engine, func(t *testing.T) {
			contenders := []*contender{
				{name: "fleet", verb: "fleet"},
				{name: "plain", verb: "-test.run=^TestPlainClientProcess$"},
				{name: "fleet, no naps", verb: "fleet", nap: -1},
			}
			before := loadAverage()
			most, perSecond := takeTurns(t, engine, contenders)
			t.Logf("%s: closed loop %.0f echoes/s, 30 %% of it %.0f; load average %s before, %s after\n%s",
				engine, most, perSecond, before, loadAverage(), plainTable(contenders))
			for _, c := range contenders {
				for what, of := range map[string]func(turn) float64{"server CPU": turn.server, "latency": turn.arrival} {
					if r := againstPlain(contenders, c, of); !(r > 0.5 && r < 2) {
						t.Errorf("%s: %s is %.2f of the plain client's", c.name, what, r)
					}
				}
			}
		})
	}
}

// takeTurns measures all contenders on one server process: the first one's closed loop, then everybody by turns.
func takeTurns(t *testing.T, engine string, contenders []*contender) (most, perSecond float64) {
	t.Helper()
	all := len(contenders) * plainClients
	p, err := startPair(t.Context(), nil, serve.Plan{
		Engine: engine, Strategy: "seq", Clients: all, Size: plainSize, Seed: 1, Shards: 1, Order: "fixed",
		Handler: serve.HandlerEcho, Apart: []serve.Span{{From: 0, To: all}},
	})
	defer p.end()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range contenders {
		if c.child, err = startChild(c.name, c.verb, carrier{}); err != nil {
			t.Fatal(err)
		}
		defer c.child.end()
		plan := clientfleet.Plan{Addr: p.started.Addr, Size: plainSize, Rounds: 1, Nap: c.nap}
		plan.Numbers = []clientfleet.Range{{From: i * plainClients, To: (i + 1) * plainClients}}
		if _, err := join(t.Context(), c.child, plan); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := call[serve.Settled](t.Context(), p.server, "settle", serve.Settle{Members: all, Timeout: 10 * time.Second}, nil); err != nil {
		t.Fatal(err)
	}
	load := clientfleet.Echo{Mode: clientfleet.EchoClosed, Outstanding: plainClients, Size: plainSize, For: plainWindow, Warmup: plainWindow / 5}
	closed, err := echoPhase(t.Context(), &pair{server: p.server, fleet: contenders[0].child}, load)
	if err != nil {
		t.Fatal(err)
	}
	load.Mode, load.Outstanding, load.PerSecond = clientfleet.EchoRate, 0, 0.3*closed.PerSecond
	for range plainPairs {
		for _, c := range contenders {
			w, err := c.take(t.Context(), p.server, load)
			if err != nil {
				t.Fatal(err)
			}
			c.seen = append(c.seen, w)
		}
	}
	return closed.PerSecond, load.PerSecond
}

// take is one turn.
func (c *contender) take(ctx context.Context, server *child, load clientfleet.Echo) (w turn, err error) {
	if _, err = c.child.ask(ctx, "mark", nil, nil); err != nil {
		return w, err
	}
	if w.EchoPhase, err = echoPhase(ctx, &pair{server: server, fleet: c.child}, load); err != nil {
		return w, err
	}
	count, err := call[plainCounters](ctx, c.child, "counters", nil, nil)
	if err != nil {
		return w, err
	}
	lag, err := latencyOf(count.Lag)
	picked, also := latencyOf(count.PickedUp)
	w.lag, w.pickedUp = float64(lag.P50), float64(cmp.Or(picked.P50, w.LatencyNs.P50+lag.P50))
	w.wakeups = float64(count.Wakeups) / float64(count.Messages) // the plain client counts neither: NaN
	return w, cmp.Or(err, also)
}

// medianOf is over the turns of one.
func (c *contender) medianOf(of func(turn) float64) float64 {
	var values []float64
	for _, w := range c.seen {
		values = append(values, of(w))
	}
	return median(values)
}

// againstPlain is the median over the pairs of one's number by the plain client's next to it.
func againstPlain(contenders []*contender, c *contender, of func(turn) float64) float64 {
	var ratios []float64
	for i, w := range c.seen {
		ratios = append(ratios, of(w)/of(contenders[1].seen[i]))
	}
	return median(ratios)
}

// plainColumns are medians over the turns; those of ratio are by the plain client's, turn by turn.
var plainColumns = []struct {
	name, format string
	of           func(turn) float64
	ratio        bool
}{
	{"server us/echo", "%.2f", func(w turn) float64 { return w.server() / 1e3 }, false},
	{"user", "%.2f", func(w turn) float64 { return w.ServerUserNs / 1e3 }, false},
	{"by plain", "x%.3f", turn.server, true},
	{"p50 to stamp us", "%.0f", func(w turn) float64 { return w.arrival() / 1e3 }, false},
	{"by plain", "x%.3f", turn.arrival, true},
	{"p50 lag us", "%.0f", func(w turn) float64 { return w.lag / 1e3 }, false},
	{"p50 to pick-up us", "%.0f", func(w turn) float64 { return w.pickedUp / 1e3 }, false},
	{"by plain", "x%.3f", func(w turn) float64 { return w.pickedUp }, true},
	{"p99 to stamp us", "%.0f", func(w turn) float64 { return float64(w.LatencyNs.P99) / 1e3 }, false},
	{"sent late us", "%.0f", func(w turn) float64 { return float64(w.SendLagNs.P50) / 1e3 }, false},
	{"client us/echo", "%.2f", func(w turn) float64 { return w.FleetNs / 1e3 }, false},
	{"wake-ups/echo", "%.2f", func(w turn) float64 { return w.wakeups }, false},
	{"echoes/s", "%.0f", func(w turn) float64 { return w.PerSecond }, false},
	{"lost", "%.0f", func(w turn) float64 { return float64(w.Lost + w.Skipped) }, false},
}

func plainTable(contenders []*contender) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "client")
	for _, column := range plainColumns {
		fmt.Fprint(w, "\t", column.name)
	}
	for _, c := range contenders {
		fmt.Fprint(w, "\n", c.name)
		for _, column := range plainColumns {
			value := c.medianOf(column.of)
			if column.ratio {
				value = againstPlain(contenders, c, column.of)
			}
			fmt.Fprintf(w, "\t"+column.format, value)
		}
	}
	w.Flush()
	return text.String()
}

func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	return strings.Join(strings.Fields(string(text))[:2], " ")
}

// TestPlainClientProcess is the plain client in a process of its own. It understands as much of the fleet's protocol as a turn needs.
func TestPlainClientProcess(t *testing.T) {
	if os.Getenv(plainChildEnv) == "" {
		t.Skip("this is a process of TestEchoAgainstAPlainClient")
	}
	conn, client := wire.NewConn(os.Stdin, os.Stdout), &plainClient{began: time.Now()}
	for {
		var q wire.Request
		if err := conn.Read(&q); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		plan, _ := wire.Decode[clientfleet.Plan](q.Body)
		load, _ := wire.Decode[clientfleet.Echo](q.Body)
		var reply any
		var err error
		switch q.Do {
		case "connect":
			reply, err = client.connect(plan.Addr, plan.Numbers[0])
		case "echo":
			reply, err = client.echo(load, func() { conn.Event("window", nil) })
		case "counters":
			reply = client.counters()
		}
		if err != nil {
			conn.Fail(err)
			continue
		}
		conn.Reply(q.Do, reply)
	}
}

// plainClient is what one writes with a WebSocket library in an afternoon: a goroutine for each connection that reads, one
// more that writes to all on an absolute schedule, and its own clock when ReadMessage returns. That it also asks for the
// kernel's stamps says how much of that time is its own.
type plainClient struct {
	began time.Time
	conns []*websocket.Conn

	mu       sync.Mutex
	from, to int64   // the window
	arrived  int     // within it
	latency  []int64 // from the send, of the window: to the return of ReadMessage
	lag      []int64 // its part after the kernel's stamp
}

func (p *plainClient) now() int64 { return int64(time.Since(p.began)) }

func (p *plainClient) connect(addr string, numbers clientfleet.Range) (clientfleet.Connected, error) {
	for n := numbers.From; n < numbers.To; n++ {
		var stamped *stampedConn
		dialer := websocket.Dialer{NetDial: func(network, addr string) (net.Conn, error) {
			var err error
			stamped, err = dialStamped(network, addr)
			return stamped, err
		}}
		c, _, err := dialer.Dial(fmt.Sprintf("ws://%s/ws?i=%d", addr, n), nil)
		if err != nil {
			return clientfleet.Connected{}, err
		}
		p.conns = append(p.conns, c)
		go p.read(c, stamped)
	}
	return clientfleet.Connected{Asked: len(p.conns), Connected: len(p.conns)}, nil
}

func (p *plainClient) read(c *websocket.Conn, stamped *stampedConn) {
	for {
		_, message, err := c.ReadMessage()
		if err != nil || len(message) < 8 {
			return
		}
		at, lag, sent := p.now(), time.Now().UnixNano()-stamped.arrived, int64(binary.LittleEndian.Uint64(message))
		p.mu.Lock()
		if at >= p.from && at < p.to {
			p.arrived++
		}
		if sent >= p.from && sent < p.to {
			p.latency, p.lag = append(p.latency, at-sent), append(p.lag, lag)
		}
		p.mu.Unlock()
	}
}

// echo sends at the fixed rate and waits at most a second for the last echoes.
func (p *plainClient) echo(load clientfleet.Echo, window func()) (clientfleet.Echoed, error) {
	start := p.now() + int64(5*time.Millisecond)
	p.mu.Lock()
	p.from, p.arrived, p.latency, p.lag = start+int64(load.Warmup), 0, nil, nil
	p.to = p.from + int64(load.For)
	p.mu.Unlock()
	var lags []int64
	var failed error
	written := make(chan struct{})
	go func() {
		defer close(written)
		lags, failed = p.write(start, load)
	}()
	var begin, end unix.Rusage
	time.Sleep(time.Duration(p.from - p.now()))
	begun := unix.Getrusage(unix.RUSAGE_SELF, &begin)
	window()
	time.Sleep(time.Duration(p.to - p.now()))
	ended := unix.Getrusage(unix.RUSAGE_SELF, &end)
	window()
	<-written
	for late := 0; late < 200 && p.received() < len(lags); late++ {
		time.Sleep(5 * time.Millisecond)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var arrival []int64
	for i, d := range p.latency {
		arrival = append(arrival, d-p.lag[i])
	}
	return clientfleet.Echoed{
		Clients: len(p.conns), Sent: int64(len(lags)), Received: int64(len(p.latency)), Lost: int64(len(lags) - len(p.latency)),
		PerSecond: float64(p.arrived) / load.For.Seconds(), Latency: encoded(arrival), SendLag: encoded(lags),
		CPUUserNs: end.Utime.Nano() - begin.Utime.Nano(), CPUSystemNs: end.Stime.Nano() - begin.Stime.Nano(),
	}, cmp.Or(failed, begun, ended)
}

func (p *plainClient) counters() plainCounters {
	p.mu.Lock()
	defer p.mu.Unlock()
	return plainCounters{Counters: clientfleet.Counters{Lag: encoded(p.lag)}, PickedUp: encoded(p.latency)}
}

func (p *plainClient) received() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.latency)
}

// write is the schedule. It has a thread of its own that sleeps by itself: the runtime wakes a goroutine to a millisecond,
// which would make bursts of the same rate. It returns how late the messages of the window were.
func (p *plainClient) write(start int64, load clientfleet.Echo) (lags []int64, err error) {
	runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine, and its slack with it
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return nil, err
	}
	payload := stamp.Filling(load.Size, 1)
	for n := 0; ; n++ {
		due := start + int64(float64(n)*1e9/load.PerSecond)
		if due >= p.to {
			return lags, nil
		}
		for wait := due - p.now(); wait > 0; wait = due - p.now() {
			ts := unix.NsecToTimespec(wait)
			unix.Nanosleep(&ts, nil)
		}
		at := p.now()
		binary.LittleEndian.PutUint64(payload, uint64(at))
		if err := p.conns[n%len(p.conns)].WriteMessage(websocket.BinaryMessage, payload); err != nil {
			return nil, err
		}
		if at >= p.from && at < p.to {
			lags = append(lags, at-due)
		}
	}
}

// stampedConn knows when the last bytes that it read had arrived, CLOCK_REALTIME.
type stampedConn struct {
	*net.TCPConn
	raw     syscall.RawConn
	control [64]byte
	arrived int64
}

func dialStamped(network, addr string) (*stampedConn, error) {
	plain, err := net.Dial(network, addr)
	if err != nil {
		return nil, err
	}
	c := &stampedConn{TCPConn: plain.(*net.TCPConn)}
	if c.raw, err = c.SyscallConn(); err != nil {
		return nil, err
	}
	var refused error
	err = c.raw.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	})
	return c, cmp.Or(err, refused)
}

func (c *stampedConn) Read(b []byte) (n int, err error) {
	control := 0
	closed := c.raw.Read(func(fd uintptr) bool {
		n, control, _, _, err = unix.Recvmsg(int(fd), b, c.control[:], 0)
		return err != unix.EAGAIN
	})
	if err = cmp.Or(closed, err); err != nil || n == 0 {
		return 0, cmp.Or(err, io.EOF)
	}
	messages, err := unix.ParseSocketControlMessage(c.control[:control])
	for _, m := range messages {
		if m.Header.Type == unix.SO_TIMESTAMPNS {
			c.arrived = int64(binary.NativeEndian.Uint64(m.Data))*1e9 + int64(binary.NativeEndian.Uint64(m.Data[8:]))
		}
	}
	return n, err
}

// encoded is a histogram as the fleet sends it.
func encoded(values []int64) []byte {
	h := hdrhistogram.New(100, math.MaxInt32*30, 3)
	for _, v := range values {
		h.RecordValue(v)
	}
	b, _ := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return b
}
