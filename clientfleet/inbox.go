package clientfleet

import (
	"sync"

	"golang.org/x/sys/unix"
)

// inbox hands work to a reader's thread, which owns all of its state: no lock is needed where messages are counted. An
// eventfd wakes the reader; it looks here only then.
type inbox struct {
	mu     sync.Mutex
	fd     int // eventfd
	work   []func()
	closed bool
}

func newInbox() (*inbox, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return &inbox{fd: fd}, nil
}

// post leaves f for the reader; false if the reader takes no more.
func (in *inbox) post(f func()) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return false
	}
	in.work = append(in.work, f)
	if len(in.work) == 1 {
		one := [8]byte{1} // the counter cannot overflow, so the write cannot fail
		unix.Write(in.fd, one[:])
	}
	return true
}

// take empties the inbox and the eventfd.
func (in *inbox) take() []func() {
	in.mu.Lock()
	defer in.mu.Unlock()
	var count [8]byte
	unix.Read(in.fd, count[:])
	work := in.work
	in.work = nil
	return work
}

// close refuses further work and returns what was left.
func (in *inbox) close() []func() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
	unix.Close(in.fd)
	return in.work
}
