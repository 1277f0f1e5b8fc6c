package engines_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"
	"github.com/gorilla/websocket"
	"github.com/lesismal/nbio"
	"github.com/lesismal/nbio/logging"
	"github.com/lesismal/nbio/nbhttp"
	nbws "github.com/lesismal/nbio/nbhttp/websocket"
	"golang.org/x/sys/unix"

	"wsfanout/engines"
)

const (
	benchConns   = 64
	benchPayload = 1024
	benchTimeout = time.Second
)

// BenchmarkDelivery compares a delivery through an adapter with a hand-written loop over the library under the same
// deadline policy, on connections whose descriptors discard what is written: 64 of them in turn, 1 KiB, a write timeout
// of 1 s. Against nbio with `enforced` the loop has no timeout at all, since the library has nothing like it.
func BenchmarkDelivery(b *testing.B) {
	payload := make([]byte, benchPayload)
	prepared, err := websocket.NewPreparedMessage(websocket.BinaryMessage, payload)
	if err != nil {
		b.Fatal(err)
	}
	frame := engines.Frame(payload)
	b.Run("gorilla/Write", func(b *testing.B) {
		sideBySide(b, "gorilla", handGorilla, func(c *websocket.Conn) error {
			_ = c.SetWriteDeadline(time.Now().Add(benchTimeout))
			return c.WriteMessage(websocket.BinaryMessage, payload)
		}, false)
	})
	b.Run("gorilla/WritePrepared", func(b *testing.B) {
		sideBySide(b, "gorilla", handGorilla, func(c *websocket.Conn) error {
			_ = c.SetWriteDeadline(time.Now().Add(benchTimeout))
			return c.WritePreparedMessage(prepared)
		}, true)
	})
	for _, c := range []struct {
		spec     string
		deadline func(*nbws.Conn)
	}{
		{"nbio", func(*nbws.Conn) {}},
		{"nbio:deadline=native", func(c *nbws.Conn) { _ = c.SetWriteDeadline(time.Now().Add(benchTimeout)) }},
	} {
		b.Run(c.spec+"/Write", func(b *testing.B) {
			sideBySide(b, c.spec, handNbio, func(ws *nbws.Conn) error {
				c.deadline(ws)
				return ws.WriteMessage(nbws.BinaryMessage, payload)
			}, false)
		})
		b.Run(c.spec+"/WritePrepared", func(b *testing.B) {
			sideBySide(b, c.spec, handNbio, func(ws *nbws.Conn) error {
				c.deadline(ws)
				_, err := ws.Conn.Write(frame)
				return err
			}, true)
		})
	}
}

// sideBySide measures each alone, and then what the adapter adds: in turns of a few microseconds, because between two
// benchmarks a shared machine changes by more than the difference.
func sideBySide[C any](b *testing.B, spec string, serve func(*testing.B) []C, write func(C) error, prepared bool) {
	adapter := func(b *testing.B) ([]engines.Conn, func(engines.Conn) error) {
		engine, conns := adapterConns(b, resolve(b, spec))
		payload := make([]byte, benchPayload)
		message, err := engine.Prepare(payload)
		if err != nil {
			b.Fatal(err)
		}
		if prepared {
			return conns, func(c engines.Conn) error { return c.WritePrepared(message) }
		}
		return conns, func(c engines.Conn) error { return c.Write(payload) }
	}
	b.Run("by=hand", func(b *testing.B) {
		conns := serve(b)
		b.ReportAllocs()
		b.ResetTimer()
		deliver(b, conns, write, b.N)
		b.StopTimer()
	})
	b.Run("by=adapter", func(b *testing.B) {
		conns, write := adapter(b)
		b.ReportAllocs()
		b.ResetTimer()
		deliver(b, conns, write, b.N)
		b.StopTimer()
	})
	b.Run("by=turns", func(b *testing.B) {
		theirs := serve(b)
		ours, ourWrite := adapter(b)
		var extra []time.Duration
		b.ResetTimer()
		for n := 0; n < b.N; n += 2 * benchConns {
			start := time.Now()
			deliver(b, theirs, write, benchConns)
			between := time.Now()
			deliver(b, ours, ourWrite, benchConns)
			extra = append(extra, time.Since(between)-between.Sub(start))
		}
		b.StopTimer()
		slices.Sort(extra)
		b.ReportMetric(float64(extra[len(extra)/2])/benchConns, "extra-ns/op")
	})
}

