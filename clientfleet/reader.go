package clientfleet

import (
	"runtime"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sys/unix"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// maxEvents is the most that one wake-up serves.
const maxEvents = 256

// maxReads bounds one run, so that a client in a flood does not hold up the others: 1 MiB.
const maxReads = 16

// reader is one epoll thread and the clients it reads. Everything here belongs to that thread; others go through the inbox.
type reader struct {
	*receiver
	clients []client
	grid    grid
	size    int // payload bytes of a counted message
	content content
	nap     time.Duration
	full    bool // this wake-up filled its batch or the buffer: there is more

	wall      wallClock
	oldSteps  int64 // of the wall clock before the last Mark
	tally     tally
	lag       *hdrhistogram.Histogram
	malformed int64
	gone      []Gone

	unpacker *unpacker // nil: nothing is compressed
	plain    []byte    // what a TLS record says; nil: no TLS
	sealed   []byte    // TLS records on their way
	talk     talk
	echo     *echoLoad // the last one; nil: never

	out   [131]byte // a control frame on its way: 2 + 4 + 125
	masks uint32    // masks must differ, nobody has to be unable to guess them here

	extras     []client // the last of the clients
	misbehaved int64    // when Misbehave was called; 0: not yet
	beaten     int64    // the last beat of the extras

	asks     *client // for the server's clock; nil: none of this reader's
	question question

	epoll  int
	polled [1]unix.PollFd // epoll itself
	asleep unix.Timespec
	inbox  *inbox
	stop   bool
	exited chan struct{}
}

// tally is what a reader counted since the last Mark, beside the histogram of the lag.
type tally struct {
	wakeups, messages, shared, unstamped int64
	kinds                                [stamp.Filler]Traffic // by stamp.Kind
	inflated                             int64
	sent, skipped                        int64 // inbound
}

// newReader starts a reader for the clients of a plan that are in these seats. filling is that of Plan.Content, shared by
// all readers, as is clock.
func newReader(seats []seat, p Plan, filling []byte, talk talk, clock *otherClock) (*reader, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	in, err := newInbox()
	if err != nil {
		unix.Close(epoll)
		return nil, err
	}
	r := &reader{
		receiver: newReceiver(), clients: make([]client, len(seats)), grid: newGrid(len(seats), p.Rounds), size: p.Size, nap: p.Nap,
		lag: newHistogram(), epoll: epoll, inbox: in, exited: make(chan struct{}), content: content{filling: filling}, talk: talk,
	}
	r.grid.clock = clock
	if p.Compress {
		r.unpacker = newUnpacker(p.Size)
	}
	if p.TLS != nil {
		r.plain = make([]byte, 16<<10) // no record holds more
	}
	for i, s := range seats {
		r.clients[i] = client{fd: -1, number: int32(s.number), column: int32(i), last: -1}
		r.clients[i].deflate = p.Compress
		r.clients[i].pieces = i == 0 && filling != nil
		if s.extra != nil {
			r.clients[i].extra = newBehaviour(*s.extra)
			if s.extra.Kind == AsksClock {
				r.asks = &r.clients[i]
			}
		}
	}
	if i := slices.IndexFunc(seats, func(s seat) bool { return s.extra != nil }); i >= 0 {
		r.extras = r.clients[i:]
	}
	if err := r.watch(in.fd, -1); err != nil {
		unix.Close(epoll)
		in.close()
		return nil, err
	}
	go r.loop()
	return r, nil
}

// watch adds a descriptor; its events carry the client's place in the list.
func (r *reader) watch(fd int, place int32) error {
	return unix.EpollCtl(r.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: place})
}

// do runs f on the reader's thread and waits for it; after the reader's end f runs here, with nobody beside it.
func (r *reader) do(f func()) {
	done := make(chan struct{})
	if !r.inbox.post(func() { f(); close(done) }) {
		<-r.exited
		f()
		return
	}
	<-done
}

// loop reads until told to stop. Its thread is its own and ends with it.
func (r *reader) loop() {
	runtime.LockOSThread()
	defer close(r.exited)
	events := make([]unix.EpollEvent, maxEvents)
	r.wall.refresh()
	for !r.stop {
		n, err := r.wait(events)
		if err != nil && err != unix.EINTR {
			panic("clientfleet: epoll_wait: " + err.Error()) // only possible if someone closed our descriptor
		}
		if n > 0 && r.wake(events[:n]) {
			r.doze()
		}
	}
	for _, f := range r.inbox.close() {
		f()
	}
	unix.Close(r.epoll)
}

// wake serves one batch of events. Work from the inbox comes last: it may close clients that have events in this batch.
// A nap is good afterwards if messages came and neither the batch nor a buffer was full: then nothing can pile up that
// would slow the server down.
func (r *reader) wake(events []unix.EpollEvent) (nap bool) {
	called, clients := false, false
	r.full = len(events) == maxEvents
	r.wall.refresh()
	for i := range events {
		if events[i].Fd < 0 {
			called = true
			continue
		}
		clients = true
		r.serve(&r.clients[events[i].Fd], events[i].Events)
	}
	if clients {
		r.tally.wakeups++
	}
	if called {
		for _, f := range r.inbox.take() {
			f()
		}
	}
	return clients && !r.full
}

// serve sends what was left to send if there is room, and reads.
func (r *reader) serve(c *client, events uint32) {
	if events&unix.EPOLLOUT != 0 && c.unsent != nil {
		if err := r.flush(c); err != nil {
			r.drop(c, err)
			return
		}
	}
	r.drain(c)
}

// drain reads a client until its socket is empty.
func (r *reader) drain(c *client) {
	var run run
	defer func() { r.tally.shared += run.shared() }()
	for range maxReads {
		if r.step(c, &run) < len(r.buf) {
			return
		}
		r.full = true
	}
	run.atEnd = false // there may be more: nobody knows whether the last stamp is exact
}

// step is one read of a client's run and returns its bytes: less than asked for means that the socket is empty.
func (r *reader) step(c *client, run *run) int {
	n, wall, errno := r.read(int(c.fd))
	switch {
	case errno == unix.EAGAIN:
		return 0
	case errno != 0:
		r.drop(c, errno)
		return 0
	case n == 0:
		r.drop(c, errEOF)
		return 0
	}
	m := moment{picked: clock.Now()}
	if wall != 0 {
		m.arrival = wall - r.wall.offset
	}
	var err error
	if c.secure == nil {
		err = r.feed(c, r.buf[:n], m, run)
	} else {
		err = r.unseal(c, r.buf[:n], m, run)
	}
	if err != nil {
		r.drop(c, err)
		return 0
	}
	return n
}

// adopt takes over a connected socket, and first what came with the handshake reply.
func (r *reader) adopt(place int, l link) {
	c := &r.clients[place]
	c.fd, c.secure = int32(l.fd), l.secure
	var run run // no kernel stamp, so none that could be shared
	m := moment{picked: l.picked}
	err := r.watch(l.fd, int32(place))
	if err == nil {
		err = r.feed(c, l.glued, m, &run)
	}
	if err == nil && c.secure != nil {
		err = r.unseal(c, nil, m, &run) // crypto/tls may hold more
	}
	if err != nil {
		r.drop(c, err)
	}
}

// shut ends every connection with a reset, so that none stays behind in TIME_WAIT, and then the loop.
func (r *reader) shut() {
	for i := range r.clients {
		if c := &r.clients[i]; c.fd >= 0 {
			unix.SetsockoptLinger(int(c.fd), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
			unix.Close(int(c.fd))
			c.fd = -1
		}
	}
	r.stop = true
}
