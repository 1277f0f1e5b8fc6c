package engines_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/lesismal/nbio/logging"
	"golang.org/x/sys/unix"

	"wsfanout/engines"
	"wsfanout/internal/sock"
)

// serve starts an engine until the test ends.
func serve(t *testing.T, o engines.Options, h engines.Hooks) (e engines.Engine, addr string, err error) {
	t.Helper()
	e, err = engines.New(o, h)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(ln); err != nil {
		_ = ln.Close()
		return nil, "", err
	}
	t.Cleanup(func() { _ = e.Stop(context.Background()) })
	return e, ln.Addr().String(), nil
}

func connect(t *testing.T, addr string, number int) {
	t.Helper()
	conn, _, _, err := ws.Dial(context.Background(), fmt.Sprintf("ws://%s/ws?i=%d", addr, number))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
}

// TestReadDeadlineIsMended has the library's deadline for the HTTP request come after the upgrade has cleared it. With
// httpkeepalive the adapter leaves that as it is.
func TestReadDeadlineIsMended(t *testing.T) {
	t.Run("mended", func(t *testing.T) { lateDeadline(t, "nbio", true) })
	t.Run("httpkeepalive", func(t *testing.T) { lateDeadline(t, "nbio:httpkeepalive=1m", false) })
}

func lateDeadline(t *testing.T, spec string, mends bool) {
	suite(t, spec)
	opened, closed := make(chan engines.Conn, 2), make(chan int, 2)
	_, addr, err := serve(t, resolve(t, spec), engines.Hooks{
		OnOpen:  func(c engines.Conn) { opened <- c },
		OnClose: func(c engines.Conn, _ error) { closed <- c.Number() },
	})
	if err != nil {
		t.Fatal(err)
	}
	const mended, victim = 0, 1
	for number := range 2 {
		connect(t, addr, number)
		c := <-opened
		engines.LateRequestDeadline(c, 50*time.Millisecond)
		if number == mended {
			engines.MendReadDeadline(c)
		}
	}
	if number := <-closed; mends && number != victim {
		t.Errorf("client %d was closed first, want the one that was not mended", number)
	}
	select {
	case number := <-closed:
		if mends {
			t.Errorf("client %d was closed at the deadline of its request", number)
		}
	case <-time.After(150 * time.Millisecond):
		if !mends {
			t.Error("the other client is not closed at the deadline of its request")
		}
	}
}

// TestHTTPKeepalive wants a client that says nothing closed at the option's limit, not at the adapter's 10 s.
func TestHTTPKeepalive(t *testing.T) {
	suite(t, "nbio")
	_, addr, err := serve(t, resolve(t, "nbio:httpkeepalive=200ms"), engines.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("half a handshake is still open after 5 s")
	}
}

// TestTCPKeepaliveIsOnTheSocket asks the kernel what a client's connection has.
func TestTCPKeepaliveIsOnTheSocket(t *testing.T) {
	for _, name := range engines.Names() {
		for value, want := range map[string][4]int{"default": {1, 15, 15, 9}, "5s/2s/3": {1, 5, 2, 3}, "off": {0, 15, 15, 9}} {
			t.Run(name+" "+value, func(t *testing.T) {
				suite(t, name)
				opened := make(chan engines.Conn, 1)
				_, addr, err := serve(t, resolve(t, name+":tcpkeepalive="+value), engines.Hooks{OnOpen: func(c engines.Conn) { opened <- c }})
				if err != nil {
					t.Fatal(err)
				}
				connect(t, addr, 0)
				if got := keepaliveOf(t, <-opened); got != want {
					t.Errorf("on, idle, interval, count are %v; want %v", got, want)
				}
			})
		}
	}
}

func keepaliveOf(t *testing.T, c engines.Conn) (got [4]int) {
	t.Helper()
	err := c.Control(func(fd uintptr) {
		for i, o := range [4][2]int{{unix.SOL_SOCKET, unix.SO_KEEPALIVE}, {unix.IPPROTO_TCP, unix.TCP_KEEPIDLE},
			{unix.IPPROTO_TCP, unix.TCP_KEEPINTVL}, {unix.IPPROTO_TCP, unix.TCP_KEEPCNT}} {
			var err error
			if got[i], err = unix.GetsockoptInt(int(fd), o[0], o[1]); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestSendBuffer wants the listener's buffer on the accepted connection, or a refusal before the first client.
func TestSendBuffer(t *testing.T) {
	for _, name := range engines.Names() {
		t.Run(name, func(t *testing.T) {
			suite(t, name) // skips what the race detector cannot run
			for _, c := range []struct{ ask, want int }{{0, 0}, {32 << 10, 64 << 10}, {1 << 30, -1}} {
				sendBuffer(t, name, c.ask, c.want)
			}
		})
	}
}

func sendBuffer(t *testing.T, name string, ask, want int) {
	o := resolve(t, name)
	o.SendBuffer = ask
	opened := make(chan engines.Conn, 1)
	_, addr, err := serve(t, o, engines.Hooks{OnOpen: func(c engines.Conn) { opened <- c }})
	if err != nil {
		if want >= 0 {
			t.Errorf("asked for %d: %v", ask, err)
		}
		return
	}
	connect(t, addr, 0)
	kept := 0
	if err := (<-opened).Control(func(fd uintptr) { kept, err = sock.SendBuffer(int(fd)) }); err != nil {
		t.Fatal(err)
	}
	if want < 0 || want > 0 && kept != want {
		t.Errorf("asked for %d, the connection has %d, want %d", ask, kept, want)
	}
}

// TestNbioLogsNothingToStdout: results go there.
func TestNbioLogsNothingToStdout(t *testing.T) {
	suite(t, "nbio")
	stdout := os.Stdout
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = w
	defer func() { os.Stdout = stdout }()
	logging.Output = w // what nbio's own logger would write to
	var log bytes.Buffer
	o := resolve(t, "nbio")
	o.Log = &log
	if _, err := engines.New(o, engines.Hooks{}); err != nil {
		t.Fatal(err)
	}
	logging.Info("chatter")
	logging.Error("trouble %d", 7)
	_ = w.Close()
	written := make([]byte, 1)
	if n, _ := r.Read(written); n != 0 {
		t.Error("nbio writes to stdout")
	}
	if got := log.String(); !strings.Contains(got, "trouble 7") || strings.Contains(got, "chatter") {
		t.Errorf("the log has %q, want only the error", got)
	}
}
