package engines

import (
	"crypto/tls"
	"net"
	"sync/atomic"
)

// gorillaWire is the socket under compression or TLS. Only there is known how many bytes a message has become, so that is
// where they are counted. It embeds an interface on purpose: with the TCP connection itself it would inherit writev, which
// would pass by Write; a compressed message in pieces above twice the write buffer takes two system calls a piece instead.
type gorillaWire struct {
	net.Conn
	meter  atomic.Pointer[meter] // nil while the connection is HTTP
	failed atomic.Pointer[error] // the first
}

func (w *gorillaWire) Write(b []byte) (int, error) {
	m := w.meter.Load()
	if m == nil {
		return w.Conn.Write(b)
	}
	m.account.handed.Add(int64(len(b)))
	n, err := w.Conn.Write(b)
	m.account.taken.Add(int64(len(b)))
	if err != nil {
		w.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// reason is the error of the socket behind err: when a write fails in the middle of a compressed message, the library
// reports that the stream did not end as it should.
func (w *gorillaWire) reason(err error) error {
	if w != nil {
		if failed := w.failed.Load(); failed != nil {
			return *failed
		}
	}
	return err
}

// wireListener accepts connections that count.
type wireListener struct{ net.Listener }

func (l wireListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gorillaWire{Conn: conn}, nil
}

// layer puts under the HTTP server what the options ask for.
func (e *gorilla) layer(ln net.Listener) net.Listener {
	if e.options.unforeseen() {
		ln = wireListener{ln}
	}
	if e.tls != nil {
		ln = tls.NewListener(ln, e.tls)
	}
	return ln
}

// gorillaSocket finds the socket under a connection, and the wire above the socket if there is one.
func gorillaSocket(conn net.Conn) (socket net.Conn, wire *gorillaWire) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if wire, ok := conn.(*gorillaWire); ok {
		return wire.Conn, wire
	}
	return conn, nil
}
