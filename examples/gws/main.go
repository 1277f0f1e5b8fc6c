// Command gws puts a library that compare does not know, lxzan/gws, under the same test:
//
//	go build -o gws ./examples/gws
//	compare -engines gorilla,nbio,gws=exec:./gws
package main

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/lxzan/gws"

	"wsfanout/engines"
	"wsfanout/serve"
)

func main() { os.Exit(serve.Main(newEngine)) }

// engine is gws under net/http: a goroutine reads each connection, writes block. The roster keeps the rules about numbers
// and hooks, and every connection is an engines.Socket, which keeps those about bytes and ends.
type engine struct {
	*engines.Roster
	options  engines.Options
	upgrader *gws.Upgrader
	server   http.Server
	serving  sync.WaitGroup // the accept loop, and connections that are still HTTP
	members  sync.WaitGroup // what runs for connections
}

func newEngine(o engines.Options, h engines.Hooks) (engines.Engine, error) {
	if o.Compress || o.TLS() {
		return nil, errors.New("this example speaks neither permessage-deflate nor TLS: leave out -compress and -tls")
	}
	e := &engine{Roster: engines.NewRoster(o, h), options: o}
	e.upgrader = gws.NewUpgrader(e, &gws.ServerOption{
		ReadMaxPayloadSize: o.ReadLimit, WriteMaxPayloadSize: max(o.MaxPayload, 16<<20), ReadBufferSize: o.ReadBuffer,
	})
	e.server = http.Server{
		Handler: http.HandlerFunc(e.handshake), ReadHeaderTimeout: o.HandshakeTimeout, IdleTimeout: o.HandshakeTimeout,
		ConnState: e.track, ErrorLog: log.New(os.Stderr, "gws: ", log.LstdFlags),
	}
	return e, nil
}

// Footnotes say what a reader of the figures should know.
func (e *engine) Footnotes() []string {
	return []string{
		"lxzan/gws v1.8.9 on net/http: a goroutine per connection, writes block; its own queue (WriteAsync, Broadcaster) is not used",
		"a prepared frame is written past the library, whose own kind of it (Broadcaster) always queues",
	}
}

// Start serves ln.
func (e *engine) Start(ln net.Listener) error {
	sockets, err := engines.Listen(ln, e.options)
	if err != nil {
		return err
	}
	e.serving.Go(func() {
		if err := e.server.Serve(sockets); !errors.Is(err, http.ErrServerClosed) {
			log.Print("accepting: ", err)
		}
	})
	return nil
}

// Prepare frames payload once.
func (e *engine) Prepare(payload []byte) (engines.Prepared, error) {
	return engines.Frame(payload), nil
}

// Stop says goodbye, closes everything and waits for it.
func (e *engine) Stop(ctx context.Context) error {
	e.Farewell(ctx)
	err := e.server.Close()
	done := make(chan struct{})
	go func() {
		e.serving.Wait()
		e.members.Wait()
		close(done)
	}()
	select {
	case <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// track counts the HTTP connections: the server itself does not wait for them.
func (e *engine) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		e.serving.Add(1)
	case http.StateHijacked, http.StateClosed:
		e.serving.Done()
	}
}

func (e *engine) handshake(w http.ResponseWriter, r *http.Request) {
	number, ok := e.Admit(w, r)
	if !ok {
		return
	}
	e.members.Add(1) // from the upgrade on the server has forgotten the connection
	ws, err := e.upgrader.Upgrade(w, r)
	if err != nil {
		e.members.Done()
		e.Release(number)
		return
	}
	c := &conn{Socket: ws.NetConn().(*engines.Socket), engine: e, ws: ws, ended: make(chan struct{})}
	c.Seat(number)
	ws.Session().Store(session, c)
	go func() { // so that what HTTP needed is freed
		defer e.members.Done()
		ws.ReadLoop()
	}()
}

const session = "conn"

func connOf(ws *gws.Conn) *conn {
	c, _ := ws.Session().Load(session)
	return c.(*conn)
}

// OnOpen is gws's event: the goroutine of the connection begins.
func (e *engine) OnOpen(ws *gws.Conn) {
	c := connOf(ws)
	if !e.Open(c) {
		c.Evict(engines.ErrStopped)
		return
	}
	if e.options.Ping > 0 {
		e.members.Go(func() { c.ping(e.options.Ping) })
	}
}

// OnClose is gws's event: the goroutine of the connection is about to end.
func (e *engine) OnClose(ws *gws.Conn, seen error) {
	c := connOf(ws)
	close(c.ended)
	e.Closed(c, c.Cause(reason(seen)))
}

// OnPing is gws's event.
func (e *engine) OnPing(ws *gws.Conn, payload []byte) { _ = ws.WritePong(payload) }

// OnPong is gws's event: that something was read is enough for the keepalive.
func (e *engine) OnPong(*gws.Conn, []byte) {}

// OnMessage is gws's event.
func (e *engine) OnMessage(ws *gws.Conn, m *gws.Message) {
	e.Message(connOf(ws), m.Bytes())
	_ = m.Close()
}

// reason names what gws itself complained of. What the socket knows comes before it.
func reason(seen error) error {
	var closed *gws.CloseError
	if errors.As(seen, &closed) {
		return errors.Join(engines.ErrPeerClosed, seen)
	}
	return errors.Join(engines.ErrProtocol, seen)
}

// conn is one client.
type conn struct {
	*engines.Socket
	engine *engine
	ws     *gws.Conn
	ended  chan struct{}
}

// Write sends one binary message and blocks until the kernel has taken it.
func (c *conn) Write(payload []byte) error {
	err := c.ws.WriteMessage(gws.OpcodeBinary, payload)
	if errors.Is(err, gws.ErrConnClosed) {
		return engines.ErrClosed
	}
	return err
}

// WritePrepared sends a frame of Prepare and blocks until the kernel has taken it.
func (c *conn) WritePrepared(p engines.Prepared) error {
	_, err := c.Socket.Write(p.([]byte))
	return err
}

// Goodbye sends the close frame; gws closes the connection behind it.
func (c *conn) Goodbye(by time.Time) {
	c.LastCall(by)
	_ = c.ws.WriteClose(1001, nil)
}

func (c *conn) ping(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-tick.C:
			_ = c.ws.WritePing(nil)
		}
	}
}
