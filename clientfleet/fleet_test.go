package clientfleet

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

func TestMain(m *testing.M) {
	if child := os.Getenv(childVariable); child != "" {
		os.Exit(runChild(child))
	}
	stampFromTheStart()
	goleak.VerifyTestMain(m)
}

// stampFromTheStart keeps the kernel stamping: it begins a moment after the first socket that wants stamps, and ends with
// the last.
func stampFromTheStart() {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	}
	if err != nil {
		panic(err)
	}
	time.Sleep(100 * time.Millisecond)
}

// The whole way: two rounds of two kinds to five clients on two readers.
func TestRoundsAreCollected(t *testing.T) {
	s := newServer(t)
	f := connectN(t, s, 5, func(p *Plan) { p.Readers = 2 })
	before := clock.Now()
	strategy, bare := message(0, stamp.Strategy), message(1, stamp.Bare)
	for i := range 5 {
		s.peer(i).send(t, strategy)
	}
	await(t, "round 0", func() bool { return f.Received(0, 100) == 5 })
	for i := range 5 {
		s.peer(i).send(t, bare)
	}
	await(t, "round 1", func() bool { c, _ := f.Counters(); return c.Messages == 10 })
	after := clock.Now()

	c := f.Collect(0, 2, stamp.Strategy)
	if len(c.Rounds) != 1 || len(c.Clients) != 5 || c.Duplicates+c.OutOfOrder+c.Malformed != 0 || len(c.Gone) != 0 {
		t.Fatalf("%+v", c)
	}
	r := c.Rounds[0]
	if r.N != 0 || r.Received != 5 || r.Due != r.Start-1_000_000 {
		t.Errorf("%+v", r)
	}
	if r.Start < before || r.First < r.Start || r.Last < r.First || r.PickedUp < r.Last || after < r.PickedUp {
		t.Errorf("not in order: %d %+v %d", before, r, after)
	}
	for i, client := range c.Clients {
		if client.Number != i || client.Received != 1 || client.Median <= 0 || client.Median != client.Max {
			t.Errorf("%+v", client)
		}
	}
	latency, due := decode(t, c.Latency), decode(t, c.LatencyDue)
	if latency.TotalCount() != 5 || due.TotalCount() != 5 || due.Min() < latency.Min()+900_000 {
		t.Errorf("latency %d from %d, from due %d from %d", latency.TotalCount(), latency.Min(), due.TotalCount(), due.Min())
	}
	if got := f.Collect(0, 2, stamp.Bare); len(got.Rounds) != 1 || got.Rounds[0].N != 1 {
		t.Errorf("bare: %+v", got.Rounds)
	}
}
