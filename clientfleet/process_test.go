package clientfleet

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"wsfanout/internal/stamp"
	"wsfanout/internal/wire"
)

// driven is a Run in this process and the parent's end of its pipes.
type driven struct {
	*wire.Conn
	in    *io.PipeWriter
	out   *io.PipeReader
	ended chan error
}

func drive(t *testing.T, ctx context.Context) driven {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	d := driven{Conn: wire.NewConn(outR, inW), in: inW, out: outR, ended: make(chan error, 1)}
	go func() { d.ended <- Run(ctx, inR, outW); outW.Close() }()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return d
}

// ask returns the reply or error, and the events before it.
func (d driven) ask(t *testing.T, do string, body any) (m wire.Message, events []wire.Message) {
	t.Helper()
	if err := d.Ask(do, body); err != nil {
		t.Fatal(err)
	}
	for {
		m = wire.Message{}
		if err := d.Read(&m); err != nil {
			t.Fatal(err)
		}
		if m.Event == "" {
			return m, events
		}
		events = append(events, m)
	}
}

func reply[T any](t *testing.T, d driven, do string, body any) T {
	t.Helper()
	m, _ := d.ask(t, do, body)
	v, err := wire.Decode[T](m.Body)
	if err != nil || m.Reply != do {
		t.Fatalf("%s: %+v, %v", do, m, err)
	}
	return v
}

func (d driven) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-d.ended:
		return err
	case <-time.After(5 * time.Second):
		t.Fatal("Run did not end")
		return nil
	}
}

func TestRun(t *testing.T) {
	s := newServer(t)
	d := drive(t, t.Context())
	if m, _ := d.ask(t, "collect", Span{}); !strings.Contains(m.Error, "connect comes first") {
		t.Errorf("%+v", m)
	}
	if m, _ := d.ask(t, "dance", nil); !strings.Contains(m.Error, "connect, settle, clock, mark, received, counters, collect, misbehave, behaved, inbound, echo, close") {
		t.Errorf("%+v", m)
	}
	if m, _ := d.ask(t, "connect", Plan{}); !strings.Contains(m.Error, "bad plan") {
		t.Errorf("%+v", m)
	}
	plan := Plan{Addr: s.Addr().String(), Numbers: []Range{{0, 3}}, Extras: []Extra{{Number: 3, Kind: Stuck}}, Size: testSize, Rounds: 5}
	m, events := d.ask(t, "connect", plan)
	if got, err := wire.Decode[Connected](m.Body); err != nil || got.Connected != 4 || m.Reply != "connect" {
		t.Fatalf("%+v %v", m, err)
	}
	if len(events) == 0 || events[0].Event != "connected" {
		t.Errorf("events %+v", events)
	}
	if m, _ := d.ask(t, "connect", plan); !strings.Contains(m.Error, "already connected") {
		t.Errorf("%+v", m)
	}
	if c := reply[Counters](t, d, "settle", nil); c.RSSBytes == 0 {
		t.Errorf("%+v", c)
	}
	d.ask(t, "mark", nil)
	b := message(2, stamp.Strategy)
	for i := range 4 {
		s.peer(i).send(t, b)
	}
	await(t, "round 2", func() bool { return reply[Received](t, d, "received", Span{From: 2, To: 3}).Received == 3 })
	if m, _ := d.ask(t, "misbehave", nil); m.Reply != "misbehave" {
		t.Errorf("%+v", m)
	}
	if b := reply[[]Behaved](t, d, "behaved", nil); len(b) != 1 || b[0].Number != 3 || b[0].Kind != Stuck || b[0].BeganAt == 0 {
		t.Errorf("%+v", b)
	}
	c := reply[Collection](t, d, "collect", Span{To: 5, Kind: stamp.Strategy})
	if len(c.Clients) != 3 || len(c.Extras) != 1 || decode(t, c.Latency).TotalCount() != 3 {
		t.Errorf("%+v", c)
	}
	if n := reply[Counters](t, d, "counters", nil); n.Messages != 4 || decode(t, n.Lag).TotalCount() != 4 {
		t.Errorf("%+v", n)
	}
	if m, _ := d.ask(t, "collect", "a string"); m.Error == "" {
		t.Errorf("%+v", m)
	}
	if m, _ := d.ask(t, "close", nil); m.Reply != "close" {
		t.Errorf("%+v", m)
	}
	if err := d.wait(t); err != nil {
		t.Error(err)
	}
}

func TestRunEndsWithItsInput(t *testing.T) {
	for name, plan := range map[string]Plan{
		"idle":       {},
		"connecting": {Addr: mute(t), Numbers: []Range{{0, 10}}, Size: testSize},
	} {
		d := drive(t, t.Context())
		go io.Copy(io.Discard, d.out)
		if plan.Addr != "" {
			d.Ask("connect", plan)
			time.Sleep(100 * time.Millisecond)
		}
		d.in.Close()
		if err := d.wait(t); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRunCloseDuringConnect(t *testing.T) {
	d := drive(t, t.Context())
	d.Ask("connect", Plan{Addr: mute(t), Numbers: []Range{{0, 10}}, Size: testSize})
	time.Sleep(50 * time.Millisecond)
	d.Ask("close", nil)
	var m wire.Message
	for m.Reply != "close" {
		m = wire.Message{}
		if err := d.Read(&m); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.wait(t); err != nil {
		t.Error(err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	s := newServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	d := drive(t, ctx)
	d.ask(t, "connect", Plan{Addr: s.Addr().String(), Numbers: []Range{{0, 3}}, Size: testSize})
	cancel()
	if err := d.wait(t); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRunRefusesRubbish(t *testing.T) {
	d := drive(t, t.Context())
	io.WriteString(d.in, "rubbish\n")
	if err := d.wait(t); err == nil {
		t.Error("no error")
	}
}
