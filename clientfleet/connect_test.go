package clientfleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestSourcesFor(t *testing.T) {
	for _, c := range []struct{ clients, low, high, want int }{
		{0, 32768, 60999, 1},
		{10_000, 32768, 60999, 1},
		{22_585, 32768, 60999, 1}, // four fifths of 28,232
		{22_586, 32768, 60999, 2},
		{100_000, 32768, 60999, 5},
		{1000, 40_000, 40_099, 13},
		{10, 40_000, 40_000, 10},
		{1_000_000, 40_000, 40_000, maxSources},
	} {
		if got := sourcesFor(c.clients, c.low, c.high); got != c.want {
			t.Errorf("%d clients, ports %d to %d: %d sources, want %d", c.clients, c.low, c.high, got, c.want)
		}
	}
}

// someRefused turns every tenth client away for now, and client 5 as a second one of its number.
func someRefused(number int) error {
	switch {
	case number%10 == 3:
		return ws.RejectConnectionError(ws.RejectionStatus(503))
	case number == 5:
		return ws.RejectConnectionError(ws.RejectionStatus(409))
	}
	return nil
}

func TestFewerThanAsked(t *testing.T) {
	s := newServer(t, func(s *server) { s.refuse = someRefused })
	var progress []int
	f, got, err := Connect(t.Context(), Plan{
		Addr: s.Addr().String(), Numbers: []Range{{0, 50}, {100, 110}}, Size: testSize, Rounds: 3, Timeout: 10 * time.Second,
	}, func(n int) { progress = append(progress, n) })
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got.Asked != 60 || got.Connected != 53 || got.Errors["http 503"] != 6 || got.Errors["http 409"] != 1 || len(got.Errors) != 2 {
		t.Errorf("%+v", got)
	}
	if len(progress) == 0 || progress[len(progress)-1] != 53 {
		t.Errorf("progress %v", progress)
	}
	if c := f.Collect(0, 3, stamp.Strategy); len(c.Clients) != 60 || len(c.Gone) != 7 {
		t.Errorf("%d clients, gone: %v", len(c.Clients), c.Gone)
	}
	if why := goneWhy(f, 5); why != "never connected: http 409" {
		t.Error(why)
	}
}

func TestNobodyThere(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	f, got, err := Connect(t.Context(), Plan{
		Addr: ln.Addr().String(), Numbers: []Range{{0, 300}}, Size: testSize, Timeout: 400 * time.Millisecond,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got.Connected != 0 || got.Errors["timeout"]+got.Errors["connection refused"] != 300 {
		t.Errorf("%+v", got)
	}
}

// A server that listens a little later, as after a restart.
func TestRefusalsAreRetried(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	started := time.AfterFunc(200*time.Millisecond, func() {
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			t.Error(err)
			return
		}
		for range 20 {
			c, err := ln.Accept()
			if err == nil {
				_, err = ws.Upgrade(c)
			}
			if err != nil {
				t.Error(err)
			}
			defer c.Close()
		}
		ln.Close()
	})
	defer started.Stop()
	f, got, err := Connect(t.Context(), Plan{Addr: addr, Numbers: []Range{{0, 20}}, Size: testSize, Timeout: 10 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got.Connected != 20 {
		t.Errorf("%+v", got)
	}
}

// mute accepts nobody: the kernel completes connections and no handshake is ever answered.
func mute(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln.Addr().String()
}

func TestTimeoutIsNotAHang(t *testing.T) {
	f, got, err := Connect(t.Context(), Plan{
		Addr: mute(t), Numbers: []Range{{0, 500}}, Size: testSize, Timeout: 200 * time.Millisecond,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got.Errors["timeout"] != 500 || got.ConnectNs > int64(2*time.Second) {
		t.Errorf("%+v", got)
	}
}

func TestCancelDuringConnect(t *testing.T) {
	addr, before := mute(t), openFiles(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	begin := time.Now()
	_, _, err := Connect(ctx, Plan{Addr: addr, Numbers: []Range{{0, 500}}, Size: testSize, Timeout: time.Minute}, nil)
	if !errors.Is(err, why) || time.Since(begin) > 3*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d files open, %d before", after, before)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	s := newServer(t)
	openFiles(t)
	connectN(t, s, 1).Close() // whatever the runtime opens once
	s.peer(0).Close()
	before := openFiles(t)
	f := connectN(t, s, 200, func(p *Plan) { p.Numbers, p.Readers = []Range{{1, 201}}, 3 })
	for i := range 200 {
		s.peer(1 + i).Close()
	}
	f.Close()
	f.Close()
	if after := openFiles(t); after != before {
		t.Errorf("%d files open, %d before", after, before)
	}
	if err := f.Mark(); !errors.Is(err, ErrClosed) {
		t.Errorf("Mark: %v", err)
	}
	if _, err := f.Counters(); !errors.Is(err, ErrClosed) {
		t.Errorf("Counters: %v", err)
	}
	f.Misbehave()
	if c := f.Collect(0, 10, stamp.Strategy); len(c.Clients) != 200 || f.Received(0, 10) != 0 {
		t.Errorf("%d clients after Close", len(c.Clients))
	}
}

// The side that closes first keeps the port for a minute, unless it resets.
func TestCloseLeavesNoTimeWait(t *testing.T) {
	s := newServer(t)
	for range 3 {
		f := connectN(t, s, 100)
		f.Close()
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Skip(err)
	}
	here := fmt.Sprintf(":%04X", s.Addr().(*net.TCPAddr).Port)
	waiting := 0
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if f[3] == "06" && (strings.HasSuffix(f[1], here) || strings.HasSuffix(f[2], here)) {
			waiting++
		}
	}
	if waiting > 10 { // not 0: the number may have been another connection's port a moment ago
		t.Errorf("%d of 300 connections in TIME_WAIT", waiting)
	}
}

func TestBadPlans(t *testing.T) {
	good := Plan{Addr: "127.0.0.1:1", Size: testSize, Timeout: time.Millisecond}
	for name, spoil := range map[string]func(*Plan){
		"size":      func(p *Plan) { p.Size = 20 },
		"rounds":    func(p *Plan) { p.Rounds = -1 },
		"readers":   func(p *Plan) { p.Readers = -1 },
		"range":     func(p *Plan) { p.Numbers = []Range{{5, 3}} },
		"twice":     func(p *Plan) { p.Numbers = []Range{{0, 5}, {4, 6}} },
		"stuck too": func(p *Plan) { p.Numbers, p.Extras = []Range{{0, 5}}, []Extra{{Number: 2, Kind: Stuck}} },
		"kind":      func(p *Plan) { p.Extras = []Extra{{Number: 2, Kind: "lazy"}} },
	} {
		p := good
		p.Numbers = slices.Clone(p.Numbers)
		spoil(&p)
		if _, _, err := Connect(t.Context(), p, nil); !errors.Is(err, ErrPlan) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Connect(t.Context(), Plan{Addr: "nowhere", Size: testSize}, nil); err == nil {
		t.Error("an address without a port was accepted")
	}
}
