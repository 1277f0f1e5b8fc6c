package engines

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lesismal/llib/std/crypto/tls"
	"github.com/lesismal/nbio"
	"github.com/lesismal/nbio/mempool"
	"github.com/lesismal/nbio/nbhttp"
	"github.com/lesismal/nbio/nbhttp/websocket"
)

// nbioEngine serves connections from pollers, or in blocking modes from a goroutine each.
type nbioEngine struct {
	*Roster
	options  Options
	engine   *nbhttp.Engine
	upgrader *websocket.Upgrader
	unheard  *websocket.Upgrader // for clients without a message handler
	tls      *tls.Config         // nil: none
	sweeper  sweeper

	listener    net.Listener
	accepting   sync.WaitGroup
	maxBlocking int64        // connections served by goroutines
	blocking    atomic.Int64 // of them now

	open  openSet        // every connection, also while it is HTTP
	tasks sync.WaitGroup // connections, pingers, the sweeper
	quit  context.CancelFunc
	ready *time.Timer // fires when the pollers are certainly running
}

// pollersRunning is long enough for a poller to have begun its loop. It begins by clearing the flag that tells it to stop
// (poller_epoll.go:233): an engine stopped before that would spin and never end.
const pollersRunning = 100 * time.Millisecond

func newNbio(o Options, h Hooks) (Engine, error) {
	logNbioTo(o.log())
	e := &nbioEngine{Roster: NewRoster(o, h), options: o, sweeper: sweeper{timeout: o.WriteTimeout}}
	if o.TLS() {
		pair, err := tls.X509KeyPair(o.CertPEM, o.KeyPEM)
		if err != nil {
			return nil, err
		}
		e.tls = &tls.Config{Certificates: []tls.Certificate{pair}}
	}
	switch o.IOMod {
	case IOModBlocking:
		e.maxBlocking = int64(o.MaxClients) + 1<<20
	case IOModMixed:
		e.maxBlocking = MixedBlocking
	}
	return e, nil
}

// setUp makes the library's engine, which has a goroutine from here on.
func (e *nbioEngine) setUp() {
	e.engine = nbhttp.NewEngine(e.config())
	if e.options.WriteBuffer > 0 { // nbhttp gives its allocator to frames, but not to the lists of pending bytes
		e.engine.Engine.BodyAllocator = e.engine.BodyAllocator
	}
	e.engine.OnOpen(e.opened)
	e.engine.OnClose(e.closed)
	e.engine.OnWrittenSize(countTaken)
	e.upgrader, e.unheard = e.newUpgrader(), e.newUpgrader()
	e.upgrader.OnMessage(func(ws *websocket.Conn, _ websocket.MessageType, payload []byte) {
		e.Message(ws.Session().(nbioMember), payload)
	})
}

func (e *nbioEngine) config() nbhttp.Config {
	o := &e.options
	config := nbhttp.Config{
		MaxLoad:                      o.MaxClients + 1024, // handshakes count too
		NPoller:                      o.NPoller,
		ReadBufferSize:               o.ReadBuffer,
		BlockingReadBufferSize:       o.ReadBuffer,
		MaxWriteBufferSize:           int(o.PendingCap),
		MaxWebsocketFramePayloadSize: o.FramePayload,
		MessageHandlerPoolSize:       o.Pool,
		KeepaliveTime:                o.httpKeepalive(),
		TLSAllocator:                 tlsAllocator(),
		ReleaseWebsocketPayload:      true,
		SupportServerOnly:            true, // no pool for clients
		Handler:                      http.HandlerFunc(e.handshake),
	}
	if o.Executor == ExecutorInline {
		config.ServerExecutor = func(f func()) { f() }
	}
	if o.WriteBuffer > 0 {
		config.BodyAllocator = mempool.New(o.WriteBuffer, 1<<30) // the limit is that of nbio's own pool
	}
	return config
}

