package clientfleet

import (
	"math"
	"time"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// echoLoad is a reader's part of an Echo: its clients, when they send, and what came of it. It is its reader's.
type echoLoad struct {
	Echo
	Window
	began   int64
	running bool
	places  []int32    // of the clients that take part, in the order of their turns
	state   []exchange // by place

	// EchoRate: the reader's turns, one client after the other. Turn i is due at began + (i + phase) * interval.
	interval, phase float64 // nanoseconds; turns
	turn            int64   // the next one
	first, last     int64   // first..last-1 are in the window, and there are none from last on
	limit           uint32  // messages of one client that may be under way
	idle, resting   []int32 // EchoClosed: places of those that are to send next; of those that have not been needed
	frame, body     []byte  // header, mask, payload; what the payload says
	maskAt          int
	goneBefore      int // of the reader's gone clients
	echoCount           // what came of it
}

// exchange is how far one client is.
type exchange struct {
	turn      int32  // its place among the turns
	sent, got uint32 // messages
	arrived   uint32 // echoes that arrived within the window
	owed      int32  // messages sent before the end of the window whose echoes did not arrive before it
	partly    bool   // it was gone before the window ended, or replaced another one after it had begun
}

// newEchoLoad is that of a reader's healthy clients that are connected.
func newEchoLoad(e Echo, r *reader) *echoLoad {
	l := &echoLoad{
		Echo: e, running: true, limit: uint32(max(1, echoUnderWay/e.Size)), body: stamp.Filling(e.Size, 1),
		goneBefore: len(r.gone), echoCount: newEchoCount(),
	}
	l.frame, l.maskAt = blankFrame(e.Size)
	healthy := r.clients[:len(r.clients)-len(r.extras)]
	l.state = make([]exchange, len(healthy))
	for i := range healthy {
		if c := &healthy[i]; c.fd >= 0 && !c.ended {
			l.state[i].turn = int32(len(l.places))
			l.places = append(l.places, int32(i))
		}
	}
	l.resting = l.places
	return l
}

// wake has one more client send, in EchoClosed.
func (l *echoLoad) wake() {
	l.idle, l.resting = append(l.idle, l.resting[0]), l.resting[1:]
}

// schedule fixes its times, as those of one of the readers of all clients. phase, 0 to 1, keeps the readers apart.
func (l *echoLoad) schedule(began int64, w Window, all int, phase float64) {
	l.began, l.Window = began, w
	if l.Mode == EchoClosed || len(l.places) == 0 {
		return
	}
	l.interval = float64(time.Second) / l.PerSecond * float64(all) / float64(len(l.places))
	l.phase = phase
	l.first, l.last = l.from(w.From), l.from(w.To)
}

// due is the instant of a turn.
func (l *echoLoad) due(turn int64) int64 {
	return l.began + int64((float64(turn)+l.phase)*l.interval)
}

// from is the first turn at or after an instant.
func (l *echoLoad) from(at int64) int64 {
	turn := max(0, int64(math.Floor(float64(at-l.began)/l.interval-l.phase))-1)
	for l.due(turn) < at {
		turn++
	}
	return turn
}

// turns is how many of the first n turns are this client's.
func (l *echoLoad) turns(x *exchange, n int64) uint32 {
	if n <= int64(x.turn) {
		return 0
	}
	return uint32((n-1-int64(x.turn))/int64(len(l.places))) + 1
}

// dueOf is the instant of a client's own n-th turn.
func (l *echoLoad) dueOf(x *exchange, n uint32) int64 {
	return l.due(int64(n)*int64(len(l.places)) + int64(x.turn))
}

// next is when there is something to send; 0: only when an echo has come.
func (l *echoLoad) next() int64 {
	switch {
	case l.Mode == EchoRate && l.turn < l.last:
		return l.due(l.turn)
	case len(l.idle) > 0:
		return max(l.began, clock.Now()+int64(time.Millisecond))
	}
	return 0
}

// spare is how long nothing has to be sent.
func (l *echoLoad) spare() time.Duration {
	switch {
	case l.Mode == EchoClosed:
		return 0
	case l.turn < l.last:
		return time.Duration(l.due(l.turn) - clock.Now())
	}
	return math.MaxInt64
}

// left frees the place of a client that ended while its message was under way.
func (l *echoLoad) left(c *client) {
	x := &l.state[c.column]
	x.partly = x.partly || clock.Now() < l.To
	if l.running && l.Mode == EchoClosed && x.sent != x.got {
		l.idle = append(l.idle, c.column)
	}
}
