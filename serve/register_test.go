package serve

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"wsfanout/engines"
)

func TestRegister(t *testing.T) {
	r := newRegister([]Extra{{Number: 1, Forever: true}, {Number: 3}}, 4)
	for _, n := range []int{0, 1, 2, 2, 3, 9, -1} { // 9 and -1 are no numbers of the plan: an engine's own doing
		r.opened(n)
	}
	if n, err := r.unheard(); n != 2 || err != nil || r.members() != 6 {
		t.Errorf("%d unheard, %v, %d members", n, err, r.members())
	}
	r.hear(1, nil)
	if live, leaving := r.stuckExtras(); live != 1 || leaving != 1 {
		t.Errorf("%d live, %d leaving", live, leaving)
	}
	r.closed(0, fmt.Errorf("%w: nothing read for 3s", engines.ErrReadTimeout))
	r.closed(1, errBounded)
	r.closed(9, errors.New("of its own"))
	r.closed(-1, nil)
	healthy, extras := r.lost()
	for number, want := range map[int]string{0: engines.ErrReadTimeout.Error(), 9: "of its own", -1: "unknown"} {
		if l := healthy[number]; l.why != want || l.at <= 0 {
			t.Errorf("%d: %+v, want %q", number, l, want)
		}
	}
	if len(healthy) != 3 || len(extras) != 1 || extras[1].why != errBounded.Error() || r.members() != 2 {
		t.Errorf("%+v, %+v, %d members", healthy, extras, r.members())
	}
	if live, leaving := r.stuckExtras(); live != 0 || leaving != 1 {
		t.Errorf("%d live, %d leaving", live, leaving)
	}
	r.opened(0)
	r.opened(9)
	if healthy, _ := r.lost(); len(healthy) != 1 || r.members() != 4 {
		t.Errorf("came back: %+v, %d members", healthy, r.members())
	}
	r.hear(3, errors.New("no room"))
	if _, err := r.unheard(); err == nil {
		t.Error("an extra's trouble is not told")
	}
}

// What a connection costs must not contain this bookkeeping.
func TestRegisterDoesNotGrow(t *testing.T) {
	const numbers = 1000
	r := newRegister(nil, numbers)
	cause := fmt.Errorf("%w: reset", engines.ErrPeerClosed)
	n := testing.AllocsPerRun(1, func() {
		for i := range numbers {
			r.opened(i)
		}
		for i := range numbers {
			r.closed(i, cause)
		}
	})
	if n != 0 {
		t.Errorf("%g allocations for %d clients", n, numbers)
	}
	if healthy, _ := r.lost(); len(healthy) != numbers || r.members() != 0 {
		t.Errorf("%d lost, %d members", len(healthy), r.members())
	}
}

func TestRegisterIsSafe(t *testing.T) {
	r := newRegister([]Extra{{Number: 5}}, 8)
	var all sync.WaitGroup
	for i := range 16 { // half of them strays
		all.Go(func() {
			for range 100 {
				r.opened(i)
				r.lost()
				r.stuckExtras()
				r.closed(i, errBounded)
			}
			r.opened(i)
		})
	}
	all.Wait()
	if r.members() != 16 {
		t.Errorf("%d members, want 16", r.members())
	}
}
