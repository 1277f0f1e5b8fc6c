package clientfleet

import (
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/gorilla/websocket"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
	"wsfanout/internal/wire"
)

// gorillaFleet is what one would write without this package: a goroutine per connection that notes when each message
// came. It speaks as much of the protocol as the comparison needs.
type gorillaFleet struct {
	plan     Plan
	clients  []*websocket.Conn
	samples  [][]uint32
	messages atomic.Int64
	marked   usage
	reading  sync.WaitGroup
}

func runGorilla(in io.Reader, out io.Writer) error {
	conn := wire.NewConn(in, out)
	var g gorillaFleet
	for {
		var req wire.Request
		if err := conn.Read(&req); err != nil {
			return err
		}
		body, err := g.do(req)
		if err != nil {
			return conn.Fail(err)
		}
		if err := conn.Reply(req.Do, body); err != nil || req.Do == "close" {
			return err
		}
	}
}

func (g *gorillaFleet) do(req wire.Request) (any, error) {
	switch req.Do {
	case "connect":
		plan, err := wire.Decode[Plan](req.Body)
		if err != nil {
			return nil, err
		}
		return g.connect(plan)
	case "settle":
		debug.FreeOSMemory()
		return g.counters()
	case "mark":
		g.messages.Store(0)
		var err error
		g.marked, err = spent()
		return nil, err
	case "counters":
		return g.counters()
	case "close":
		for _, c := range g.clients {
			c.Close()
		}
		g.reading.Wait()
		return nil, nil
	}
	return nil, fmt.Errorf("unknown request %q", req.Do)
}

func (g *gorillaFleet) connect(p Plan) (Connected, error) {
	begin := clock.Now()
	from := p.Numbers[0].From
	n := p.Numbers[0].To - from
	g.plan, g.clients, g.samples = p, make([]*websocket.Conn, n), make([][]uint32, n)
	next, failed := atomic.Int64{}, atomic.Pointer[error]{}
	var dialing sync.WaitGroup
	for range 128 {
		dialing.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				c, _, err := websocket.DefaultDialer.Dial(fmt.Sprintf("ws://%s/ws?i=%d", p.Addr, from+int(i)), nil)
				if err != nil {
					failed.Store(&err)
					return
				}
				g.clients[i], g.samples[i] = c, make([]uint32, p.Rounds)
				g.reading.Go(func() { g.read(c, g.samples[i]) })
			}
		})
	}
	dialing.Wait()
	if err := failed.Load(); err != nil {
		return Connected{}, *err
	}
	return Connected{Asked: n, Connected: n, ConnectNs: clock.Now() - begin}, nil
}

func (g *gorillaFleet) read(c *websocket.Conn, samples []uint32) {
	for {
		_, b, err := c.ReadMessage()
		if err != nil {
			return
		}
		if s := stamp.Get(b); int(s.Round) < len(samples) {
			samples[s.Round] = sample(clock.Now() - s.Start)
			g.messages.Add(1)
		}
	}
}

func (g *gorillaFleet) counters() (Counters, error) {
	now, err := spent()
	if err != nil {
		return Counters{}, err
	}
	c := Counters{
		CPUUserNs: now.user - g.marked.user, CPUSystemNs: now.system - g.marked.system, Messages: g.messages.Load(),
	}
	c.RSSBytes, err = resident()
	return c, err
}
