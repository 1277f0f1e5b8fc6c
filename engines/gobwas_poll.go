package engines

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// netpoll is one epoll loop and a bounded pool. A connection is armed for one event at a time (EPOLLONESHOT), so that it
// is never with two workers. The loop waits while the pool is full, as the pattern does: then nobody is heard.
type netpoll struct {
	epoll, wake int // descriptors

	work chan *gobwasConn // without a queue

	mu    sync.Mutex
	conns map[int32]*gobwasConn
	last  int32

	loop, workers sync.WaitGroup
}

// wakeID is the event that ends the loop. Connections have the other numbers, not their descriptors: an event may be in
// the loop's hands when its connection is gone and the descriptor is another client's.
const wakeID int32 = 0

func newNetpoll() (*netpoll, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		_ = unix.Close(epoll)
		return nil, os.NewSyscallError("eventfd", err)
	}
	p := &netpoll{epoll: epoll, wake: wake, conns: make(map[int32]*gobwasConn), work: make(chan *gobwasConn)}
	if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, wake, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: wakeID}); err != nil {
		p.close()
		return nil, os.NewSyscallError("epoll_ctl", err)
	}
	return p, nil
}

func (p *netpoll) close() { _, _ = unix.Close(p.wake), unix.Close(p.epoll) }

// start starts the loop and all workers, so that the number of goroutines says nothing about what was read.
func (p *netpoll) start(workers int) {
	p.loop.Go(p.run)
	for range workers {
		p.workers.Go(func() {
			for c := range p.work {
				c.ready()
			}
		})
	}
}

func (p *netpoll) run() {
	defer close(p.work)
	events := make([]unix.EpollEvent, 128)
	for {
		n, err := unix.EpollWait(p.epoll, events, -1)
		if err != nil && err != unix.EINTR {
			panic("engines: epoll_wait: " + err.Error()) // only possible if someone closed our descriptor
		}
		for _, event := range events[:max(n, 0)] {
			if event.Fd == wakeID {
				return
			}
			if c := p.find(event.Fd); c != nil {
				p.work <- c
			}
		}
	}
}

func (p *netpoll) find(id int32) *gobwasConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns[id]
}

// arm asks for one event of a connection that rests, the first time with EPOLL_CTL_ADD, then with EPOLL_CTL_MOD. One that
// is closed already raises none.
func (p *netpoll) arm(c *gobwasConn, op int) error {
	var failed error
	_ = c.raw.Control(func(fd uintptr) {
		event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLONESHOT, Fd: c.id}
		failed = unix.EpollCtl(p.epoll, op, int(fd), &event)
	})
	return os.NewSyscallError("epoll_ctl", failed)
}

// add gives a connection its number.
func (p *netpoll) add(c *gobwasConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.last++; p.last == wakeID || p.conns[p.last] != nil; p.last++ { // after four thousand million connections
		continue
	}
	c.id = p.last
	p.conns[c.id] = c
}

func (p *netpoll) forget(c *gobwasConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c.id)
}

// stop ends the loop and the pool when no connection is left, and closes the descriptors.
func (p *netpoll) stop() {
	_, _ = unix.Write(p.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	p.loop.Wait()
	p.workers.Wait()
	p.close()
}
