package enginetest

import (
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"golang.org/x/sys/unix"

	"wsfanout/engines"
)

// keepalives checks who is closed for silence, and what counts as silence.
func (s *Suite) keepalives() Cases {
	list := Cases{
		"keepalive":     s.keepalive,
		"deaf":          s.deaf,
		"tcp keepalive": s.tcpKeepalive,
	}
	if s.Options.Refresh != "" { // the engine has the option
		list["refresh"] = s.refresh
	}
	return list
}

// silence is the keepalive time of these cases, and patience how long they wait for it to have its effect.
const silence, patience = time.Second, 3 * time.Second

// crowd is clients that are busy from their dial on, so that none of them is silent while the others connect.
type crowd struct {
	*server
	over chan struct{}
	work sync.WaitGroup
}

// gather starts an engine that closes the silent. Each pinger and sender stops when the test ends.
func (s *Suite) gather(t *testing.T, change func(*engines.Options), also ...func(*server)) *crowd {
	g := &crowd{over: make(chan struct{})}
	g.server = s.start(t, func(o *engines.Options) {
		o.Keepalive, o.Ping = silence, silence/4
		if change != nil {
			change(o)
		}
	}, also...)
	t.Cleanup(func() { close(g.over); g.work.Wait() })
	return g
}

func (g *crowd) ended() bool {
	select {
	case <-g.over:
		return true
	default:
		return false
	}
}

// answers adds a client that says something first, and then answers pings.
func (g *crowd) answers(number int, first ...ws.Frame) {
	c := g.dial(number)
	for _, f := range first {
		c.send(f)
	}
	g.work.Go(func() {
		for !g.ended() {
			f, err := c.frame(silence)
			if err == nil && f.Header.OpCode == ws.OpPing {
				_, _ = c.Write(ws.MustCompileFrame(ws.MaskFrame(ws.NewPongFrame(f.Payload)))) // the end closes it first
			}
		}
	})
}

// sends adds a client that sends texts and answers nothing. It may be closed for that.
func (g *crowd) sends(number int) {
	c := g.dial(number)
	text := ws.MustCompileFrame(ws.MaskFrame(ws.NewTextFrame([]byte("here"))))
	g.work.Go(func() {
		for ; !g.ended(); time.Sleep(silence / 10) {
			if _, err := c.Write(text); err != nil {
				return
			}
		}
	})
}

// keepalive closes the silent and keeps those that answer pings or send.
func (s *Suite) keepalive(t *testing.T) {
	g := s.gather(t, nil)
	g.answers(2)
	g.sends(3)
	g.dial(1).drain() // reads, answers nothing
	time.Sleep(patience)
	g.wantOpen(2)
	g.wantOpen(3)
	g.wantClose(1, frameLimit, engines.ErrReadTimeout)
}

// refresh has only pongs move the deadline: who answers pings stays, who only sends is closed.
func (s *Suite) refresh(t *testing.T) {
	g := s.gather(t, func(o *engines.Options) { o.Refresh = engines.RefreshPong })
	g.answers(1)
	g.sends(2)
	time.Sleep(patience)
	g.wantOpen(1)
	g.wantClose(2, frameLimit, engines.ErrReadTimeout)
}

// deaf has the server without a message handler for some clients: their messages, whole or in fragments, reach nobody, and
// all else is as with the others. Whether such messages count against silence is the library's affair.
func (s *Suite) deaf(t *testing.T) {
	g := s.gather(t, nil, func(srv *server) { srv.deaf = func(number int) bool { return number < 3 } })
	g.sends(1)
	g.answers(0, ws.NewTextFrame([]byte("hello")))
	g.answers(2, ws.NewFrame(ws.OpText, false, []byte("two ")), ws.NewFrame(ws.OpContinuation, true, []byte("parts")))
	g.sends(3)
	time.Sleep(patience)
	g.wantOpen(0)
	g.wantOpen(2)
	g.wantOpen(3)
	if s.known(UnheardIsSilent) {
		g.wantClose(1, frameLimit, engines.ErrReadTimeout)
	} else {
		g.wantOpen(1)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if got := len(g.texts[0]) + len(g.texts[1]) + len(g.texts[2]); got != 0 || len(g.texts[3]) == 0 {
		t.Errorf("%d messages of deaf clients and %d of the other came through; want none and some", got, len(g.texts[3]))
	}
}

// tcpKeepalive leaves it to the kernel to notice a client that is gone without a word, while an idle one stays.
func (s *Suite) tcpKeepalive(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) {
		o.TCPKeepalive = engines.TCPKeepalive{Idle: time.Second, Interval: time.Second, Count: 2}
	})
	gone := srv.dial(1)
	srv.dial(2)
	srv.conn(1)
	srv.conn(2)
	if err := gone.dropEverything(); err != nil {
		t.Skipf("the kernel refuses a socket filter, so no client can vanish: %v", err)
	}
	srv.wantClose(1, frameLimit, engines.ErrTCPKeepalive)
	srv.wantOpen(2)
}

// dropEverything attaches a program that accepts no byte of any segment: nothing is acknowledged any more.
func (c *client) dropEverything() error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	program := [1]unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: 0}}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &program[0]})
	})
	if err != nil {
		return err
	}
	return failed
}
