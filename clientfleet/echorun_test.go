package clientfleet

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/clock"
	"wsfanout/internal/wire"
)

func TestEchoEnds(t *testing.T) {
	s := echoServer(t, nil)
	f := connectN(t, s, 2)
	long := Echo{Mode: EchoRate, PerSecond: 100, Size: 100, For: time.Minute}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	_, err := f.Echo(ctx, long, func(w Window) {
		if _, err := f.Echo(ctx, long, nil); !errors.Is(err, errEchoing) {
			t.Error(err)
		}
		cancel(why)
	})
	if !errors.Is(err, why) {
		t.Error(err)
	}
	_, err = f.Echo(t.Context(), long, func(Window) { go f.Close() })
	if !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := f.Echo(t.Context(), long, nil); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestEchoPlans(t *testing.T) {
	f := connectN(t, newServer(t), 2)
	ok := Echo{Mode: EchoRate, PerSecond: 1, Size: 100, For: time.Second}
	for name, change := range map[string]func(*Echo){
		"mode": func(e *Echo) { e.Mode = "open" }, "size": func(e *Echo) { e.Size = 15 }, "rate": func(e *Echo) { e.PerSecond = 0 },
		"window": func(e *Echo) { e.For = 0 }, "warm-up": func(e *Echo) { e.Warmup = -1 }, "huge": func(e *Echo) { e.PerSecond = 1e9 },
		"nobody":        func(e *Echo) { e.Mode = EchoClosed },
		"more than all": func(e *Echo) { e.Mode, e.Outstanding = EchoClosed, 3 },
	} {
		e := ok
		change(&e)
		if _, err := f.Echo(t.Context(), e, nil); !errors.Is(err, ErrPlan) {
			t.Errorf("%s: %v", name, err)
		}
	}
	talking := connectN(t, newServer(t), 1, func(p *Plan) { p.Inbound = &Inbound{PerSecond: 1, Size: 10} })
	if _, err := talking.Echo(t.Context(), ok, nil); !errors.Is(err, ErrPlan) {
		t.Error(err)
	}
	if _, err := connectN(t, newServer(t), 0).Echo(t.Context(), ok, nil); !errors.Is(err, ErrPlan) {
		t.Error(err)
	}
}

func TestMergeEchoed(t *testing.T) {
	s := echoServer(t, nil)
	a := connectN(t, s, 2)
	b := connectN(t, s, 0, func(p *Plan) { p.Numbers = []Range{{2, 4}} })
	x := echoed(t, a, Echo{Mode: EchoRate, PerSecond: 500, Size: 100, For: 100 * time.Millisecond})
	y := echoed(t, b, Echo{Mode: EchoRate, PerSecond: 300, Size: 100, For: 100 * time.Millisecond})
	m, err := MergeEchoed(x, y)
	if err != nil || m.Due != 80 || m.Clients != 4 || m.From != x.From || m.To != y.To || m.CPUUserNs != x.CPUUserNs+y.CPUUserNs {
		t.Errorf("%+v, %v", summaryOf(t, m), err)
	}
	if total(t, m.SendLag) != total(t, x.SendLag)+total(t, y.SendLag) {
		t.Error("lags are missing")
	}
	x.Latency = []byte("rubbish")
	if _, err := MergeEchoed(x, y); err == nil {
		t.Error("rubbish was merged")
	}
}

// Neither a message nor its echo allocates.
func TestEchoAllocatesNothing(t *testing.T) {
	f := connectN(t, newServer(t), 1) // nobody reads, nobody answers: the socket holds them all
	r := f.readers[0]
	w, err := f.startEcho(Echo{Mode: EchoRate, PerSecond: 1, Size: 100, For: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	var n float64
	r.do(func() {
		c, l := &r.clients[0], r.echo
		x := &l.state[0]
		n = testing.AllocsPerRun(100, func() {
			if at, err := r.echoOne(c, x, w.From); at == 0 || err != nil {
				t.Error("not sent", err)
			}
			copy(c.first[:], l.frame[l.maskAt+4:][:16])
			ws.Cipher(c.first[:16], [4]byte(l.frame[l.maskAt:]), 0)
			c.size = 100
			if now := clock.Now(); !r.echoed(c, moment{arrival: now, picked: now}) {
				t.Error("no echo")
			}
			l.next()
			r.doze()
		})
		l.running = false
	})
	if n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestEchoByRequest(t *testing.T) {
	s := echoServer(t, nil)
	d := drive(t, t.Context())
	d.ask(t, "connect", Plan{Addr: s.Addr().String(), Numbers: []Range{{0, 3}}, Size: testSize})
	m, events := d.ask(t, "echo", Echo{Mode: EchoRate, PerSecond: 100, Size: 100, For: 100 * time.Millisecond})
	got, err := wire.Decode[Echoed](m.Body)
	if err != nil || got.Due != 10 || got.Received != 10 || len(events) != 2 {
		t.Fatalf("%+v, %v, %+v", m, err, events)
	}
	for i, want := range []Window{{From: got.From}, got.Window} {
		if w, err := wire.Decode[Window](events[i].Body); err != nil || w != want || events[i].Event != "window" {
			t.Errorf("%+v, want %+v", events[i], want)
		}
	}
	d.Ask("echo", Echo{Mode: EchoRate, PerSecond: 100, Size: 100, For: time.Minute})
	d.in.Close()
	go io.Copy(io.Discard, d.out)
	if err := d.wait(t); err != nil {
		t.Error(err)
	}
}
