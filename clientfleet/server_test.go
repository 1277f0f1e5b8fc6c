package clientfleet

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/httphead"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// server accepts WebSocket clients; what happens with them afterwards is each test's own.
type server struct {
	net.Listener
	refuse func(number int) error  // nil: nobody
	greet  func() []byte           // glued to the handshake reply; nil: nothing
	agree  *wsflate.Parameters     // to permessage-deflate, whatever was offered; nil: not
	secure *tls.Config             // nil: no TLS
	pipe   func(net.Conn) net.Conn // below TLS; nil: nothing
	attend func(*peer)             // each client, on its own goroutine; nil: the test does

	mu      sync.Mutex
	peers   map[int]*peer
	changed *sync.Cond
	running sync.WaitGroup
}

// peer is the server's side of one client.
type peer struct {
	net.Conn
	number int
}

// newServer starts a server; set changes it before its first client.
func newServer(t testing.TB, set ...func(*server)) *server {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{Listener: ln, peers: map[int]*peer{}}
	s.changed = sync.NewCond(&s.mu)
	for _, f := range set {
		f(s)
	}
	s.running.Go(s.accept)
	t.Cleanup(s.stop)
	return s
}

func (s *server) accept() {
	for {
		c, err := s.Accept()
		if err != nil {
			return
		}
		if s.pipe != nil {
			c = s.pipe(c)
		}
		if s.secure != nil {
			c = tls.Server(c, s.secure)
		}
		s.running.Go(func() { s.upgrade(c) })
	}
}

func (s *server) upgrade(c net.Conn) {
	p := &peer{Conn: c, number: -1}
	u := ws.Upgrader{OnRequest: func(uri []byte) error {
		asked, err := url.Parse(string(uri))
		if err == nil {
			p.number, err = strconv.Atoi(asked.Query().Get("i"))
		}
		if err == nil && s.refuse != nil {
			err = s.refuse(p.number)
		}
		return err
	}}
	if s.agree != nil {
		u.Negotiate = func(httphead.Option) (httphead.Option, error) { return s.agree.Option(), nil }
	}
	var reply bytes.Buffer
	_, err := u.Upgrade(struct {
		io.Reader
		io.Writer
	}{c, &reply})
	if err == nil && s.greet != nil {
		reply.Write(s.greet())
	}
	c.Write(reply.Bytes())
	if err != nil {
		c.Close()
		return
	}
	s.mu.Lock()
	s.peers[p.number] = p
	s.changed.Broadcast()
	s.mu.Unlock()
	if s.attend != nil {
		s.attend(p)
	}
}

// peer waits for a client.
func (s *server) peer(number int) *peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.peers[number] == nil {
		s.changed.Wait()
	}
	return s.peers[number]
}

func (s *server) stop() {
	s.Close()
	s.mu.Lock()
	for _, p := range s.peers {
		p.Close()
	}
	s.mu.Unlock()
	s.running.Wait()
}

// send writes raw bytes in one write.
func (p *peer) send(t testing.TB, parts ...[]byte) {
	t.Helper()
	var all []byte
	for _, part := range parts {
		all = append(all, part...)
	}
	if _, err := p.Write(all); err != nil {
		t.Errorf("client %d: %v", p.number, err)
	}
}

// expect reads one frame of the client and returns its unmasked payload.
func (p *peer) expect(t testing.TB, op ws.OpCode) []byte {
	t.Helper()
	p.SetReadDeadline(time.Now().Add(5 * time.Second))
	h, err := ws.ReadHeader(p)
	if err != nil {
		t.Fatalf("client %d: %v", p.number, err)
	}
	if h.OpCode != op || !h.Masked || h.Length > 125 {
		t.Fatalf("client %d sent %+v; want opcode %d, masked", p.number, h, op)
	}
	payload := make([]byte, h.Length)
	if _, err := io.ReadFull(p, payload); err != nil {
		t.Fatalf("client %d: %v", p.number, err)
	}
	ws.Cipher(payload, h.Mask, 0)
	return payload
}

// testSize is the payload of counted messages in tests.
const testSize = 100

func payload(n uint32, kind stamp.Kind) []byte {
	now := clock.Now()
	return stamp.New(stamp.Stamp{Start: now, Round: n, Due: now - 1_000_000, Kind: kind}, stamp.Filling(testSize, 1))
}

// message is a whole counted message, as bytes on the wire.
func message(n uint32, kind stamp.Kind) []byte {
	return ws.MustCompileFrame(ws.NewBinaryFrame(payload(n, kind)))
}

// connectN connects healthy clients 0..n-1 with one reader.
func connectN(t testing.TB, s *server, n int, change ...func(*Plan)) *Fleet {
	t.Helper()
	p := Plan{
		Addr: s.Addr().String(), Numbers: []Range{{0, n}}, Size: testSize, Rounds: 100, Readers: 1, Timeout: 10 * time.Second,
	}
	for _, f := range change {
		f(&p)
	}
	f, got, err := Connect(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if got.Connected != got.Asked {
		t.Fatalf("%+v", got)
	}
	return f
}

// await polls until ok holds.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

// goneWhy returns why a client is gone, "" if it is not.
func goneWhy(f *Fleet, number int) string {
	var why []string
	for _, g := range f.Collect(0, 100, stamp.Strategy).Gone {
		if g.Number == number {
			why = append(why, g.Why)
		}
	}
	return strings.Join(why, ", ")
}
