package clientfleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// Readings whose two ways take as long as they like never say more than they know: the truth is within what at states.
func TestOffsetIsWithinItsUncertainty(t *testing.T) {
	const seconds = 30
	random := rand.New(rand.NewPCG(7, 7))
	for _, row := range []struct {
		name   string
		offset func(t float64) float64 // of the server's clock, s
	}{
		{"ahead", func(t float64) float64 { return 7200 }},
		{"behind and slower", func(t float64) float64 { return -7200 - 200e-6*t }},
		{"drift that follows the temperature", func(t float64) float64 { return 60 + 50e-6*t + 5*4e-6*math.Sin(t/5) }},
		{"stopped for a second", func(t float64) float64 {
			if t > 11.3 {
				return 99
			}
			return 100
		}},
	} {
		o := newOtherClock()
		truth := func(t int64) int64 { return int64(1e9 * row.offset(float64(t)/1e9)) }
		ask := func(now int64) {
			up, down := int64(50_000+40_000*random.ExpFloat64()), int64(50_000+300_000*random.ExpFloat64())
			way := up + down
			o.add(reading{at: now + way/2, offset: truth(now+up) + now + up - now - way/2, within: way/2 + way/1000 + 1})
		}
		for now := int64(0); now <= seconds*1e9; now += int64(askEvery) {
			if now < 4e9 || now > 8e9 { // for a while the server does not answer
				ask(now)
			}
		}
		if n := len(o.readings); n > seconds*int(time.Second/time.Duration(window)) || n < seconds {
			t.Errorf("%s: %d readings are kept", row.name, n)
		}
		worst := int64(0)
		for now := int64(0); now < seconds*1e9; now += 1e6 {
			offset, within := o.at(now)
			if off := offset - truth(now); max(off, -off) > within {
				t.Fatalf("%s: at %v the offset is off by %v and said to be within %v", row.name, time.Duration(now), time.Duration(off), time.Duration(within))
			}
			worst = max(worst, within)
		}
		t.Logf("%s: within %v, drift %.1f ppm", row.name, time.Duration(worst), o.drift()*1e6)
		if row.name != "stopped for a second" && worst > 1e6 {
			t.Errorf("%s: said to be within %v only", row.name, time.Duration(worst))
		}
	}
}

// liar is a server whose clock is another one. It tells it to client 0 when asked.
type liar struct {
	*server
	ahead    time.Duration
	drift    float64
	zero     int64
	up, down time.Duration // how long a question and an answer are held up
}

func (l *liar) shows(now int64) int64 {
	return now + int64(l.ahead) + int64(l.drift*float64(now-l.zero))
}

// answer answers the questions of a client until its connection ends. It says nothing from quiet until loud.
func (l *liar) answer(p *peer, quiet, loud int64) {
	for {
		h, err := ws.ReadHeader(p)
		if err != nil {
			return
		}
		text := make([]byte, h.Length)
		if _, err := p.Read(text); err != nil {
			return
		}
		ws.Cipher(text, h.Mask, 0)
		var n uint32
		if _, err := fmt.Sscanf(string(text), "clock %d", &n); err != nil {
			continue
		}
		if now := clock.Now(); now > quiet && now < loud {
			continue
		}
		time.Sleep(l.up)
		told := stamp.New(stamp.Stamp{Start: l.shows(clock.Now()), Round: n, Kind: stamp.Clock}, make([]byte, stamp.Size))
		time.Sleep(l.down)
		p.Write(ws.MustCompileFrame(ws.NewBinaryFrame(told)))
	}
}

