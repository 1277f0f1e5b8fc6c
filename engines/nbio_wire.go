package engines

import (
	"net"
	"sync"

	"github.com/lesismal/llib/std/crypto/tls"
	"github.com/lesismal/nbio/nbhttp"
	"github.com/lesismal/nbio/nbhttp/websocket"
)

// nbioOutlet is where compressed or encrypted bytes enter a connection that pollers serve. Only there is known how many a
// message has become, so that is where they are counted.
type nbioOutlet struct {
	net.Conn
	c *nbioConn
}

func (w *nbioOutlet) Write(b []byte) (int, error) {
	fresh := w.c.hand(int64(len(b)))
	n, err := w.Conn.Write(b)
	return n, w.c.handed(fresh, err)
}

// attachOutlet puts an outlet where it belongs, right after the upgrade: under TLS, or else under nbio's WebSocket layer.
// Nobody else knows the connection yet, and nbio's own answers wait for the handshake's handler.
func attachOutlet(c *nbioConn, secure *tls.Conn) {
	if secure != nil {
		secure.ResetConn(&nbioOutlet{Conn: c.conn, c: c}, true)
		return
	}
	c.ws.Conn = &nbioOutlet{Conn: c.ws.Conn, c: c}
}

// nbioWire is the socket of a blocking connection, to whichever goroutine writes: the caller's, or the queue's with async.
// Each write is counted and has its own deadline, which a write that waits for its turn cannot move.
type nbioWire struct {
	net.Conn
	c     *nbioBlocking
	mu    sync.Mutex
	under bool // TLS, which makes several writes of one: the layer above it sets the deadline
}

func (w *nbioWire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.c.engine.options.Async { // what goes through the queue is handed over when it enters that
		w.c.account.handed.Add(int64(len(b)))
	}
	if !w.under {
		_ = w.c.conn.SetWriteDeadline(w.c.deadline())
	}
	n, err := w.c.conn.Write(b)
	if err != nil {
		err = w.c.failed(err)
	}
	w.c.account.taken.Add(int64(len(b)))
	return n, err
}

// attach puts the wire under TLS, or else under nbio's WebSocket layer.
func (w *nbioWire) attach(ws *websocket.Conn, secure *tls.Conn) {
	if secure == nil {
		ws.Conn = w
		return
	}
	w.under = true
	secure.ResetConn(w, true)
	ws.Conn = &nbioOver{Conn: ws.Conn, c: w.c}
}

// nbioOver is what nbio's WebSocket layer writes to above TLS on a blocking connection.
type nbioOver struct {
	net.Conn
	c  *nbioBlocking
	mu sync.Mutex
}

// Write gives each frame its deadline, however many records TLS makes of it.
func (o *nbioOver) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.c.conn.SetWriteDeadline(o.c.deadline())
	return o.Conn.Write(b)
}

// Close closes the socket before TLS, whose close_notify would wait behind what a stuck client does not read.
func (o *nbioOver) Close() error {
	_ = o.c.conn.Close()
	return o.Conn.Close()
}

// nbioSocket finds the socket under a connection, and TLS above the socket if there is any.
func nbioSocket(conn net.Conn) (socket net.Conn, secure *tls.Conn) {
	for {
		switch layer := conn.(type) {
		case *nbhttp.Conn:
			conn = layer.Conn
		case *tls.Conn:
			secure, conn = layer, layer.Conn()
		case *nbioWire:
			conn = layer.Conn
		default:
			return conn, secure
		}
	}
}
