package engines_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"

	"wsfanout/engines"
	"wsfanout/engines/enginetest"
	"wsfanout/internal/stamp"
)

// resolveWith is resolve with compression or TLS.
func resolveWith(t testing.TB, spec string, compress, secure bool) engines.Options {
	t.Helper()
	d := defaults()
	d.Compress = compress
	if secure {
		var err error
		if d.CertPEM, d.KeyPEM, err = engines.SelfSigned(); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := engines.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	o, err := parsed.Resolve(d)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestLayers runs the brief suite with compression, with TLS and with both.
func TestLayers(t *testing.T) {
	for _, c := range []struct {
		spec             string
		compress, secure bool
		known            []enginetest.Deviation
	}{
		{"gorilla", true, false, nil},
		{"gorilla", false, true, nil},
		{"gorilla", true, true, nil},
		{"gobwas:pool=2:readbuf=64:readtimeout=1s:writebuf=64", true, false, nil}, // a handshake read in small pieces
		{"gobwas:mode=goroutine", true, true, nil},
		{"nbio", true, false, []enginetest.Deviation{enginetest.AcceptsUnmasked, enginetest.UnheardIsSilent}},
		{"nbio", false, true, []enginetest.Deviation{enginetest.AcceptsUnmasked, enginetest.UnheardIsSilent}},
		{"nbio", true, true, []enginetest.Deviation{enginetest.AcceptsUnmasked, enginetest.UnheardIsSilent}},
		{"nbio:iomod=blocking", false, true, []enginetest.Deviation{enginetest.AcceptsUnmasked, enginetest.UnheardIsSilent}},
	} {
		t.Run(fmt.Sprintf("%s/compress=%t/tls=%t", c.spec, c.compress, c.secure), func(t *testing.T) {
			if strings.HasPrefix(c.spec, "nbio") {
				enginetest.SkipUnderRace(t)
			}
			if testing.Short() && c.compress && (c.secure || strings.HasPrefix(c.spec, "gobwas")) {
				t.Skip("takes seconds")
			}
			o := resolveWith(t, c.spec, c.compress, c.secure)
			enginetest.Run(t, enginetest.Suite{Options: o, New: engines.New, Known: c.known, Brief: true})
		})
	}
}

// TestPendingCapCountsWhatIsKept has a cap on compressed and on encrypted bytes.
func TestPendingCapCountsWhatIsKept(t *testing.T) {
	enginetest.SkipUnderRace(t)
	for _, secure := range []bool{false, true} {
		o := resolveWith(t, "nbio:pendingcap=1MiB", !secure, secure)
		enginetest.Suite{Options: o, New: engines.New}.Overflow(t)
	}
}

// TestCompressedFrame compares what the engines send, plain and prepared, with the frame of the bare round.
func TestCompressedFrame(t *testing.T) {
	for _, spec := range []string{"gorilla:level=1", "gorilla:level=9", "nbio:level=1", "nbio:level=9", "nbio:iomod=blocking:level=4", "gobwas:level=9"} {
		t.Run(spec, func(t *testing.T) {
			if strings.HasPrefix(spec, "nbio") {
				enginetest.SkipUnderRace(t)
			}
			o := resolveWith(t, spec, true, false)
			opened := make(chan engines.Conn, 1)
			e, addr, err := serve(t, o, engines.Hooks{OnOpen: func(c engines.Conn) { opened <- c }})
			if err != nil {
				t.Fatal(err)
			}
			dialer := ws.Dialer{}
			dialer.Extensions = append(dialer.Extensions, wsflate.DefaultParameters.Option())
			conn, _, _, err := dialer.Dial(context.Background(), "ws://"+addr+"/ws?i=0")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			c := <-opened
			for range 2 { // the second time with compressors that have been used
				for _, payload := range [][]byte{{}, []byte("a"), bytes.Repeat([]byte("tick "), 3000), stamp.Filling(3000, 1)} {
					wantOnWire(t, e, c, conn, payload, o.Level)
				}
			}
		})
	}
}

func wantOnWire(t *testing.T, e engines.Engine, c engines.Conn, client io.Reader, payload []byte, level int) {
	t.Helper()
	frame, err := engines.CompressedFrame(payload, level)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := e.Prepare(payload)
	if err != nil {
		t.Fatal(err)
	}
	for kind, err := range map[string]error{"Write": c.Write(payload), "WritePrepared": c.WritePrepared(prepared)} {
		got := make([]byte, len(frame))
		if _, read := io.ReadFull(client, got); err != nil || read != nil || !bytes.Equal(got, frame) {
			t.Fatalf("%s of %d bytes: %v, %v; equal to the compressed frame: %t", kind, len(payload), err, read, bytes.Equal(got, frame))
		}
	}
	if owed := c.Owed(); owed != 0 {
		t.Errorf("owes %d bytes", owed)
	}
}

// TestSmallestPendingCap has a client that takes nothing sent the largest message there is, which does not compress: the
// smallest cap that is not refused holds it.
func TestSmallestPendingCap(t *testing.T) {
	enginetest.SkipUnderRace(t)
	for i := range 4 {
		compress, secure := i&1 > 0, i&2 > 0
		spec, d := "nbio:pendingcap=1", resolveWith(t, "nbio", compress, secure).Defaults
		parsed, _ := engines.Parse(spec)
		_, err := parsed.Resolve(d)
		if err == nil {
			t.Fatalf("%s is accepted", spec)
		}
		smallest := err.Error()[strings.LastIndex(err.Error(), "pendingcap"):]
		o := resolveWith(t, "nbio:"+smallest, compress, secure)
		enginetest.Suite{Options: o, New: engines.New}.HoldsOneMessage(t)
	}
}

func TestAsyncNeedsForeseenSizes(t *testing.T) {
	parsed, err := engines.Parse("nbio:async:iomod=blocking")
	if err != nil {
		t.Fatal(err)
	}
	d := defaults()
	d.Compress = true
	if _, err := parsed.Resolve(d); err == nil || !strings.Contains(err.Error(), "async") || !strings.Contains(err.Error(), "-compress") {
		t.Errorf("async with compression: %v", err)
	}
}

func TestBadCertificate(t *testing.T) {
	for _, name := range engines.Names() {
		o := resolve(t, name)
		o.CertPEM, o.KeyPEM = []byte("no certificate"), []byte("no key")
		if _, err := engines.New(o, engines.Hooks{}); err == nil {
			t.Errorf("%s accepts what is no certificate", name)
		}
	}
}

// TestCiphers holds what the note about TLS says: both speak TLS 1.3, and nbio encrypts with another cipher.
func TestCiphers(t *testing.T) {
	enginetest.SkipUnderRace(t)
	for _, spec := range []string{"gorilla", "nbio", "nbio:iomod=blocking"} {
		_, addr, err := serve(t, resolveWith(t, spec, false, true), engines.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		state := conn.ConnectionState()
		_ = conn.Close()
		if state.Version != tls.VersionTLS13 || spec != "gorilla" && state.CipherSuite != tls.TLS_CHACHA20_POLY1305_SHA256 {
			t.Errorf("%s: %s, %s", spec, tls.VersionName(state.Version), tls.CipherSuiteName(state.CipherSuite))
		}
	}
}

// TestNbioHandshakesUnderTLS shakes hands at once with more processors than there are: a goroutine that loses its processor
// between two lines of the library's TLS is what makes shared buffers visible.
func TestNbioHandshakesUnderTLS(t *testing.T) {
	enginetest.SkipUnderRace(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64))
	const clients, together = 600, 60
	o := resolveWith(t, "nbio", false, true)
	o.MaxClients = clients
	_, addr, err := serve(t, o, engines.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	dialer := ws.Dialer{Timeout: 10 * time.Second, TLSConfig: &tls.Config{InsecureSkipVerify: true}}
	var work sync.WaitGroup
	for first := range together {
		work.Go(func() {
			for i := first; i < clients; i += together {
				conn, _, _, err := dialer.Dial(context.Background(), fmt.Sprintf("wss://%s/ws?i=%d", addr, i))
				if err != nil {
					t.Errorf("client %d: %v", i, err)
					continue
				}
				_ = conn.Close()
			}
		})
	}
	work.Wait()
}
