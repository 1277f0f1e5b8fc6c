package engines

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

var gorillaOptions = []option{
	toggle("writebufferpool", "write buffers from a pool, none held while idle",
		func(o *Options) *bool { return &o.WriteBufferPool }),
	choice("refresh", RefreshAny, "what moves the keepalive deadline",
		[]string{RefreshAny, RefreshPong}, func(o *Options) *string { return &o.Refresh }),
}

func gorillaEqualise(o *Options) { o.Refresh = RefreshAny }

// gorillaStock is the library's chat example.
func gorillaStock(o *Options) {
	o.ReadBuffer, o.WriteBuffer = 1024, 1024
	o.WriteTimeout = 10 * time.Second
	o.Deadline = DeadlineNative
	o.Keepalive, o.Ping = 60*time.Second, 54*time.Second
	o.Refresh = RefreshPong
	o.ReadLimit = 512
}

func gorillaCheck(*Options) error { return nil }

// gorilla is one goroutine and one blocking socket per connection, as the library's examples have it.
type gorilla struct {
	*Roster
	options  Options
	upgrader websocket.Upgrader
	server   http.Server
	tls      *tls.Config    // nil: none
	serving  sync.WaitGroup // the accept loop, HTTP connections and handshakes
	readers  sync.WaitGroup // a reader per connection, and its pinger
}

func newGorilla(o Options, h Hooks) (Engine, error) {
	e := &gorilla{Roster: NewRoster(o, h), options: o}
	e.upgrader = websocket.Upgrader{ReadBufferSize: o.ReadBuffer, WriteBufferSize: o.WriteBuffer}
	if o.WriteBufferPool {
		e.upgrader.WriteBufferPool = new(sync.Pool)
	}
	e.upgrader.EnableCompression = o.Compress
	if o.TLS() {
		pair, err := tls.X509KeyPair(o.CertPEM, o.KeyPEM)
		if err != nil {
			return nil, err
		}
		e.tls = &tls.Config{Certificates: []tls.Certificate{pair}}
	}
	e.server = http.Server{
		Handler:           http.HandlerFunc(e.handshake),
		ReadHeaderTimeout: o.HandshakeTimeout,
		IdleTimeout:       o.HandshakeTimeout,
		ConnState:         e.track,
		ErrorLog:          log.New(o.log(), "gorilla: ", log.LstdFlags),
	}
	return e, nil
}

// Start serves ln.
func (e *gorilla) Start(ln net.Listener) error {
	if err := tune(ln, &e.options); err != nil {
		return err
	}
	e.serving.Go(func() {
		if err := e.server.Serve(e.layer(ln)); !errors.Is(err, http.ErrServerClosed) {
			e.server.ErrorLog.Printf("accepting: %v", err)
		}
	})
	return nil
}

type gorillaFrame struct {
	message *websocket.PreparedMessage // caches the frame
	bytes   int64                      // of the frame
}

// Prepare frames payload once.
func (e *gorilla) Prepare(payload []byte) (Prepared, error) {
	message, err := websocket.NewPreparedMessage(websocket.BinaryMessage, payload)
	if err != nil {
		return nil, err
	}
	return &gorillaFrame{message, frameBytes(len(payload))}, nil
}

// Stop says goodbye, closes everything and waits for it.
func (e *gorilla) Stop(ctx context.Context) error {
	members := e.stop()
	err := e.server.Close() // the listener and the connections that are still HTTP
	farewell(ctx, &e.options, members)
	return errors.Join(err, wait(ctx, &e.serving), wait(ctx, &e.readers))
}

// track counts the HTTP connections, so that Stop can wait for them: the server itself does not.
func (e *gorilla) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		e.serving.Add(1)
	case http.StateHijacked, http.StateClosed:
		e.serving.Done()
	}
}

func (e *gorilla) handshake(w http.ResponseWriter, r *http.Request) {
	number, ok := e.Admit(w, r)
	if !ok {
		return
	}
	// From the upgrade on the server has forgotten the connection; the reader is counted before that.
	e.readers.Add(1)
	ws, err := e.upgrader.Upgrade(w, r, nil)
	if err != nil {
		e.readers.Done()
		e.Release(number)
		return
	}
	c := newGorillaConn(e, number, ws)
	// A goroutine of its own, so that the request, its buffers and the server's goroutine are freed.
	go func() {
		defer e.readers.Done()
		c.serve()
	}()
}
