package clientfleet

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// Each begins when its own time has come, and is healthy until then.
func TestAfter(t *testing.T) {
	s := newServer(t)
	const apart = 100 * time.Millisecond
	f := connectN(t, s, 1, func(p *Plan) {
		p.Extras = []Extra{{Number: 5, Kind: Stuck, After: 4 * apart, Resume: apart}, {Number: 4, Kind: Answers}, {Number: 3, Kind: Mute, After: apart}}
		p.Readers = 2
	})
	before := clock.Now()
	if err := f.Misbehave(); err != nil {
		t.Fatal(err)
	}
	s.peer(5).pinged(t, "not yet")
	await(t, "all begin", func() bool { b := f.Behaved(); return b[2].BeganAt != 0 })
	b := f.Behaved()
	for i, after := range []time.Duration{apart, 0, 4 * apart} {
		if b[i].Number != 3+i || b[i].BeganAt < before+int64(after) {
			t.Errorf("%d began after %v, want %v", b[i].Number, time.Duration(b[i].BeganAt-before), after)
		}
	}
	if !(b[1].BeganAt < b[0].BeganAt && b[0].BeganAt < b[2].BeganAt) {
		t.Errorf("in another order: %+v", b)
	}
	s.peer(5).pinged(t, "it reads again")
	if early := clock.Now() - b[2].BeganAt; early < int64(apart) {
		t.Errorf("it read again after %v", time.Duration(early))
	}
}

func TestWhenGone(t *testing.T) {
	s := newServer(t, func(s *server) { s.refuse = someRefused })
	before := clock.Now()
	f, _, err := Connect(t.Context(), Plan{Addr: s.Addr().String(), Numbers: []Range{{0, 5}}, Size: testSize, Rounds: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	connected := clock.Now()
	s.peer(0).Close()
	await(t, "an end", func() bool { return goneWhy(f, 0) == "EOF" })
	closing := clock.Now()
	s.peer(1).send(t, ws.MustCompileFrame(ws.NewCloseFrame(nil)))
	await(t, "a close frame", func() bool { return goneWhy(f, 1) != "" })
	at := map[int]int64{}
	for _, g := range f.Collect(0, 1, stamp.Strategy).Gone {
		at[g.Number] = g.At
	}
	order := []int64{before, at[3], connected, at[0], closing, at[1], clock.Now()}
	for i := range order[1:] {
		if order[i] > order[i+1] {
			t.Errorf("not in order: %d", order)
		}
	}
	if b := f.Behaved(); b == nil || len(b) != 0 {
		t.Errorf("%+v of no extras", b)
	}
}

func TestBadExtras(t *testing.T) {
	for want, x := range map[string]Extra{
		"known: stuck, slow, vanished, mute, answers, heartbeat, text, fragments, dribble, late": {Kind: "lazy"},
		"client -1 ":                              {Number: -1, Kind: Mute},
		"negative":                                {Kind: Mute, After: -1},
		"of kind heartbeat needs an Every":        {Kind: Heartbeat},
		"of kind text needs an Every":             {Kind: Text},
		"of kind fragments needs an Every":        {Kind: Fragments},
		"client 7 of kind dribble needs an Every": {Number: 7, Kind: Dribble},
		"of kind late needs a Delay":              {Kind: Late, Every: 1},
	} {
		p := Plan{Addr: "127.0.0.1:1", Size: testSize, Extras: []Extra{x}}
		if _, _, err := Connect(t.Context(), p, nil); !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", x, err, want)
		}
	}
}
