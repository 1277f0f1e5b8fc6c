package clientfleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

// certificate makes one that signs itself, for an address.
func certificate(t testing.TB, ip net.IP) (tls.Certificate, *TLS) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "clientfleet test"}, IPAddresses: []net.IP{ip},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, &TLS{CAPEM: string(ca)}
}

// secured is a server and a change of a plan that fit together.
func secured(t testing.TB, version uint16) (func(*server), func(*Plan)) {
	cert, ca := certificate(t, net.IPv4(127, 0, 0, 1))
	config := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: version, MaxVersion: version}
	return func(s *server) { s.secure = config }, func(p *Plan) { p.TLS = ca }
}

var versions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

func TestRoundsOverTLS(t *testing.T) {
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			onServer, inPlan := secured(t, version)
			first := message(0, stamp.Strategy)
			s := newServer(t, onServer, func(s *server) { s.greet = func() []byte { return first } })
			const clients, rounds = 5, 30
			f := connectN(t, s, clients, inPlan)
			for n := uint32(1); n < rounds; n++ {
				same := message(n, stamp.Bare)
				for i := range clients {
					s.peer(i).send(t, same)
				}
			}
			p := s.peer(3)
			p.send(t, frame(true, ws.OpPing, []byte("over TLS")))
			if got := p.expect(t, ws.OpPong); string(got) != "over TLS" {
				t.Errorf("pong %q", got)
			}
			await(t, "all", func() bool { return f.Received(0, rounds) == clients*rounds })
			c := f.Collect(0, rounds, stamp.Bare)
			if c.Malformed != 0 || len(c.Gone) != 0 || len(c.Rounds) != rounds-1 {
				t.Errorf("%+v", c)
			}
			s.peer(2).Close()
			await(t, "an end", func() bool { return goneWhy(f, 2) == "EOF" })
		})
	}
}

// One record is one stamp: what is behind it makes it shared, what comes later does not.
func TestStampsOverTLS(t *testing.T) {
	onServer, inPlan := secured(t, tls.VersionTLS13)
	s := newServer(t, onServer)
	f := connectN(t, s, 1, inPlan)
	p := s.peer(0)
	for n := range uint32(10) {
		p.send(t, message(n, stamp.Strategy))
		if c := awaitMessages(t, f, int64(n+1)); c.Unstamped != 0 || c.SharedStamps != 0 {
			t.Fatalf("%d unstamped, %d shared", c.Unstamped, c.SharedStamps)
		}
	}
	p.send(t, message(10, stamp.Strategy), message(11, stamp.Strategy))
	if c := awaitMessages(t, f, 12); c.SharedStamps != 1 {
		t.Errorf("two messages in one record: %d shared, want 1", c.SharedStamps)
	}
}

// dribble sends every byte on its own.
type dribble struct{ net.Conn }

func (d dribble) Write(b []byte) (int, error) {
	for i := range b {
		if _, err := d.Conn.Write(b[i : i+1]); err != nil {
			return i, err
		}
		if i%31 == 0 {
			time.Sleep(20 * time.Microsecond) // so that reads end anywhere
		}
	}
	return len(b), nil
}

func TestPartialRecords(t *testing.T) {
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			onServer, inPlan := secured(t, version)
			s := newServer(t, onServer, deflating, func(s *server) { s.pipe = func(c net.Conn) net.Conn { return dribble{c} } })
			f := connectN(t, s, 2, inPlan, compressing(2000))
			const rounds = 3
			for n := range uint32(rounds) {
				b := ws.MustCompileFrame(squeezed(t, text(2000, n)))
				for i := range 2 {
					s.peer(i).send(t, b[:300], b[300:])
				}
			}
			c := awaitMessages(t, f, 2*rounds)
			if got := f.Collect(0, rounds, stamp.Strategy); got.Malformed != 0 || got.Checked != 2*rounds || len(got.Gone) != 0 {
				t.Errorf("%+v", got)
			}
			if c.Unstamped != 0 {
				t.Errorf("%d unstamped", c.Unstamped)
			}
		})
	}
}

// Messages larger than a record, than a buffer, and than what a socket holds.
func TestLargeMessagesOverTLS(t *testing.T) {
	const size = 3_000_000
	onServer, inPlan := secured(t, tls.VersionTLS13)
	s := newServer(t, onServer)
	f := connectN(t, s, 2, inPlan, func(p *Plan) { p.Size, p.Content = size, &Content{Seed: 1} })
	for n := range uint32(2) {
		b := stamp.New(stamp.Get(payload(n, stamp.Strategy)), stamp.Filling(size, 1))
		for i := range 2 {
			s.peer(i).send(t, frame(true, ws.OpBinary, b))
		}
	}
	if c := awaitMessages(t, f, 4); c.Unstamped != 0 {
		t.Errorf("%d unstamped", c.Unstamped)
	}
	if c := f.Collect(0, 2, stamp.Strategy); c.Malformed != 0 || c.Checked == 0 {
		t.Errorf("%d malformed, %d checked", c.Malformed, c.Checked)
	}
}

func TestTLSNotTrusted(t *testing.T) {
	_, strangers := certificate(t, net.IPv4(127, 0, 0, 1))
	elsewhere, ofElsewhere := certificate(t, net.IPv4(127, 0, 0, 9))
	onServer, _ := secured(t, tls.VersionTLS13)
	for name, c := range map[string]struct {
		set  func(*server)
		ca   *TLS
		want string
	}{
		"signed by somebody else": {onServer, strangers, "certificate"},
		"for another address": {
			func(s *server) { s.secure = &tls.Config{Certificates: []tls.Certificate{elsewhere}} }, ofElsewhere, "127.0.0.9",
		},
		"no TLS at all": {func(*server) {}, strangers, "EOF in the handshake"},
	} {
		s := newServer(t, c.set)
		f, got, err := Connect(t.Context(), Plan{Addr: s.Addr().String(), Numbers: []Range{{0, 1}}, Size: testSize, TLS: c.ca}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if why := goneWhy(f, 0); got.Connected != 0 || !strings.Contains(why, c.want) {
			t.Errorf("%s: %+v %s", name, got, why)
		}
		f.Close()
	}
	p := Plan{Addr: "127.0.0.1:1", Size: testSize, TLS: &TLS{CAPEM: "none"}}
	if _, _, err := Connect(t.Context(), p, nil); !errors.Is(err, ErrPlan) {
		t.Error(err)
	}
}

func TestRecordBoundaries(t *testing.T) {
	record := func(n int) []byte { return append([]byte{23, 3, 3, byte(n >> 8), byte(n)}, make([]byte, n)...) }
	stream := append(append(record(3), record(0)...), record(300)...)
	ends := map[int]bool{8: true, 13: true, 318: true}
	var byByte records
	for i := range stream {
		var inOne records
		if got := inOne.follow(stream[:i+1]); got != ends[i+1] {
			t.Errorf("%d bytes: %v", i+1, got)
		}
		if got := byByte.follow(stream[i : i+1]); got != ends[i+1] {
			t.Errorf("byte %d: %v", i, got)
		}
	}
}
