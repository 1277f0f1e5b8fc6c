package clientfleet

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// Inbound is what the healthy clients send to the server while Fleet.Inbound has switched it on: whole masked binary
// messages, not compressed, one client after the other. Each begins with "in" and the client's number, 4 bytes little
// endian; the rest does not compress.
type Inbound struct {
	PerSecond float64 `json:"per_second"` // messages per second of all healthy clients of the fleet together
	Size      int     `json:"size_bytes"` // payload bytes, 6 to 1 MiB
}

const (
	smallestInbound = 6
	largestInbound  = 1 << 20
	inboundBeat     = 5 * time.Millisecond // messages due within one are sent together
)

// checked returns what is wrong with it.
func (in *Inbound) checked() error {
	if in != nil && (in.Size < smallestInbound || in.Size > largestInbound || !(in.PerSecond > 0) || math.IsInf(in.PerSecond, 1)) {
		return fmt.Errorf("%w: %g inbound messages/s of %d bytes, need some of %d to %d bytes", ErrPlan, in.PerSecond, in.Size,
			smallestInbound, largestInbound)
	}
	return nil
}

// Inbound switches the messages of the clients to the server on or off. The error is ErrPlan if the plan has none, or
// ErrClosed.
func (f *Fleet) Inbound(on bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrClosed
	}
	if !f.talks {
		return fmt.Errorf("%w: no inbound messages in it", ErrPlan)
	}
	f.inbound.end()
	now := clock.Now()
	f.each(func(r *reader) { r.talk.since, r.talk.owed = now, 0 }) // behind all beats of before
	if on {
		f.inbound.begin(inboundBeat, f.readers, (*reader).talkOnce)
	}
	return nil
}

// talk is what the clients of one reader send.
type talk struct {
	perSecond float64 // of this reader's healthy clients together
	healthy   int     // they are the first in its list
	next      int     // whose turn it is
	since     int64   // the last beat
	owed      float64 // messages due and not yet sent; parts of one add up
	body      []byte
	frame     []byte // header, mask, payload
	maskAt    int
}

// newTalk is the share of a reader with so many of all healthy clients.
func newTalk(in *Inbound, healthy, all int) talk {
	if in == nil || healthy == 0 {
		return talk{}
	}
	t := talk{perSecond: in.PerSecond * float64(healthy) / float64(all), healthy: healthy, body: stamp.Filling(in.Size, 1)}
	copy(t.body, "in")
	t.frame, t.maskAt = blankFrame(in.Size)
	return t
}

// blankFrame is a whole masked binary frame whose mask and payload are still to be written.
func blankFrame(size int) (frame []byte, maskAt int) {
	frame = []byte{0x82, 0x80}
	switch {
	case size <= 125:
		frame[1] |= byte(size)
	case size <= math.MaxUint16:
		frame[1] |= 126
		frame = binary.BigEndian.AppendUint16(frame, uint16(size))
	default:
		frame[1] |= 127
		frame = binary.BigEndian.AppendUint64(frame, uint64(size))
	}
	maskAt = len(frame)
	return append(frame, make([]byte, 4+size)...), maskAt
}

// talkOnce sends what has become due since the last beat. More than one message of each client is left for later beats:
// this thread has to read, too.
func (r *reader) talkOnce() {
	t := &r.talk
	now := clock.Now()
	t.owed += t.perSecond * time.Duration(now-t.since).Seconds()
	t.since = now
	for range min(int(t.owed), t.healthy) {
		t.owed--
		r.say(&r.clients[t.next])
		t.next = (t.next + 1) % t.healthy
	}
}

// say sends one message of one client. One that is gone or has no room misses its turn.
func (r *reader) say(c *client) {
	if c.fd < 0 || c.ended {
		r.tally.skipped++
		return
	}
	t := &r.talk
	payload := t.frame[t.maskAt+4:]
	copy(payload, t.body)
	binary.LittleEndian.PutUint32(payload[2:], uint32(c.number))
	r.mask(t.frame[t.maskAt:t.maskAt+4], payload)
	switch sent, err := r.send(c, t.frame); {
	case err != nil:
		r.tally.skipped++
		r.lost(c, err)
	case sent:
		r.tally.sent++
	default:
		r.tally.skipped++
	}
}
