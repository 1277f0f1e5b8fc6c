package engines_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/engines"
	"wsfanout/engines/enginetest"
)

func TestGobwas(t *testing.T) { enginetest.Run(t, suite(t, "gobwas")) }

func TestGobwasGoroutine(t *testing.T) { enginetest.Run(t, suite(t, "gobwas:mode=goroutine")) }

func TestGobwasPolicies(t *testing.T) {
	enginetest.Together(t, enginetest.Cases{
		"once kills everybody": suite(t, "gobwas:deadline=once").OnceKillsEverybody,
		"pool of one":          func(t *testing.T) { suite(t, "gobwas:pool=1").HandlerStalls(t, true) },
		"pool of two":          func(t *testing.T) { suite(t, "gobwas:pool=2").HandlerStalls(t, false) },
		"goroutines":           func(t *testing.T) { suite(t, "gobwas:mode=goroutine").HandlerStalls(t, false) },
	})
}

// whole is a text frame; less than all of it holds who reads it.
var whole = ws.MustCompileFrame(ws.MaskFrame(ws.NewTextFrame([]byte("hi"))))

// heard is an engine that records whom it hears and who leaves.
func heard(t *testing.T, spec string) (addr string, messages chan string, closed chan error) {
	t.Helper()
	messages, closed = make(chan string, 64), make(chan error, 64)
	_, addr, err := serve(t, resolve(t, spec), engines.Hooks{
		OnMessage: func(c engines.Conn, b []byte) { messages <- fmt.Sprint(c.Number(), " ", string(b)) },
		OnClose:   func(_ engines.Conn, cause error) { closed <- cause },
	})
	if err != nil {
		t.Fatal(err)
	}
	return addr, messages, closed
}