func (e *nbioEngine) newUpgrader() *websocket.Upgrader {
	u := websocket.NewUpgrader()
	u.Engine = e.engine
	u.KeepaliveTime = e.options.Keepalive
	u.MessageLengthLimit = e.options.ReadLimit
	u.BlockingModAsyncWrite = e.options.Async
	u.EnableCompression(e.options.Compress)
	_ = u.SetCompressionLevel(e.options.Level) // refused only when out of range
	u.SetPingHandler(func(ws *websocket.Conn, payload string) {
		_ = ws.Session().(nbioMember).control(websocket.PongMessage, []byte(payload))
	})
	u.SetCloseHandler(func(ws *websocket.Conn, code int, reason string) {
		_ = ws.Session().(nbioMember).control(websocket.CloseMessage, closePayload(code, reason))
	})
	u.OnClose(func(ws *websocket.Conn, err error) {
		if m, ok := ws.Session().(nbioMember); ok {
			m.closed(err)
		}
	})
	return u
}

// Start serves ln.
func (e *nbioEngine) Start(ln net.Listener) error {
	if err := tune(ln, &e.options); err != nil {
		return err
	}
	e.setUp()
	if err := e.engine.Start(); err != nil {
		return err
	}
	e.ready = time.NewTimer(pollersRunning)
	e.listener = ln
	ctx, quit := context.WithCancel(context.Background())
	e.quit = quit
	if e.options.watched() && (e.options.Async || e.options.IOMod != IOModBlocking) {
		e.tasks.Go(func() { e.sweeper.run(ctx) })
	}
	e.accepting.Go(e.accept)
	return nil
}

// Prepare frames payload once.
func (e *nbioEngine) Prepare(payload []byte) (Prepared, error) {
	return prepareNbio(payload, &e.options)
}

// Stop says goodbye, closes everything and waits for it.
func (e *nbioEngine) Stop(ctx context.Context) error {
	if e.quit == nil { // never started
		return nil
	}
	members := e.stop()
	err := e.listener.Close()
	e.accepting.Wait()
	farewell(ctx, &e.options, members)
	e.quit()
	e.open.closeAll()
	var stopped sync.WaitGroup
	stopped.Go(func() {
		e.tasks.Wait()
		<-e.ready.C
		e.engine.Stop() // not Shutdown, which would look for connections every 200 ms: there are none left
	})
	return errors.Join(err, wait(ctx, &stopped))
}

// opened and closed are nbhttp's hooks for every connection, from accept to close, WebSocket or not.
func (e *nbioEngine) opened(c net.Conn) {
	e.tasks.Add(1)
	socket, _ := nbioSocket(c)
	e.open.add(socket)
}

func (e *nbioEngine) closed(c net.Conn, _ error) {
	socket, _ := nbioSocket(c) // nbhttp hands over the same connection, but not the same layers
	_ = socket.Close()         // nbio leaves a blocking connection open when its HTTP request is late
	e.open.remove(socket)
	e.tasks.Done()
}

// handshake runs where nbhttp runs handlers. Nothing else of the connection runs until it returns: what the client sends
// and its close wait for it.
func (e *nbioEngine) handshake(w http.ResponseWriter, r *http.Request) {
	number, ok := e.Admit(w, r)
	if !ok {
		return
	}
	deflates := negotiateDeflate(r.Header, &e.options)
	ws, err := e.upgraderOf(number).Upgrade(w, r, nil)
	if err != nil {
		e.Release(number)
		return
	}
	var m nbioMember
	socket, secure := nbioSocket(ws.UnderlayerConn())
	switch conn := socket.(type) {
	case *nbio.Conn:
		m = newNbioConn(e, number, ws, conn, secure, deflates)
	case *net.TCPConn:
		m = newNbioBlocking(e, number, ws, conn, secure, deflates)
	}
	tuneConn(m, &e.options)
	if !e.Open(m) {
		m.Evict(ErrStopped)
		return
	}
	m.startPings(e.options.Ping, &e.tasks)
}

// readDeadline is the deadline of a connection's next read, when nothing has been read yet.
func (e *nbioEngine) readDeadline() time.Time {
	if e.options.Keepalive > 0 {
		return time.Now().Add(e.options.Keepalive)
	}
	return time.Time{}
}
