package enginetest

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/engines"
)

// stops checks an orderly end with everybody in the house: healthy clients, a stuck one, one that is still HTTP and one
// that has said nothing.
func (s *Suite) stops(t *testing.T) {
	const d = 500 * time.Millisecond
	s.warmUp(t)
	routines, files := runtime.NumGoroutine(), openFiles(t)
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout, o.Ping = d, 20*time.Millisecond })
	var healthy []*client
	for i := range 5 {
		healthy = append(healthy, srv.dial(i))
		srv.conn(i)
	}
	stuck, conn := srv.dialStuck(5)
	silent, err := net.Dial("tcp", srv.addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := srv.tryDial("/none", 0); err == nil {
		t.Error("a wrong path is accepted")
	}
	wrote := make(chan error, 1)
	go func() { wrote <- conn.Write(bulk(256 << 10)) }()
	time.Sleep(50 * time.Millisecond)

	began := time.Now()
	srv.stop()
	if took := time.Since(began); took > d+time.Second {
		t.Errorf("Stop took %v with a stuck client and a write timeout of %v", took, d)
	}
	for i, c := range healthy {
		if code, err := c.closeCode(); code != ws.StatusGoingAway {
			t.Errorf("client %d got close code %d, %v; want 1001", i, code, err)
		}
		srv.wantClose(i, 0, engines.ErrStopped)
	}
	srv.wantClose(5, 0, engines.ErrStopped)
	<-wrote
	for _, c := range append(healthy, stuck) {
		_ = c.Close()
	}
	_ = silent.SetReadDeadline(time.Now().Add(time.Second))
	if _, err := io.Copy(io.Discard, silent); errors.Is(err, errDeadline) {
		t.Error("a client that had said nothing is still connected")
	}
	_ = silent.Close()
	wantNothingLeft(t, routines, files)
}

// warmUp lets the process start what it starts once: the network poller, and what a library keeps for good.
func (s *Suite) warmUp(t *testing.T) {
	srv := s.start(t, nil)
	_ = srv.dial(0).Close()
	srv.await(time.Second, func() bool { return len(srv.causes[0]) > 0 })
	srv.stop()
	time.Sleep(100 * time.Millisecond)
}

// wantNothingLeft gives goroutines that have been told to end a moment to be gone.
func wantNothingLeft(t *testing.T, routines, files int) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		left, open := runtime.NumGoroutine()-routines, openFiles(t)-files
		if left <= 0 && open <= 0 {
			return
		}
		if time.Now().After(deadline) {
			var stacks strings.Builder
			_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
			t.Errorf("after Stop %d goroutines and %d descriptors are left\n%s", left, open, stacks.String())
			return
		}
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