// A clock with an offset of hours and a drift, over ways of different length: every latency is right within what is stated.
func TestLatenciesByAnotherClock(t *testing.T) {
	for _, row := range []struct {
		name     string
		ahead    time.Duration
		drift    float64
		up, down time.Duration
		readers  int
	}{
		{"ahead and faster", 5 * time.Hour, 200e-6, 0, 0, 1},
		{"behind and slower", -3 * time.Hour, -200e-6, 0, 0, 2},
		{"slow questions", 5 * time.Hour, 200e-6, 4 * time.Millisecond, 0, 1},
		{"slow answers", -3 * time.Hour, 200e-6, 0, 4 * time.Millisecond, 1},
		{"one clock", 0, 0, 0, 0, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			l := &liar{server: newServer(t), ahead: row.ahead, drift: row.drift, zero: clock.Now(), up: row.up, down: row.down}
			const clients, rounds = 6, 12
			f := connectN(t, l.server, clients, func(p *Plan) {
				p.Extras, p.Readers = []Extra{{Number: clients, Kind: AsksClock}}, row.readers
			})
			silent := clock.Now() + int64(500*time.Millisecond)
			l.running.Go(func() { l.answer(l.peer(clients), silent, silent+int64(300*time.Millisecond)) })
			first, err := f.AskClock()
			if err != nil {
				t.Fatal(err)
			}
			starts := l.rounds(t, clients, rounds)
			if _, err := f.AskClock(); err != nil {
				t.Fatal(err)
			}
			checkLatencies(t, f, l, starts, first)
		})
	}
}

// rounds sends some, with stamps of the server's clock, and returns when each began by this host's.
func (l *liar) rounds(t *testing.T, clients, rounds int) (starts []int64) {
	for n := range rounds {
		now := clock.Now()
		starts = append(starts, now)
		payload := stamp.New(stamp.Stamp{Start: l.shows(now), Due: l.shows(now) - 1e6, Round: uint32(n)}, stamp.Filling(testSize, 1))
		for i := range clients {
			l.peer(i).send(t, ws.MustCompileFrame(ws.NewBinaryFrame(payload)))
			time.Sleep(200 * time.Microsecond)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return starts
}

func checkLatencies(t *testing.T, f *Fleet, l *liar, starts []int64, first ClockSeen) {
	t.Helper()
	got := f.Collect(0, uint32(len(starts)), stamp.Strategy)
	if got.Clock == nil || len(got.Rounds) != len(starts) || len(got.Extras) != 0 {
		t.Fatalf("%+v", got)
	}
	within := got.Clock.UncertaintyNs
	t.Logf("offset %v, drift %.0f ppm, within %v after %d exchanges", time.Duration(got.Clock.OffsetNs), got.Clock.DriftPPM, time.Duration(within),
		got.Clock.Exchanges)
	apart := func(what string, got, want int64) {
		if off := got - want; max(off, -off) > within+unit {
			t.Errorf("%s: %v, want %v within %v", what, time.Duration(got), time.Duration(want), time.Duration(within))
		}
	}
	one, other := l.shows(starts[0])-starts[0], l.shows(clock.Now())-clock.Now() // it is that of some round
	apart("offset", got.Clock.OffsetNs, min(max(got.Clock.OffsetNs, min(one, other)), max(one, other)))
	if got.Clock.Exchanges <= first.Exchanges || within <= int64(max(l.up, l.down)/2) || within > int64(time.Second) {
		t.Errorf("%+v after %+v", got.Clock, first)
	}
	for i, round := range got.Rounds {
		earliest, latest := int64(math.MaxInt64), int64(0)
		for _, r := range f.readers {
			own := r.grid.rounds[i]
			seen := r.grid.counted(uint32(i))
			earliest, latest = min(earliest, own.first), max(latest, own.last)
			for c := range r.clients {
				if cell := *r.grid.at(uint32(i), c); cell != 0 {
					apart("latency", seen.latency(cell), own.begin+nanoseconds(cell)-starts[i])
				}
			}
		}
		apart("first", round.First-round.Start, earliest-starts[i])
		apart("last", round.Last-round.Start, latest-starts[i])
		if round.Spread != latest-earliest || round.Received != 6 {
			t.Errorf("spread %d of %d clients, want %d", round.Spread, round.Received, latest-earliest)
		}
	}
	for _, c := range got.Clients {
		if c.Received != len(starts) || c.Median <= 0 {
			t.Errorf("%+v", c)
		}
	}
}

func TestServerThatDoesNotTellItsClock(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 1)
	if _, err := f.AskClock(); err == nil {
		t.Error("a fleet without a client that asks knows the clock")
	}
	if got := f.Collect(0, 1, stamp.Strategy); got.Clock != nil {
		t.Errorf("%+v", got.Clock)
	}
}