func deliver[C any](b *testing.B, conns []C, write func(C) error, n int) {
	for i := range n {
		if err := write(conns[i%len(conns)]); err != nil {
			b.Fatal(err)
		}
	}
}

// discard puts /dev/null in the place of a connection's descriptor: what is written goes the whole way through the
// library and one system call, and no further.
func discard(b *testing.B, fd int) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	if err := unix.Dup3(int(null.Fd()), fd, unix.O_CLOEXEC); err != nil {
		b.Fatal(err)
	}
}

func benchListen(b *testing.B) net.Listener {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	return ln
}

func dialAll(b *testing.B, ln net.Listener, compress, secure bool) {
	dialer, scheme := ws.Dialer{TLSConfig: &tls.Config{InsecureSkipVerify: true}}, "ws"
	if compress {
		dialer.Extensions = append(dialer.Extensions, wsflate.DefaultParameters.Option())
	}
	if secure {
		scheme = "wss"
	}
	for i := range benchConns {
		conn, _, _, err := dialer.Dial(context.Background(), fmt.Sprintf("%s://%s/ws?i=%d", scheme, ln.Addr(), i))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = conn.Close() })
	}
}

func adapterConns(b *testing.B, o engines.Options) (engines.Engine, []engines.Conn) {
	var opened sync.WaitGroup
	opened.Add(benchConns)
	engine, err := engines.New(o, engines.Hooks{OnOpen: func(engines.Conn) { opened.Done() }})
	if err != nil {
		b.Fatal(err)
	}
	ln := benchListen(b)
	if err := engine.Start(ln); err != nil {
		b.Fatal(err)
	}
	dialAll(b, ln, o.Compress, o.TLS())
	opened.Wait()
	for _, c := range engine.Conns() {
		_ = c.Control(func(fd uintptr) { discard(b, int(fd)) })
	}
	b.Cleanup(func() { _ = engine.Stop(context.Background()) })
	return engine, engine.Conns()
}

func handGorilla(b *testing.B) (conns []*websocket.Conn) {
	upgraded := make(chan *websocket.Conn, benchConns)
	var upgrader websocket.Upgrader
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := upgrader.Upgrade(w, r, nil); err == nil {
			upgraded <- c
			_, _, _ = c.ReadMessage()
		}
	})}
	ln := benchListen(b)
	go func() { _ = server.Serve(ln) }()
	dialAll(b, ln, false, false)
	for range benchConns {
		c := <-upgraded
		raw, err := c.NetConn().(*net.TCPConn).SyscallConn()
		if err != nil {
			b.Fatal(err)
		}
		_ = raw.Control(func(fd uintptr) { discard(b, int(fd)) })
		b.Cleanup(func() { _ = c.Close() })
		conns = append(conns, c)
	}
	b.Cleanup(func() { _ = server.Close() })
	return conns
}

func handNbio(b *testing.B) (conns []*nbws.Conn) {
	logging.SetLevel(logging.LevelNone)
	upgraded := make(chan *nbws.Conn, benchConns)
	upgrader := nbws.NewUpgrader()
	upgrader.KeepaliveTime = 0
	engine := nbhttp.NewEngine(nbhttp.Config{
		ReleaseWebsocketPayload: true,
		SupportServerOnly:       true,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c, err := upgrader.Upgrade(w, r, nil); err == nil {
				upgraded <- c
			}
		})})
	upgrader.Engine = engine
	if err := engine.Start(); err != nil {
		b.Fatal(err)
	}
	ln := benchListen(b)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			engine.AddConnNonTLSNonBlocking(&nbhttp.Conn{Conn: conn}, nil, func() {})
		}
	}()
	dialAll(b, ln, false, false)
	for range benchConns {
		c := <-upgraded
		discard(b, c.UnderlayerConn().(*nbhttp.Conn).Conn.(*nbio.Conn).Hash())
		conns = append(conns, c)
	}
	b.Cleanup(func() {
		_ = ln.Close()
		engine.Stop()
	})
	return conns
}
