package engines

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/gobwas/httphead"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"
	"golang.org/x/sys/unix"
)

// requestLimit bounds what a client may send before it is upgraded: the library reads lines of any length.
const requestLimit = 64 << 10

func (e *gobwas) accept() {
	for {
		conn, err := e.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // most likely no descriptors are left: do not spin
			log.New(e.options.log(), "gobwas: ", log.LstdFlags).Printf("accepting: %v", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		e.open.add(conn)
		e.tasks.Go(func() { e.handshake(conn) })
	}
}

// handshake upgrades a connection and opens it, or closes it. It is a goroutine's whole life, so that what it needed is
// freed when the connection becomes idle.
func (e *gobwas) handshake(socket net.Conn) {
	defer e.open.remove(socket)
	conn, wire := e.layer(socket)
	_ = conn.SetDeadline(time.Now().Add(e.options.HandshakeTimeout))
	number, deflates, err := e.upgrade(conn)
	if err != nil {
		_ = socket.Close()
		return
	}
	_ = conn.SetDeadline(time.Time{})
	c := newGobwasConn(e, number, conn, socket, wire)
	c.deflates = deflates
	tuneConn(c, &e.options)
	e.tasks.Add(1) // until its end is reported
	if !e.Open(c) {
		c.hangUp()
		e.tasks.Done()
		return
	}
	c.pinger.start(e.options.Ping, &e.tasks, c.ping)
	if !e.polls() {
		go c.serve()
		return
	}
	e.poll.add(c)
	c.rest(unix.EPOLL_CTL_ADD)
}

// layer puts on a socket what the options ask for. Under TLS the socket counts.
func (e *gobwas) layer(socket net.Conn) (net.Conn, *gorillaWire) {
	if e.tls == nil {
		return socket, nil
	}
	wire := &gorillaWire{Conn: socket}
	return tls.Server(wire, e.tls), wire
}

// upgrade reads the request and answers it. With an error it has reserved no number.
func (e *gobwas) upgrade(conn net.Conn) (number int, deflates bool, err error) {
	var target string
	reserved := false
	upgrader := ws.Upgrader{
		ReadBufferSize:  e.options.ReadBuffer,
		WriteBufferSize: e.options.WriteBuffer,
		OnRequest:       func(uri []byte) error { target = string(uri); return nil },
		// Only when the request has been read to its end: a refusal of a socket with unread bytes may be lost in a RST.
		OnBeforeUpgrade: func() (ws.HandshakeHeader, error) {
			var refused error
			number, refused = e.seat(target)
			reserved = refused == nil
			return nil, refused
		},
	}
	if e.options.Compress {
		upgrader.Negotiate = agree(new(wsflate.Extension{Parameters: wsflate.DefaultParameters}))
	}
	done, err := upgrader.Upgrade(struct {
		io.Reader
		io.Writer
	}{io.LimitReader(conn, requestLimit), conn})
	if err != nil && reserved {
		e.Release(number)
	}
	return number, len(done.Extensions) > 0, err
}

// seat reserves the number that a request's target asks for.
func (e *gobwas) seat(target string) (int, error) {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return 0, ws.RejectConnectionError(ws.RejectionStatus(http.StatusBadRequest), ws.RejectionReason("no target"))
	}
	number, refused := e.reserve(u)
	if refused != nil {
		return 0, ws.RejectConnectionError(ws.RejectionStatus(refused.status), ws.RejectionReason(refused.reason))
	}
	return number, nil
}

// agree declines an offer that it does not understand, where the library would refuse the client.
func agree(x *wsflate.Extension) func(httphead.Option) (httphead.Option, error) {
	return func(offer httphead.Option) (httphead.Option, error) {
		accepted, err := x.Negotiate(offer)
		if err != nil {
			return httphead.Option{}, nil
		}
		return accepted, nil
	}
}
