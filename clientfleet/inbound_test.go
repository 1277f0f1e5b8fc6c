package clientfleet

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

// listen reads inbound messages until the connection ends and counts them; anything else is an error.
func (p *peer) listen(t *testing.T, size int, count *atomic.Int64) {
	want := stamp.Filling(size, 1)
	copy(want, "in")
	binary.LittleEndian.PutUint32(want[2:], uint32(p.number))
	for got := make([]byte, size); ; count.Add(1) {
		h, err := ws.ReadHeader(p)
		if err != nil {
			return
		}
		if !h.Masked || !h.Fin || h.OpCode != ws.OpBinary || h.Rsv != 0 || h.Length != int64(size) {
			t.Errorf("client %d sent %+v", p.number, h)
			return
		}
		if _, err := io.ReadFull(p, got); err != nil {
			return
		}
		if ws.Cipher(got, h.Mask, 0); !bytes.Equal(got, want) {
			t.Errorf("client %d sent something else", p.number)
			return
		}
	}
}

func TestInbound(t *testing.T) {
	onServer, inPlan := secured(t, tls.VersionTLS13)
	for name, c := range map[string]struct {
		size int
		set  func(*server)
		plan func(*Plan)
	}{
		"small":       {6, func(*server) {}, func(*Plan) {}},
		"200 bytes":   {200, func(*server) {}, func(*Plan) {}},
		"70,000":      {70_000, func(*server) {}, func(*Plan) {}},
		"two readers": {100, func(*server) {}, func(p *Plan) { p.Readers = 2 }},
		"compressed":  {100, deflating, compressing(testSize)},
		"TLS":         {20_000, onServer, inPlan},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, c.set)
			const clients, rate = 10, 400
			f := connectN(t, s, clients, c.plan, func(p *Plan) {
				p.Inbound = &Inbound{PerSecond: rate, Size: c.size}
				p.Extras = []Extra{{Number: 50, Kind: Stuck}}
			})
			counts := make([]atomic.Int64, clients)
			for i := range counts {
				s.running.Go(func() { s.peer(i).listen(t, c.size, &counts[i]) })
			}
			begin := time.Now()
			if err := f.Inbound(true); err != nil {
				t.Fatal(err)
			}
			time.Sleep(250 * time.Millisecond)
			if err := f.Inbound(false); err != nil {
				t.Fatal(err)
			}
			due := time.Since(begin).Seconds() * rate
			got := counters(t, f)
			if n := float64(got.InboundSent + got.InboundSkipped); n > due+1 || n < due/2 {
				t.Errorf("%+v of about %.0f", got, due)
			}
			sum := func() (n int64) {
				for i := range counts {
					n += counts[i].Load()
				}
				return n
			}
			await(t, "all messages", func() bool { return sum() == got.InboundSent })
			time.Sleep(3 * inboundBeat)
			if n := counters(t, f).InboundSent; n != got.InboundSent {
				t.Errorf("%d messages after the end", n-got.InboundSent)
			}
			least, most := int64(math.MaxInt64), int64(0)
			for i := range counts {
				least, most = min(least, counts[i].Load()), max(most, counts[i].Load())
			}
			if got.InboundSkipped == 0 && most-least > 2 { // one a turn, and each reader has turns of its own
				t.Errorf("a client sent %d, another %d", least, most)
			}
		})
	}
}

// A server that does not read gets no more than its socket holds; when it reads again, every frame is whole. Rounds reach
// the clients all the while.
func TestInboundWithoutRoom(t *testing.T) {
	onServer, inPlan := secured(t, tls.VersionTLS12)
	for name, c := range map[string]struct {
		set  func(*server)
		plan func(*Plan)
	}{"plain": {func(*server) {}, func(*Plan) {}}, "TLS": {onServer, inPlan}} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, c.set)
			const size = 1 << 20
			f := connectN(t, s, 1, c.plan, func(p *Plan) { p.Inbound = &Inbound{PerSecond: 200, Size: size} })
			if err := f.Inbound(true); err != nil {
				t.Fatal(err)
			}
			await(t, "full", func() bool { return counters(t, f).InboundSkipped > 3 })
			s.peer(0).send(t, message(0, stamp.Strategy))
			await(t, "a round", func() bool { return f.Received(0, 1) == 1 })
			if err := f.Inbound(false); err != nil {
				t.Fatal(err)
			}
			var count atomic.Int64
			s.running.Go(func() { s.peer(0).listen(t, size, &count) })
			got := counters(t, f)
			await(t, "what was sent", func() bool { return count.Load() == got.InboundSent })
			if f.Inbound(true); got.InboundSent == 0 {
				t.Error("nothing was sent")
			}
			await(t, "more", func() bool { return count.Load() > got.InboundSent })
			if why := goneWhy(f, 0); why != "" {
				t.Error(why)
			}
		})
	}
}

func TestInboundOfAClientThatEnds(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 2, func(p *Plan) { p.Inbound = &Inbound{PerSecond: 1000, Size: 10} })
	f.Inbound(true)
	s.peer(0).send(t, message(0, stamp.Strategy))
	s.peer(0).Close()
	await(t, "its end", func() bool { return goneWhy(f, 0) != "" })
	await(t, "its turns are skipped", func() bool { return counters(t, f).InboundSkipped > 3 })
	if c := f.Collect(0, 1, stamp.Strategy); c.Clients[0].Received != 1 || goneWhy(f, 1) != "" {
		t.Errorf("%+v", c)
	}
	f.Close()
	if err := f.Inbound(true); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestInboundPlans(t *testing.T) {
	for _, in := range []Inbound{{1, 5}, {0, 10}, {-1, 10}, {1, 2 << 20}, {math.NaN(), 10}, {math.Inf(1), 10}} {
		p := Plan{Addr: "127.0.0.1:1", Size: testSize, Inbound: &in}
		if _, _, err := Connect(t.Context(), p, nil); !errors.Is(err, ErrPlan) {
			t.Errorf("%+v: %v", in, err)
		}
	}
	f := connectN(t, newServer(t), 1)
	if err := f.Inbound(true); !errors.Is(err, ErrPlan) {
		t.Error(err)
	}
}

// All of it together leaves neither a descriptor nor, as TestMain checks, a goroutine.
func TestEverythingLeavesNothing(t *testing.T) {
	onServer, inPlan := secured(t, tls.VersionTLS13)
	s := newServer(t, onServer, deflating)
	all := []func(*Plan){inPlan, compressing(1024), func(p *Plan) { p.Inbound = &Inbound{PerSecond: 500, Size: 50} }}
	connectN(t, s, 1, all...).Close() // whatever the runtime opens once
	s.peer(0).Close()
	before := openFiles(t)
	f := connectN(t, s, 50, slices.Concat(all, []func(*Plan){func(p *Plan) { p.Numbers, p.Readers = []Range{{1, 51}}, 2 }})...)
	f.Inbound(true)
	b := ws.MustCompileFrame(squeezed(t, text(1024, 0)))
	for i := range 50 {
		s.peer(1+i).send(t, b)
	}
	await(t, "everything", func() bool { c := counters(t, f); return c.Messages == 50 && c.InboundSent > 20 })
	for i := range 50 {
		s.peer(1 + i).Close()
	}
	f.Close()
	if after := openFiles(t); after != before {
		t.Errorf("%d files open, %d before", after, before)
	}
}
