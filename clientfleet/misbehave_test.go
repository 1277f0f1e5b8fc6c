package clientfleet

import (
	"net"
	"testing"
	"time"

	"wsfanout/internal/sock"
	"wsfanout/internal/stamp"
)

// TestSlowResumedAndVanished connects one of each kind beside a healthy client and sends them all the same.
func TestSlowResumedAndVanished(t *testing.T) {
	s := newServer(t)
	const rate = 2048 // 20 messages a second
	const resume = 500 * time.Millisecond
	f := connectN(t, s, 1, func(p *Plan) {
		p.Extras = []Extra{
			{Number: 1, Kind: Slow, Rate: rate, RecvBuffer: 2048},
			{Number: 2, Kind: Stuck, Resume: resume, RecvBuffer: 2048},
			{Number: 3, Kind: Vanished},
		}
	})
	if err := f.Misbehave(); err != nil {
		t.Skip(err) // an unprivileged user may be refused the socket filter
	}
	began := time.Now()
	const rounds = 90
	for n := range uint32(rounds) {
		same := message(n, stamp.Strategy)
		for number := range 4 {
			s.peer(number).send(t, same)
		}
	}
	seen := func(number int) int {
		c := f.Collect(0, rounds, stamp.Strategy)
		for _, one := range append(c.Clients, c.Extras...) {
			if one.Number == number {
				return one.Received
			}
		}
		return -1
	}
	await(t, "the healthy client has everything", func() bool { return seen(0) == rounds })
	if early := seen(2); time.Since(began) < resume/2 && early != 0 {
		t.Errorf("the stuck client read %d messages before its time", early)
	}
	await(t, "the stuck client reads again", func() bool { return seen(2) == rounds })
	if after := time.Since(began); after < resume-beat {
		t.Errorf("the stuck client read everything after %v, before its time of %v", after, resume)
	}
	slow, most := seen(1), int(time.Since(began).Seconds()*rate/102)+2
	if slow == 0 || slow > most {
		t.Errorf("the slow client has %d messages after %v, want some and at most %d", slow, time.Since(began), most)
	}
	if n := seen(3); n != 0 {
		t.Errorf("the vanished client has %d messages", n)
	}
	if unacked := unackedBy(t, s.peer(3)); unacked != rounds*102 {
		t.Errorf("%d bytes to the vanished client are not acknowledged, want all %d", unacked, rounds*102)
	}
}

// unackedBy asks the server's kernel what a client's kernel has not acknowledged.
func unackedBy(t *testing.T, p *peer) (n int64) {
	t.Helper()
	raw, err := p.Conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) { n, err = sock.Unacked(int(fd)) })
	if err != nil {
		t.Fatal(err)
	}
	return n
}
