package serve

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws/wsutil"

	"wsfanout/engines"
	"wsfanout/internal/stamp"
)

// A server whose handlers echo: one is held, one is quick, one client leaves.
func TestHandlersAreWatched(t *testing.T) {
	p := newParent(t)
	pl := plan(3)
	pl.Handler, pl.Stall, pl.Apart = HandlerEcho, 20*time.Millisecond, []Span{{0, 3}}
	started := reply[Started](p, "start", pl)
	clients := dial(t, started.Addr, 3)
	if h := reply[Held](p, "hold", Hold{Members: 3, Timeout: 5 * time.Second}); h.Members != 3 || h.HeapBytes <= 0 || h.Kernel < 0 || h.Goroutines < h.Start.Goroutines+3 {
		t.Errorf("held: %+v", h)
	}
	for i, text := range []string{"block 60ms", "quick"} {
		if err := wsutil.WriteClientText(clients[i], []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range []string{"block 60ms", "quick"} {
		clients[i].SetReadDeadline(time.Now().Add(5 * time.Second))
		if got, err := wsutil.ReadServerBinary(clients[i]); err != nil || string(got) != text {
			t.Errorf("client %d: %q, %v", i, got, err)
		}
	}
	var s Stalls
	for deadline := time.Now().Add(5 * time.Second); s.Count == 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		s = reply[Stalls](p, "stalls", nil) // the handler ends a moment after its answer
	}
	if s.Count < 1 || s.WorstNs < int64(60*time.Millisecond) || s.Handler != `"block 60ms" of client 0` || s.CostNs <= 0 {
		t.Errorf("stalls: %+v", s)
	}
	before := reply[Usage](p, "usage", nil)
	clients[2].Close()
	var c Closes
	for deadline := time.Now().Add(5 * time.Second); len(c.Closes) == 0 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		c = reply[Closes](p, "closes", nil)
	}
	if len(c.Closes) != 1 || c.Closes[0].Number != 2 || c.Closes[0].Why != engines.ErrPeerClosed.Error() || c.Closes[0].At < before.At || c.Closes[0].At > c.Now || c.Open != 2 {
		t.Errorf("closes: %+v, the client left after %d", c, before.At)
	}
	reply[Stopped](p, "stop", nil)
}

// A burst reaches its clients and nobody else; what a round is to another strategy's members, it is to the first one's.
func TestBurstsAndAnotherStrategy(t *testing.T) {
	p := newParent(t)
	pl := plan(3)
	pl.Apart = []Span{{2, 3}}
	started := reply[Started](p, "start", pl)
	clients := dial(t, started.Addr, 3)
	reply[Settled](p, "settle", Settle{Members: 3, Timeout: 5 * time.Second})
	reply[struct{}](p, "burst", Burst{Numbers: []int{2}, Messages: 3, Size: 100, Then: 2, Every: time.Millisecond})
	reply[struct{}](p, "strategy", Change{Strategy: "shard:2"})
	if issued := reply[Issued](p, "phase", Phase{Kind: "healthy", Rounds: 1, Interval: 10 * time.Millisecond}); issued.Rounds[0].Written != 2 {
		t.Errorf("%+v: want the two that are not apart", issued.Rounds[0])
	}
	for i, c := range clients {
		want, size, kind := 1, 256, stamp.Strategy
		if i == 2 {
			want, size, kind = 5, 100, stamp.Filler
		}
		for range want {
			c.SetReadDeadline(time.Now().Add(5 * time.Second))
			got, err := wsutil.ReadServerBinary(c)
			if err != nil || len(got) != size || stamp.Get(got).Kind != kind {
				t.Errorf("client %d: %d bytes, %v", i, len(got), err)
			}
		}
	}
	for do, body := range map[string]any{"burst": Burst{Messages: 1, Size: 5}, "strategy": Change{Strategy: "sideways"}} {
		if m := p.ask(do, body); m.Error == "" || strings.Contains(m.Error, "\n") {
			t.Errorf("%s: %q", do, m.Error)
		}
	}
	reply[Stopped](p, "stop", nil)
}

// A client without a handler is read all the same; nobody counts it.
func TestDeafClients(t *testing.T) {
	p := newParent(t)
	pl := plan(2)
	pl.Handler, pl.Deaf, pl.Apart = HandlerEcho, []Span{{0, 1}}, []Span{{0, 2}}
	started := reply[Started](p, "start", pl)
	clients := dial(t, started.Addr, 2)
	for i, c := range clients {
		message := binary.LittleEndian.AppendUint32(nil, uint32(i))
		if err := wsutil.WriteClientBinary(c, message); err != nil {
			t.Fatal(err)
		}
	}
	clients[1].SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := wsutil.ReadServerBinary(clients[1]); err != nil {
		t.Error(err)
	}
	clients[0].SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if got, err := wsutil.ReadServerBinary(clients[0]); err == nil {
		t.Errorf("the deaf one's message came back: %q", got)
	}
	reply[Stopped](p, "stop", nil)
}
