package enginetest

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"wsfanout/engines"
)

var errDeadline = os.ErrDeadlineExceeded

func (s *Suite) control(t *testing.T) {
	t.Run("after close", s.controlAfterClose)
	t.Run("own descriptor", s.controlOwn)
}

func (s *Suite) controlAfterClose(t *testing.T) {
	srv := s.start(t, nil)
	srv.dial(1)
	c := srv.conn(1)
	ran := false
	if err := c.Control(func(uintptr) { ran = true }); err != nil || !ran {
		t.Errorf("Control of an open connection: %v, ran %t", err, ran)
	}
	c.Evict(errors.New("enough"))
	ran = false
	if err := c.Control(func(uintptr) { ran = true }); !errors.Is(err, engines.ErrClosed) || ran {
		t.Errorf("Control after Evict: %v, ran %t; want ErrClosed without running", err, ran)
	}
}

// controlOwn asks for the peer's address through Control while connections are evicted and their descriptors given to
// others: it must never be another client's.
func (s *Suite) controlOwn(t *testing.T) {
	srv := s.start(t, nil)
	for range 20 {
		var work sync.WaitGroup
		for i := range 4 {
			c := srv.dial(i)
			conn := srv.conn(i)
			port := c.LocalAddr().(*net.TCPAddr).Port
			var stop atomic.Bool
			work.Go(func() { checkPeer(t, conn, port, &stop) })
			work.Go(func() {
				conn.Evict(errors.New("enough"))
				other, err := net.Dial("tcp", srv.addr) // most likely gets the descriptor that was just closed
				stop.Store(true)
				if err == nil {
					_ = other.Close()
				}
			})
		}
		work.Wait()
		srv.await(frameLimit, func() bool { return len(srv.conns) == 0 })
		for len(srv.engine.Conns()) > 0 { // numbers are free only after OnClose
			continue
		}
	}
}

func checkPeer(t *testing.T, conn engines.Conn, port int, stop *atomic.Bool) {
	for !stop.Load() {
		_ = conn.Control(func(fd uintptr) {
			peer, err := unix.Getpeername(int(fd))
			if address, ok := peer.(*unix.SockaddrInet4); err == nil && (!ok || address.Port != port) {
				t.Errorf("the descriptor belongs to %v, want port %d", peer, port)
			}
		})
	}
}
