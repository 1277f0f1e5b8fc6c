package clientfleet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gobwas/httphead"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"
	"golang.org/x/sys/unix"

	"wsfanout/internal/clock"
)

// target is where all clients of a fleet connect to.
type target struct {
	addr netip.AddrPort
	host string // as in Plan.Addr, for the Host header
	path string

	compress bool
	tls      *tls.Config // nil: no TLS
}

// link is a connected client: a plain non-blocking socket that nothing but its reader will touch.
type link struct {
	fd     int
	glued  []byte // came with the handshake reply
	picked int64  // when the reply was read
	took   int64  // from connect to then, nanoseconds
	secure *secure
}

// dial connects one client and does its handshake. source is the index of its source address, -1: the kernel's choice.
//
// The runtime's poller is used only until the handshake is done: a net.Conn per client would cost ten times the memory
// and a wake-up of its own for every message.
func (t target) dial(ctx context.Context, s seat, source int) (link, error) {
	fd, err := t.socket(s, source)
	if err != nil {
		return link{}, err
	}
	c, err := newRawConn(fd)
	if err != nil {
		return link{}, err
	}
	defer c.Close()
	deadline, _ := ctx.Deadline()
	c.SetDeadline(deadline)
	defer context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })()
	begin := clock.Now()
	if err := c.connect(sockaddr(t.addr)); err != nil {
		return link{}, err
	}
	l, err := t.handshakes(c, s)
	if err != nil {
		return link{}, err
	}
	l.took = l.picked - begin
	// The duplicate is unknown to the runtime's poller.
	l.fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	return l, err
}

// socket makes a non-blocking socket with everything set that must be set before connect.
func (t target) socket(s seat, source int) (int, error) {
	fd, err := unix.Socket(family(t.addr), unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, err
	}
	err = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	}
	if err == nil && s.extra != nil && s.extra.RecvBuffer > 0 {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, s.extra.RecvBuffer)
	}
	if err == nil && source >= 0 {
		err = bindSource(fd, source)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// handshakes is that of TLS, if asked for, and that of WebSocket.
func (t target) handshakes(c io.ReadWriter, s seat) (link, error) {
	if t.tls == nil {
		return t.handshake(c, s)
	}
	below := newSecure(c, t.tls)
	if err := below.plain.Handshake(); err != nil {
		return link{}, err
	}
	l, err := t.handshake(below.plain, s)
	below.raw = nil // from here on its reader reads and writes
	l.secure = below
	return l, err
}

// handshake upgrades the connection.
func (t target) handshake(c io.ReadWriter, s seat) (link, error) {
	path, query, _ := strings.Cut(t.path, "?")
	if query != "" {
		query += "&"
	}
	u := &url.URL{Scheme: "ws", Host: t.host, Path: path, RawQuery: fmt.Sprintf("%si=%d", query, s.number)}
	early, agreed, err := t.dialer().Upgrade(c, u)
	l := link{picked: clock.Now()}
	if err == nil && t.compress {
		err = agrees(agreed.Extensions)
	}
	if err != nil {
		return l, err
	}
	if early != nil {
		glued, _ := early.Peek(early.Buffered())
		l.glued = append(l.glued, glued...)
		ws.PutReader(early)
	}
	return l, nil
}

// dialer offers what the clients want.
func (t target) dialer() ws.Dialer {
	if !t.compress {
		return ws.Dialer{}
	}
	offer := wsflate.Parameters{ServerNoContextTakeover: true, ClientNoContextTakeover: true}
	return ws.Dialer{Extensions: []httphead.Option{offer.Option()}}
}

var errRefusedDeflate = errors.New("permessage-deflate refused")

// agrees returns why what a server chose is not the compression that was offered. Its window may be of any size; a client
// that never compresses does not mind what is said about its own.
func agrees(chosen []httphead.Option) error {
	if len(chosen) == 0 {
		return errRefusedDeflate
	}
	var p wsflate.Parameters
	if err := p.Parse(chosen[0]); err != nil {
		return err
	}
	if len(chosen) > 1 || !p.ServerNoContextTakeover {
		return fmt.Errorf("%w: the server chose something else", errRefusedDeflate)
	}
	return nil
}
