package clientfleet

import (
	"crypto/tls"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

// echoes sends every message of a client back until the connection ends. hold is called before each; nil: nothing.
func (p *peer) echoes(hold func()) {
	var payload []byte
	for {
		h, err := ws.ReadHeader(p)
		if err != nil {
			return
		}
		if cap(payload) < int(h.Length)+ws.MaxHeaderSize {
			payload = make([]byte, h.Length+ws.MaxHeaderSize)
		}
		payload = payload[:h.Length]
		if _, err := io.ReadFull(p, payload); err != nil || !h.Masked {
			return
		}
		ws.Cipher(payload, h.Mask, 0)
		if hold != nil {
			hold()
		}
		if _, err := p.Write(ws.MustCompileFrame(ws.NewFrame(h.OpCode, true, payload))); err != nil {
			return
		}
	}
}

// echoServer echoes.
func echoServer(t testing.TB, hold func(), set ...func(*server)) *server {
	t.Helper()
	return newServer(t, append(set, func(s *server) { s.attend = func(p *peer) { p.echoes(hold) } })...)
}

// shortDrain is for tests that lose echoes.
func shortDrain(t *testing.T) {
	before := echoDrain
	echoDrain = 300 * time.Millisecond
	t.Cleanup(func() { echoDrain = before })
}

func echoed(t *testing.T, f *Fleet, e Echo) Echoed {
	t.Helper()
	got, err := f.Echo(t.Context(), e, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", summaryOf(t, got))
	if c := f.Collect(0, 1, stamp.Strategy); c.Malformed != 0 {
		t.Errorf("%d malformed", c.Malformed)
	}
	return got
}

// summaryOf leaves the histograms out.
func summaryOf(t *testing.T, e Echoed) Echoed {
	if e.Sent != e.Received+e.Lost || e.Due != 0 && e.Due != e.Sent+e.Skipped {
		t.Errorf("the counts do not add up: %d due, %d sent, %d skipped, %d received, %d lost", e.Due, e.Sent, e.Skipped, e.Received, e.Lost)
	}
	if n := total(t, e.Latency); n != e.Received {
		t.Errorf("%d latencies of %d received", n, e.Received)
	}
	if n := total(t, e.LatencyDue); n != e.Due {
		t.Errorf("%d latencies from due of %d due", n, e.Due)
	}
	e.Latency, e.LatencyDue, e.SendLag = nil, nil, nil
	return e
}

// total is how many values are in an encoded histogram, none in nil.
func total(t *testing.T, b []byte) int64 {
	t.Helper()
	if b == nil {
		return 0
	}
	return decode(t, b).TotalCount()
}

func TestEchoClosed(t *testing.T) {
	onServer, inPlan := secured(t, tls.VersionTLS13)
	for name, c := range map[string]struct {
		clients, outstanding, size int
		set                        func(*server)
		plan                       func(*Plan)
	}{
		"one":           {5, 1, 16, func(*server) {}, func(*Plan) {}},
		"some of many":  {50, 7, 1024, func(*server) {}, func(p *Plan) { p.Readers = 2 }},
		"all":           {20, 20, 100, func(*server) {}, func(p *Plan) { p.Content = &Content{} }},
		"large":         {4, 4, 300_000, func(*server) {}, func(*Plan) {}},
		"TLS":           {4, 2, 20_000, onServer, inPlan},
		"beside extras": {5, 5, 100, func(*server) {}, func(p *Plan) { p.Extras = []Extra{{Number: 50, Kind: Mute}} }},
	} {
		t.Run(name, func(t *testing.T) {
			var most, now atomic.Int64
			s := echoServer(t, func() {
				n := now.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				time.Sleep(time.Millisecond) // so that all that are under way meet here
				now.Add(-1)
			}, c.set)
			f := connectN(t, s, c.clients, c.plan)
			got := echoed(t, f, Echo{Mode: EchoClosed, Outstanding: c.outstanding, Size: c.size, For: 150 * time.Millisecond, Warmup: 50 * time.Millisecond})
			if got.Lost != 0 || got.Skipped != 0 || got.Received < int64(c.outstanding) || got.Clients != c.clients || len(got.Errors) != 0 {
				t.Errorf("%+v", summaryOf(t, got))
			}
			if got.LatencyDue != nil || got.SendLag != nil || got.To-got.From != int64(150*time.Millisecond) {
				t.Error("a schedule in a closed loop, or another window")
			}
			if n := most.Load(); n > int64(c.outstanding) {
				t.Errorf("%d under way, want at most %d", n, c.outstanding)
			}
			// Little's law, of the same run: so many under way are rate x latency.
			mean := decode(t, got.Latency).Mean() / 1e9
			if n := got.PerSecond * mean; n > float64(c.outstanding)*1.1 {
				t.Errorf("%.0f/s of %.6f s are %.2f under way, want at most %d", got.PerSecond, mean, n, c.outstanding)
			}
			if c := counters(t, f); c.Messages < got.Received {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestEchoRate(t *testing.T) {
	for name, c := range map[string]struct {
		clients, readers int
		rate             float64
	}{"one": {1, 1, 500}, "many": {40, 1, 4000}, "two readers": {7, 2, 1000}, "slow": {100, 2, 50}} {
		t.Run(name, func(t *testing.T) {
			s := echoServer(t, nil)
			f := connectN(t, s, c.clients, func(p *Plan) { p.Readers = c.readers })
			const window = 400 * time.Millisecond
			got := echoed(t, f, Echo{Mode: EchoRate, PerSecond: c.rate, Size: 200, For: window, Warmup: 100 * time.Millisecond})
			due := c.rate * window.Seconds()
			if d := float64(got.Due); d < due-2 || d > due+2 || got.Lost+got.Skipped != 0 {
				t.Errorf("%+v, want %.0f", summaryOf(t, got), due)
			}
			if got.PerSecond > c.rate*1.5 || got.PerSecond < c.rate*0.5 {
				t.Errorf("%.0f/s", got.PerSecond)
			}
			lag, latency, all := decode(t, got.SendLag), decode(t, got.Latency), decode(t, got.LatencyDue)
			if lag.TotalCount()+got.Held != got.Due {
				t.Errorf("%d lags, %d held, %d due", lag.TotalCount(), got.Held, got.Due)
			}
			if all.Mean() < latency.Mean() || got.Held == 0 && all.Mean() > 1.01*(latency.Mean()+lag.Mean())+1000 {
				t.Errorf("from due %.0f ns, from the send %.0f ns, between them %.0f ns", all.Mean(), latency.Mean(), lag.Mean())
			}
		})
	}
}

// The server stands still for 200 ms: whatever was due meanwhile is late from its own time, and nothing is missing.
func TestEchoRateThroughAStall(t *testing.T) {
	var stall atomic.Bool
	var once atomic.Bool
	const pause = 200 * time.Millisecond
	until := atomic.Int64{}
	s := echoServer(t, func() {
		if stall.Load() && once.CompareAndSwap(false, true) {
			until.Store(time.Now().Add(pause).UnixNano())
		}
		if u := until.Load(); u != 0 {
			time.Sleep(time.Until(time.Unix(0, u)))
		}
	})
	f := connectN(t, s, 10)
	for name, size := range map[string]int{"many under way": 100, "one under way": echoUnderWay} {
		until.Store(0)
		once.Store(false)
		stall.Store(true)
		const rate = 1000
		got := echoed(t, f, Echo{Mode: EchoRate, PerSecond: rate, Size: size, For: 500 * time.Millisecond})
		if got.Due != 500 || got.Received != 500 {
			t.Errorf("%s: %+v", name, summaryOf(t, got))
		}
		late := decode(t, got.LatencyDue)
		if m := time.Duration(late.Max()); m < 150*time.Millisecond {
			t.Errorf("%s: latency from due %v at most", name, m)
		}
		// 200 of 500 were due in the pause: half of those waited for more than a half of it.
		if m := time.Duration(late.ValueAtPercentile(85)); m < 60*time.Millisecond {
			t.Errorf("%s: latency from due: 85 %% below %v", name, m)
		}
		if held := got.Held > 100; held != (size == echoUnderWay) {
			t.Errorf("%s: %d held", name, got.Held)
		}
	}
}

// A server that never answers, and one whose connections end: nothing is lost silently.
func TestEchoLost(t *testing.T) {
	shortDrain(t)
	s := newServer(t)
	f := connectN(t, s, 4)
	time.AfterFunc(100*time.Millisecond, func() { s.peer(3).Close() })
	go s.peer(0).echoes(nil)
	got := echoed(t, f, Echo{Mode: EchoRate, PerSecond: 400, Size: echoUnderWay / 2, For: 200 * time.Millisecond})
	if got.Due != 80 || got.Received != 20 || got.Lost != 3*2 || got.Skipped != 80-20-6 || len(got.Errors) != 1 {
		t.Errorf("%+v", summaryOf(t, got))
	}
	if m := time.Duration(decode(t, got.LatencyDue).Max()); m < echoDrain {
		t.Errorf("latency from due %v at most, want those lost in it", m)
	}
	got = echoed(t, f, Echo{Mode: EchoClosed, Outstanding: 3, Size: 100, For: 50 * time.Millisecond})
	if got.Clients != 3 || got.Lost != 2 || got.Received == 0 {
		t.Errorf("%+v", summaryOf(t, got))
	}
}

// In a closed loop one that rests takes the place of one that is gone.
func TestEchoClosedReplaces(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 3)
	for _, i := range []int{1, 2} {
		go s.peer(i).echoes(func() { time.Sleep(time.Millisecond) })
	}
	time.AfterFunc(50*time.Millisecond, func() { s.peer(0).send(t, ws.MustCompileFrame(ws.NewCloseFrame(nil))) })
	got := echoed(t, f, Echo{Mode: EchoClosed, Outstanding: 2, Size: 100, For: 150 * time.Millisecond})
	if got.Lost != 1 || got.Errors["close 1005"] != 1 || f.readers[0].echo.state[2].got == 0 {
		t.Errorf("%+v", summaryOf(t, got))
	}
	if got.Slowest != got.Busiest || got.Busiest == 0 || got.Starved != 0 {
		t.Errorf("%+v: want the shares of the only one that was there all along", summaryOf(t, got))
	}
}

func TestEchoAfterEcho(t *testing.T) {
	shortDrain(t)
	var late atomic.Int64
	s := echoServer(t, func() { time.Sleep(time.Duration(late.Swap(0))) })
	f := connectN(t, s, 2)
	late.Store(int64(echoDrain + 300*time.Millisecond))
	got := echoed(t, f, Echo{Mode: EchoClosed, Outstanding: 2, Size: 100, For: 50 * time.Millisecond})
	if got.Lost != 1 {
		t.Errorf("%+v", summaryOf(t, got))
	}
	got = echoed(t, f, Echo{Mode: EchoRate, PerSecond: 100, Size: 300, For: 500 * time.Millisecond})
	if got.Due != 50 || got.Received != 50 {
		t.Errorf("%+v", summaryOf(t, got))
	}
}
