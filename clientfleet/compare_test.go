package clientfleet

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
	"wsfanout/internal/wire"
)

// figures are what one fleet cost in a process of its own.
type figures struct {
	connect    time.Duration // all clients
	round      time.Duration // of the server, to send one round
	cpu        time.Duration // of the fleet, user and system, per message
	user       time.Duration // user alone
	wakeups    float64       // per message
	idle       float64       // resident bytes per client above the process before its first client
	rss        float64       // resident bytes per client above the process with one client, before any round
	rssSamples float64       // the same after the rounds: with the samples
}

// child is the test binary as a fleet, driven as the parent of an experiment would.
type child struct {
	tb   testing.TB
	cmd  *exec.Cmd
	conn *wire.Conn
}

func startChild(tb testing.TB, kind string) *child {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+kind)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { in.Close(); cmd.Wait(); cancel() })
	return &child{tb: tb, cmd: cmd, conn: wire.NewConn(out, in)}
}

// ask makes one request and decodes the reply into v.
func (c *child) ask(do string, body, v any) {
	c.tb.Helper()
	if err := c.conn.Ask(do, body); err != nil {
		c.tb.Fatal(err)
	}
	var m wire.Message
	for m.Reply == "" {
		m = wire.Message{}
		if err := c.conn.Read(&m); err != nil || m.Error != "" {
			c.tb.Fatalf("%s: %v %s", do, err, m.Error)
		}
	}
	if v != nil {
		if err := json.Unmarshal(m.Body, v); err != nil {
			c.tb.Fatal(err)
		}
	}
}

// resident returns the child's resident memory in bytes.
func (c *child) resident() int64 {
	c.tb.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.cmd.Process.Pid))
	if err != nil {
		c.tb.Fatal(err)
	}
	var size, pages int64
	fmt.Sscan(string(b), &size, &pages)
	return pages * int64(os.Getpagesize())
}

// lone returns the resident memory of a process of this kind before its first client and with one, in bytes.
func lone(tb testing.TB, kind string, s *server, p Plan) (idle, one int64) {
	tb.Helper()
	c := startChild(tb, kind)
	time.Sleep(100 * time.Millisecond) // the runtime is up
	idle = c.resident()
	p.Numbers = []Range{{1 << 20, 1<<20 + 1}}
	c.ask("connect", p, nil)
	var count Counters
	c.ask("settle", nil, &count)
	c.ask("close", nil, nil)
	return idle, count.RSSBytes
}

// measure runs one kind of fleet with n clients through rounds of 1 KiB messages from a server in this process.
func measure(tb testing.TB, kind string, n, rounds int, nap time.Duration) figures {
	tb.Helper()
	const size = 1024
	s := newServer(tb)
	defer s.stop()
	p := Plan{Addr: s.Addr().String(), Numbers: []Range{{0, n}}, Size: size, Rounds: rounds, Timeout: 30 * time.Second, Nap: nap}
	idle, one := lone(tb, kind, s, p)

	c := startChild(tb, kind)
	var got Connected
	c.ask("connect", p, &got)
	if got.Connected != n {
		tb.Fatalf("%s: %+v", kind, got)
	}
	var count Counters
	perClient := func(base int64) float64 {
		c.ask("settle", nil, &count)
		return float64(count.RSSBytes-base) / float64(n)
	}
	fig := figures{connect: time.Duration(got.ConnectNs), idle: perClient(idle), rss: perClient(one)}

	c.ask("mark", nil, nil)
	fig.round = sendRounds(tb, s, n, rounds, stamp.Filling(size, 1))
	for c.ask("counters", nil, &count); count.Messages < int64(n*rounds); c.ask("counters", nil, &count) {
		time.Sleep(20 * time.Millisecond)
	}
	messages := time.Duration(count.Messages)
	fig.cpu = time.Duration(count.CPUUserNs+count.CPUSystemNs) / messages
	fig.user = time.Duration(count.CPUUserNs) / messages
	fig.wakeups = float64(count.Wakeups) / float64(messages)
	fig.rssSamples = perClient(one)
	c.ask("close", nil, nil)
	return fig
}

// sendRounds writes rounds to all clients, one connection after the other, and returns how long one took.
func sendRounds(tb testing.TB, s *server, n, rounds int, filling []byte) time.Duration {
	peers := make([]*peer, n)
	for i := range peers {
		peers[i] = s.peer(i)
	}
	begin := clock.Now()
	for r := range rounds {
		now := clock.Now()
		frame := ws.MustCompileFrame(ws.NewBinaryFrame(stamp.New(stamp.Stamp{Start: now, Due: now, Round: uint32(r)}, filling)))
		for _, p := range peers {
			p.send(tb, frame)
		}
	}
	return time.Duration(clock.Now()-begin) / time.Duration(rounds)
}