func dial(t *testing.T, addr string, number int) net.Conn {
	t.Helper()
	conn, _, _, err := ws.Dial(context.Background(), fmt.Sprintf("ws://%s/ws?i=%d", addr, number))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func send(t *testing.T, conn net.Conn, b []byte) {
	t.Helper()
	if _, err := conn.Write(b); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, messages chan string, text string) {
	t.Helper()
	select {
	case got := <-messages:
		if got != text {
			t.Errorf("heard %q, want %q", got, text)
		}
	case <-time.After(10 * time.Second):
		t.Errorf("%q was not heard", text)
	}
}

// TestHalfAFrameHoldsAWorker is the weakness of the pattern: as many clients with half a frame as there are workers, and
// nobody is heard until one of them goes on. A reader for each client has no such limit, and a limit for each read ends it.
func TestHalfAFrameHoldsAWorker(t *testing.T) {
	halves := func(t *testing.T, addr string) (holders [2]net.Conn, third net.Conn) {
		holders[0], holders[1], third = dial(t, addr, 0), dial(t, addr, 1), dial(t, addr, 2)
		for _, holder := range holders {
			send(t, holder, whole[:len(whole)-1])
		}
		send(t, third, whole)
		return holders, third
	}
	t.Run("pool of two", func(t *testing.T) {
		addr, messages, closed := heard(t, "gobwas:pool=2")
		holders, third := halves(t, addr)
		select {
		case got := <-messages:
			t.Errorf("heard %q although both workers wait", got)
		case err := <-closed:
			t.Errorf("closed: %v", err)
		case <-time.After(300 * time.Millisecond):
		}
		send(t, holders[1], whole[len(whole)-1:])
		want(t, messages, "1 hi")
		want(t, messages, "2 hi")
		send(t, third, whole) // one worker is enough for those who send whole frames
		want(t, messages, "2 hi")
	})
	t.Run("evicted", func(t *testing.T) {
		addr, messages, _ := heard(t, "gobwas:pool=2")
		holders, _ := halves(t, addr)
		_ = holders[0].(*net.TCPConn).CloseWrite()
		want(t, messages, "2 hi")
	})
	t.Run("room for one more", func(t *testing.T) {
		addr, messages, _ := heard(t, "gobwas:pool=3")
		halves(t, addr)
		want(t, messages, "2 hi")
	})
	t.Run("goroutines", func(t *testing.T) {
		addr, messages, _ := heard(t, "gobwas:mode=goroutine")
		halves(t, addr)
		want(t, messages, "2 hi")
	})
	t.Run("readtimeout", func(t *testing.T) {
		addr, messages, closed := heard(t, "gobwas:pool=2:readtimeout=100ms")
		halves(t, addr)
		want(t, messages, "2 hi")
		if err := <-closed; !errors.Is(err, engines.ErrReadTimeout) {
			t.Errorf("closed: %v, want ErrReadTimeout", err)
		}
	})
}

// TestEvictionNeedsNoWorker: a full pool hears nobody, but who is evicted or cannot be written to is reported.
func TestEvictionNeedsNoWorker(t *testing.T) {
	type end struct {
		number int
		cause  error
	}
	closed := make(chan end, 4)
	e, addr, err := serve(t, resolve(t, "gobwas:pool=1"), engines.Hooks{OnClose: func(c engines.Conn, cause error) { closed <- end{c.Number(), cause} }})
	if err != nil {
		t.Fatal(err)
	}
	holder, waiting, _, leaving := dial(t, addr, 0), dial(t, addr, 1), dial(t, addr, 2), dial(t, addr, 3)
	for len(e.Conns()) < 4 {
		time.Sleep(time.Millisecond)
	}
	conns := e.Conns()
	send(t, holder, whole[:1])
	send(t, waiting, whole) // its event stops the loop
	time.Sleep(50 * time.Millisecond)
	_ = leaving.Close()
	for conns[3].Write([]byte("gone")) == nil {
		time.Sleep(time.Millisecond)
	}
	enough := errors.New("enough")
	for _, want := range []end{{3, engines.ErrPeerClosed}, {2, enough}, {1, enough}, {0, enough}} { // the holder last
		if want.cause == enough {
			conns[want.number].Evict(enough)
		}
		select {
		case got := <-closed:
			if got.number != want.number || !errors.Is(got.cause, want.cause) {
				t.Errorf("OnClose of %d with %v, want %d with %v", got.number, got.cause, want.number, want.cause)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("no OnClose of %d", want.number)
		}
	}
}

// TestNetpollIsFlat has as many goroutines with many clients as with one, once they have all been heard.
func TestNetpollIsFlat(t *testing.T) {
	addr, messages, _ := heard(t, "gobwas:pool=1")
	count := func() (n int) {
		for range 100 { // handshakes end a moment after the client is through
			time.Sleep(5 * time.Millisecond)
			if now := runtime.NumGoroutine(); now == n {
				return n
			} else {
				n = now
			}
		}
		return n
	}
	greet := func(number int) {
		send(t, dial(t, addr, number), whole)
		want(t, messages, fmt.Sprint(number, " hi"))
	}
	greet(0)
	one := count()
	for number := 1; number < 50; number++ {
		greet(number)
	}
	if many := count(); many > one {
		t.Errorf("%d goroutines with 50 clients, %d with one", many, one)
	}
}

// TestGobwasRefuses names what helps.
func TestGobwasRefuses(t *testing.T) {
	secure := resolveWith(t, "gobwas:mode=goroutine", false, true).Defaults
	for spec, d := range map[string]engines.Defaults{"gobwas": secure, "gobwas:mode=goroutine:readtimeout=1s": defaults(), "gobwas:mode=goroutine:stock": defaults()} {
		parsed, err := engines.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parsed.Resolve(d); err == nil || !strings.Contains(err.Error(), " mode=") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// TestGobwasSaysWhyItCloses: a client that breaks the protocol gets the code for it.
func TestGobwasSaysWhyItCloses(t *testing.T) {
	for _, spec := range []string{"gobwas", "gobwas:mode=goroutine"} {
		addr, _, closed := heard(t, spec)
		big := make([]byte, 256<<10)
		fragment := ws.MustCompileFrame(ws.MaskFrame(ws.NewFrame(ws.OpText, false, big)))
		rest := ws.MustCompileFrame(ws.MaskFrame(ws.NewFrame(ws.OpContinuation, true, []byte("x"))))
		for number, row := range []struct {
			sent []byte
			want ws.StatusCode
		}{
			{ws.MustCompileFrame(ws.NewTextFrame(nil)), ws.StatusProtocolError}, // not masked
			{ws.MustCompileFrame(ws.MaskFrame(ws.NewFrame(3, true, nil))), ws.StatusProtocolError},
			{ws.MustCompileFrame(ws.MaskFrame(ws.NewCloseFrame([]byte{3}))), ws.StatusProtocolError}, // half a code
			{append(fragment, rest...), ws.StatusMessageTooBig},
		} {
			conn := dial(t, addr, number)
			send(t, conn, row.sent)
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			got, frame := make([]byte, 4), ws.MustCompileFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(row.want, "")))
			if _, err := io.ReadFull(conn, got); err != nil || !bytes.Equal(got, frame) {
				t.Errorf("%s, case %d: %x, %v; want the close frame %x", spec, number, got, err, frame)
			}
			if cause := <-closed; !errors.Is(cause, engines.ErrProtocol) {
				t.Errorf("%s, case %d: %v", spec, number, cause)
			}
		}
	}
}

// TestGobwasNotes are clauses, as the other engines' are.
func TestGobwasNotes(t *testing.T) {
	for _, o := range []engines.Options{resolve(t, "gobwas"), resolve(t, "gobwas:stock"), resolve(t, "gobwas:mode=goroutine:keepalive=1s:writetimeout=0"),
		resolve(t, "gobwas:deadline=once:ping=1s:pool=4:readbuf=1KiB:readtimeout=1s"), resolveWith(t, "gobwas:mode=goroutine", true, true)} {
		notes := engines.Notes(o)
		if len(notes) < 4 {
			t.Errorf("only %q", notes)
		}
		for _, note := range notes {
			if strings.HasSuffix(note, ".") || strings.Contains(note, "%!") || strings.Contains(note, "\n") || strings.HasPrefix(note, "gobwas") {
				t.Errorf("%q", note)
			}
		}
	}
}
