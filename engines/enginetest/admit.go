package enginetest

import (
	"errors"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/engines"
)

func (s *Suite) admit(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) { o.MaxClients = 8 })
	srv.dial(3)
	srv.conn(3)
	for path, want := range map[string]int{
		"/": 404, "/other?i=1": 404, "/ws/?i=1": 404,
		"/ws": 400, "/ws?i=": 400, "/ws?i=x": 400, "/ws?i=-1": 400, "/ws?i=8": 400, "/ws?i=99999999999999999999": 400,
		"/ws?i=3": 409,
	} {
		var status ws.StatusError
		if _, err := srv.tryDial(path, 0); !errors.As(err, &status) || int(status) != want {
			t.Errorf("%s: %v, want status %d", path, err, want)
		}
	}
	srv.dial(7)
	srv.dial(0)
	srv.conn(7)
	srv.conn(0)
	var numbers []int
	for _, c := range srv.engine.Conns() {
		numbers = append(numbers, c.Number())
	}
	if len(numbers) != 3 || numbers[0] != 0 || numbers[1] != 3 || numbers[2] != 7 {
		t.Errorf("Conns() has the numbers %v, want 0, 3, 7", numbers)
	}
	srv.conn(3).Evict(errors.New("make room"))
	again := func() bool { _, err := srv.tryDial("/ws?i=3", 0); return err == nil }
	for deadline := time.Now().Add(2 * time.Second); !again(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the number of an evicted client is still taken after 2 s")
		}
	}
}
