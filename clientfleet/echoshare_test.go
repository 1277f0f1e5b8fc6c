package clientfleet

import (
	"testing"
	"time"
)

// unevenly connects n clients of which only the first some are answered quickly; slow is the pace of the others, 0: never.
func unevenly(t *testing.T, n, some int, slow time.Duration, set ...func(*Plan)) *Fleet {
	t.Helper()
	s := newServer(t)
	f := connectN(t, s, n, set...)
	for i := range n {
		switch {
		case i >= some && slow == 0:
		case i >= some:
			go s.peer(i).echoes(func() { time.Sleep(slow) })
		default:
			go s.peer(i).echoes(func() { time.Sleep(time.Millisecond) })
		}
	}
	return f
}

// The sum hides that most starve: their number and the least and the most served tell.
func TestEchoStarved(t *testing.T) {
	shortDrain(t)
	closed := Echo{Mode: EchoClosed, Outstanding: 4, Size: 100, For: 300 * time.Millisecond, Warmup: 20 * time.Millisecond}
	paced := Echo{Mode: EchoRate, PerSecond: 400, Size: echoUnderWay / 4, For: 300 * time.Millisecond}
	two := func(p *Plan) { p.Readers = 2 }
	for name, c := range map[string]struct {
		clients, quick int
		slow           time.Duration
		echo           Echo
		set            func(*Plan)
		starved        int
	}{
		"none":                    {4, 4, 0, closed, two, 0},
		"some rest":               {6, 6, 0, closed, func(*Plan) {}, 0},
		"slow ones":               {4, 1, 100 * time.Millisecond, closed, two, 3},
		"unanswered":              {4, 2, 0, closed, two, 2},
		"all so slow":             {4, 0, 100 * time.Millisecond, closed, two, 0}, // too few to tell
		"at a rate, none":         {4, 4, 0, paced, two, 0},
		"at a rate, unanswered":   {4, 1, 0, paced, two, 3},
		"at a rate, less than 10": {100, 1, 0, paced, two, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := echoed(t, unevenly(t, c.clients, c.quick, c.slow, c.set), c.echo)
			n := float64(c.clients)
			if c.echo.Mode == EchoClosed {
				n = float64(c.echo.Outstanding)
			}
			if got.Starved != c.starved || got.Slowest > got.Busiest || got.PerSecond > 1.001*n*got.Busiest || got.PerSecond < 0.999*n*got.Slowest {
				t.Errorf("%d starve, want %d; %.0f to %.0f/s each, %.0f/s in all", got.Starved, c.starved, got.Slowest, got.Busiest, got.PerSecond)
			}
			if all := c.quick == c.clients; all != (got.Slowest > 0) && c.slow == 0 {
				t.Errorf("the least served had %g/s", got.Slowest)
			}
		})
	}
}

// What was under way when the window began and never came back is in no account but its own.
func TestEchoStuck(t *testing.T) {
	shortDrain(t)
	f := unevenly(t, 3, 0, 0)
	const window, warmup = 50 * time.Millisecond, 50 * time.Millisecond
	got := echoed(t, f, Echo{Mode: EchoClosed, Outstanding: 2, Size: 100, For: window, Warmup: warmup})
	if got.Stuck != 2 || got.Sent != 0 || got.Lost != 0 || got.Latency != nil || got.Starved != 0 || got.Busiest != 0 {
		t.Errorf("%+v", summaryOf(t, got))
	}
	got = echoed(t, f, Echo{Mode: EchoRate, PerSecond: 600, Size: echoUnderWay / 2, For: window, Warmup: warmup})
	if got.Stuck != 3*2 || got.Sent != 0 || got.Skipped != got.Due || got.Due != 30 {
		t.Errorf("%+v", summaryOf(t, got))
	}
	got = echoed(t, f, Echo{Mode: EchoClosed, Outstanding: 3, Size: 100, For: window})
	if got.Stuck != 0 || got.Lost != 3 {
		t.Errorf("without a warm-up: %+v", summaryOf(t, got))
	}
}

// Echoes that come behind the window, in the drain, are stuck all the same; those within it are not.
func TestEchoStuckForAWhile(t *testing.T) {
	for name, c := range map[string]struct {
		window time.Duration
		stuck  int64
	}{"until the drain": {50 * time.Millisecond, 2}, "until the window": {500 * time.Millisecond, 0}} {
		t.Run(name, func(t *testing.T) {
			f := unevenly(t, 2, 0, 250*time.Millisecond)
			got := echoed(t, f, Echo{Mode: EchoClosed, Outstanding: 2, Size: 100, For: c.window, Warmup: 50 * time.Millisecond})
			if got.Stuck != c.stuck || got.Lost != 0 || (got.PerSecond == 0) != (c.stuck > 0) {
				t.Errorf("%+v", summaryOf(t, got))
			}
		})
	}
}

func TestMergedShares(t *testing.T) {
	m, err := MergeEchoed(Echoed{Stuck: 1, Starved: 2, Slowest: 3, Busiest: 90}, Echoed{Stuck: 4, Starved: 1, Slowest: 2, Busiest: 80})
	if err != nil || m.Stuck != 5 || m.Starved != 3 || m.Slowest != 2 || m.Busiest != 90 {
		t.Errorf("%+v, %v", m, err)
	}
}
