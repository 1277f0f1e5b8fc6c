package enginetest

import (
	"testing"
	"time"

	"wsfanout/engines"
	"wsfanout/internal/sock"
)

// owed checks the account of one stuck client against the kernel's, and that it is paid when the client reads again.
func (s *Suite) owed(t *testing.T) {
	srv := s.start(t, func(o *engines.Options) { o.WriteTimeout = 0 })
	reader, c := srv.dialStuck(1)
	before := taken(t, c)
	for range 2 { // a blocking engine settles its account at the second look after Control
		if owed := c.Owed(); owed != 0 {
			t.Errorf("an idle connection owes %d bytes", owed)
		}
	}
	const messages, wire = 40, 4 + 4096
	message := bulk(4096)
	wrote := make(chan error, 1)
	go func() {
		for range messages {
			if err := c.Write(message); err != nil {
				wrote <- err
				return
			}
		}
		wrote <- nil
	}()
	time.Sleep(300 * time.Millisecond) // the writes block, or are all handed over
	blocked := len(wrote) == 0         // in the middle of one message
	handed := int64(messages * wire)
	if blocked {
		handed = (taken(t, c) - before + wire - 1) / wire * wire
	}
	owed, then := c.Owed(), taken(t, c)
	if want := handed - (then - before); (owed != want && !s.unforeseen()) || owed <= 0 || blocked && owed > 2*wire {
		t.Errorf("a stuck client owes %d bytes, by the kernel's account %d", owed, want)
	}
	reader.drain()
	if err := <-wrote; err != nil {
		t.Errorf("Write to a client that was stuck and reads again: %v", err)
	}
	for deadline := time.Now().Add(frameLimit); c.Owed() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still owes %d bytes although the client reads", c.Owed())
		}
	}
	if paid := taken(t, c) - then; !blocked && paid != owed {
		t.Errorf("owed %d bytes and the kernel has taken %d since", owed, paid)
	}
}

// taken is how many bytes the kernel has taken of a connection.
func taken(t *testing.T, c engines.Conn) (n int64) {
	t.Helper()
	var failed error
	if err := c.Control(func(fd uintptr) { n, failed = sock.Taken(int(fd)) }); err != nil || failed != nil {
		t.Fatalf("asking the kernel: %v, %v", err, failed)
	}
	return n
}
