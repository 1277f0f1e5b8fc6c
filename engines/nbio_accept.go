package engines

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/lesismal/nbio"
	"github.com/lesismal/nbio/logging"
	"github.com/lesismal/nbio/nbhttp"
)

// accept is nbhttp's own loop with three differences: it does not spin when descriptors run out, it loses no connection
// when the engine stops, and it mends the read deadline.
func (e *nbioEngine) accept() {
	block, poll := e.engine.AddConnNonTLSBlocking, e.engine.AddConnNonTLSNonBlocking
	if e.tls != nil {
		block, poll = e.engine.AddConnTLSBlocking, e.engine.AddConnTLSNonBlocking
	}
	for {
		conn, err := e.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			logging.Error("accepting: %v", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if e.blocking.Load() < e.maxBlocking {
			e.blocking.Add(1)
			block(&nbhttp.Conn{Conn: conn}, e.tls, func() { e.blocking.Add(-1) })
			continue
		}
		c := &nbhttp.Conn{Conn: conn}
		poll(c, e.tls, func() {})
		mendReadDeadline(c)
	}
}

// mendReadDeadline sets a connection's own read deadline once more if it is a WebSocket already. The call that adds a
// connection ends with setting the deadline for its HTTP request (nbhttp/engine.go:729); a quick client has been upgraded
// by then, and would be closed at that deadline although it is healthy. The upgrade's part is in newNbioConn: it publishes
// the session before it sets the deadline, so that one of the two comes last under nbio's lock.
func mendReadDeadline(c *nbhttp.Conn) {
	conn, ok := c.Conn.(*nbio.Conn)
	if !ok {
		return // could not be added, and is closed
	}
	if member := sessionOf(conn); member != nil && member.engine.mends() {
		_ = conn.SetReadDeadline(member.engine.readDeadline())
	}
}

// openSet is the connections that are open.
type openSet struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

func (s *openSet) add(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		s.conns = make(map[net.Conn]struct{})
	}
	s.conns[c] = struct{}{}
}

func (s *openSet) remove(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// closeAll closes outside the lock: a close may call remove.
func (s *openSet) closeAll() {
	s.mu.Lock()
	list := make([]net.Conn, 0, len(s.conns))
	for c := range s.conns {
		list = append(list, c)
	}
	s.mu.Unlock()
	for _, c := range list {
		_ = c.Close()
	}
}
