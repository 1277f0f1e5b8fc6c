package engines

import (
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"testing"
)

// guest is a member of a roster without a connection.
type guest struct {
	Member
	number int
}

func (g *guest) Number() int { return g.number }

func ask(r *Roster, number int) int {
	if _, refused := r.reserve(&url.URL{Path: "/ws", RawQuery: "i=" + strconv.Itoa(number)}); refused != nil {
		return refused.status
	}
	return http.StatusOK
}

func TestRosterKnowsItsNumbers(t *testing.T) {
	var opened, closed int
	r := NewRoster(Options{Defaults: Defaults{MaxClients: 4}}, Hooks{
		OnOpen:  func(Conn) { opened++ },
		OnClose: func(Conn, error) { closed++ },
	})
	for _, step := range []struct{ number, status int }{{3, 200}, {3, 409}, {0, 200}, {4, 400}, {-1, 400}} {
		if got := ask(r, step.number); got != step.status {
			t.Errorf("%d: %d, want %d", step.number, got, step.status)
		}
	}
	if len(r.Conns()) != 0 {
		t.Error("one whose handshake is under way is a member")
	}
	three, zero := &guest{number: 3}, &guest{number: 0}
	if !r.Open(three) || !r.Open(zero) || r.Open(&guest{number: 4}) || r.Open(&guest{number: -1}) {
		t.Error("want the numbers in range to be seated, and no other")
	}
	if c := r.Conns(); len(c) != 2 || c[0] != zero || c[1] != three {
		t.Errorf("%v", c)
	}
	r.Closed(&guest{number: 3}, ErrPeerClosed) // not the one that sits there
	r.Closed(&guest{number: 4}, ErrPeerClosed)
	r.Release(4)
	if ask(r, 3) != http.StatusConflict || closed != 0 {
		t.Error("another one's end has freed the number")
	}
	r.Closed(three, ErrPeerClosed)
	r.Closed(three, ErrPeerClosed)
	if ask(r, 3) != http.StatusOK || opened != 2 || closed != 1 {
		t.Errorf("%d opened, %d closed", opened, closed)
	}
	r.Release(3)
	if ask(r, 3) != http.StatusOK {
		t.Error("a released number is taken")
	}
	if left := r.stop(); len(left) != 1 || r.Open(three) || ask(r, 2) != http.StatusServiceUnavailable || ask(NewRoster(Options{}, Hooks{}), 0) != 400 {
		t.Errorf("%v", left)
	}
}

// What a connection costs must not contain this bookkeeping.
func TestRosterDoesNotGrow(t *testing.T) {
	guests := make([]guest, 1000)
	r := NewRoster(Options{Defaults: Defaults{MaxClients: len(guests)}}, Hooks{})
	n := testing.AllocsPerRun(1, func() {
		for i := range guests {
			guests[i].number = i
			if !r.Open(&guests[i]) {
				t.Error("not seated")
			}
		}
		for i := range guests {
			r.Closed(&guests[i], nil)
		}
	})
	if n != 0 {
		t.Errorf("%g allocations for %d clients", n, len(guests))
	}
}

func TestRosterIsSafe(t *testing.T) {
	r := NewRoster(Options{Defaults: Defaults{MaxClients: 8}}, Hooks{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			g := &guest{number: i}
			for range 100 {
				if ask(r, i) != http.StatusOK || !r.Open(g) {
					t.Error("its number is taken")
				}
				r.Conns()
				r.Closed(g, nil)
			}
			r.Open(g)
		})
	}
	all.Wait()
	if len(r.Conns()) != 8 {
		t.Errorf("%d members, want 8", len(r.Conns()))
	}
}
