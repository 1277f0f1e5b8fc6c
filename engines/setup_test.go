package engines_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/lesismal/nbio/logging"

	"wsfanout/engines"
	"wsfanout/internal/sock"
)

// TestSendBuffer wants the listener's buffer on the accepted connection, or a refusal before the first client.
func TestSendBuffer(t *testing.T) {
	for _, name := range engines.Names() {
		t.Run(name, func(t *testing.T) {
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
	e, err := engines.New(o, engines.Hooks{OnOpen: func(c engines.Conn) { opened <- c }})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(ln); err != nil {
		if want >= 0 {
			t.Errorf("asked for %d: %v", ask, err)
		}
		_ = ln.Close()
		return
	}
	defer e.Stop(context.Background())
	conn, _, _, err := ws.Dial(context.Background(), "ws://"+ln.Addr().String()+"/ws?i=0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
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
