package clientfleet

import (
	"net"
	"testing"
	"time"
)

// A server in another container is known by its name there.
func TestConnectByName(t *testing.T) {
	s := newServer(t)
	_, port, err := net.SplitHostPort(s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	f, got, err := Connect(t.Context(), Plan{Addr: "localhost:" + port, Numbers: []Range{{0, 3}}, Size: testSize, Rounds: 1, Timeout: 10 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got.Connected != 3 {
		t.Errorf("%+v", got)
	}
}

// Only a loopback server is reached from 127.0.0.x: from there no packet gets anywhere else.
func TestSourcesAreForLoopbackOnly(t *testing.T) {
	for addr, want := range map[string]int{"127.0.0.1:80": maxSources, "127.3.2.1:80": maxSources, "10.77.0.1:80": 1, "[::1]:80": 1} {
		d, err := newDialing(&Fleet{seats: make([]seat, 200_000)}, Plan{Addr: addr})
		if err != nil {
			t.Fatal(err)
		}
		if d.limit != want || want == 1 && d.sources.Load() != 1 {
			t.Errorf("%s: %d of %d sources", addr, d.sources.Load(), d.limit)
		}
	}
}
