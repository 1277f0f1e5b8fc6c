package clientfleet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
	"wsfanout/internal/wire"
)

// figures are what one fleet cost in a process of its own.
type figures struct {
	connect    time.Duration
	cpu        time.Duration // user and system, per message
	user       time.Duration // user alone, per message
	wakeups    float64       // per message
	round      time.Duration // of the server, to send one round
	rss        float64       // bytes per client above the process before it connected, before any round
	rssSamples float64       // the same after the rounds: with the samples
}

// child is the test binary as a fleet, driven as the parent of an experiment would.
type child struct {
	tb    testing.TB
	cmd   *exec.Cmd
	conn  *wire.Conn
	stdin io.Closer
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
	return &child{tb: tb, cmd: cmd, conn: wire.NewConn(out, in), stdin: in}
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

// measure runs one kind of fleet with n clients through rounds of 1 KiB messages from a server in this process.
func measure(tb testing.TB, kind string, n, rounds int) figures {
	tb.Helper()
	const size = 1024
	s := newServer(tb)
	c := startChild(tb, kind)
	time.Sleep(100 * time.Millisecond) // the runtime is up: its memory is not the clients'
	base := c.resident()

	var fig figures
	var got Connected
	c.ask("connect", Plan{Addr: s.Addr().String(), Numbers: []Range{{0, n}}, Size: size, Rounds: rounds, Timeout: 30 * time.Second}, &got)
	if got.Connected != n {
		tb.Fatalf("%s: %+v", kind, got)
	}
	fig.connect = time.Duration(got.ConnectNs)
	var count Counters
	c.ask("settle", nil, &count)
	fig.rss = float64(count.RSSBytes-base) / float64(n)

	st, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid)); for _, l := range strings.Split(string(st), "\n") { if strings.HasPrefix(l, "Rss") || strings.HasPrefix(l, "Thr") { fmt.Print(l, ";") } }
	c.ask("mark", nil, nil)
	filling := stamp.Filling(size, 1)
	begin := clock.Now()
	for r := range rounds {
		now := clock.Now()
		frame := ws.MustCompileFrame(ws.NewBinaryFrame(stamp.New(stamp.Stamp{Start: now, Due: now, Round: uint32(r)}, filling)))
		for i := range n {
			s.peer(i).send(tb, frame)
		}
	}
	fig.round = time.Duration(clock.Now()-begin) / time.Duration(rounds)
	for count.Messages < int64(n*rounds) {
		time.Sleep(20 * time.Millisecond)
		c.ask("counters", nil, &count)
	}
	messages := time.Duration(count.Messages)
	fig.cpu = time.Duration(count.CPUUserNs+count.CPUSystemNs) / messages
	fig.user = time.Duration(count.CPUUserNs) / messages
	fig.wakeups = float64(count.Wakeups) / float64(messages)
	c.ask("settle", nil, &count)
	fig.rssSamples = float64(count.RSSBytes-base) / float64(n)
	c.ask("close", nil, nil)
	s.stop()
	return fig
}
