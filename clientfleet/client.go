package clientfleet

import (
	"encoding/binary"
	"fmt"

	"github.com/gobwas/ws"
	"golang.org/x/sys/unix"

	"wsfanout/internal/stamp"
)

// client is the state of one connection, about 100 bytes.
type client struct {
	parser
	fd     int32 // -1: no connection
	number int32
	column int32  // place in the reader's list and in its grid
	last   int32  // highest round received, -1 before the first
	extra  *Extra // nil: healthy
	ended  bool   // a close frame was seen: nothing behind it counts
}

// run is a series of reads until the socket is empty. Within one, the kernel may have merged segments and their stamps.
type run struct {
	messages int64 // counted messages that ended in it
	atEnd    bool  // the last byte read so far ended one
}

// shared is how many messages of a finished run may carry the stamp of bytes behind them.
func (r run) shared() int64 {
	if r.atEnd {
		return r.messages - 1
	}
	return r.messages
}

// feed counts what ends in b, which came at m. It returns why the client must go, nil if it stays.
func (r *reader) feed(c *client, b []byte, m moment, run *run) error {
	for len(b) > 0 {
		n, ev, err := c.next(b)
		if err != nil {
			return err
		}
		b = b[n:]
		run.atEnd = false
		switch ev.op {
		case 0:
		case ws.OpBinary:
			if !c.ended && r.count(c, m) {
				run.messages++
				run.atEnd = len(b) == 0
			}
		case ws.OpPing:
			err = r.answer(c, ws.OpPong, ev.payload)
		case ws.OpClose:
			err = r.closing(c, ev.payload)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// count records the message that has just ended; false if it is not one that counts.
func (r *reader) count(c *client, m moment) bool {
	if c.size < stamp.Size {
		r.malformed++
		return false
	}
	s := stamp.Get(c.first[:])
	if s.Kind == stamp.Filler {
		return false
	}
	if c.size != int64(r.size) || s.Kind > stamp.Filler {
		r.malformed++
		return false
	}
	round := r.grid.open(s)
	if round == nil {
		r.malformed++
		return false
	}
	arrival, stamped := m.of(s.Start)
	r.tally.messages++
	if stamped {
		r.lag.RecordValue(min(m.picked-arrival, highestValue))
	} else {
		r.tally.unstamped++
	}
	r.place(c, s, round, arrival, m.picked)
	return true
}

// place puts an arrival into the grid, unless it is already there.
func (r *reader) place(c *client, s stamp.Stamp, round *round, arrival, picked int64) {
	cell := r.grid.at(s.Round, int(c.column))
	if *cell != 0 {
		round.duplicates++
		return
	}
	*cell = sample(arrival - s.Start)
	if int32(s.Round) < c.last {
		round.misordered++
	}
	c.last = max(c.last, int32(s.Round))
	if c.extra == nil {
		round.note(arrival, picked)
	}
}

// closing notes the code of a close frame and answers it. The connection stays until the server ends it, as RFC 6455
// wants it.
func (r *reader) closing(c *client, payload []byte) error {
	if c.ended {
		return nil
	}
	code, echo := uint16(ws.StatusNoStatusRcvd), payload[:0]
	if len(payload) >= 2 {
		echo = payload[:2]
		code = binary.BigEndian.Uint16(echo)
	}
	c.ended = true
	r.gone = append(r.gone, Gone{Number: int(c.number), Why: fmt.Sprintf("close %d", code)})
	r.answer(c, ws.OpClose, echo) // a server that is gone already needs none
	return nil
}

// answer sends a masked control frame. A server that does not read gets none: where there is no room for sure, a part of
// the frame could be sent, and nothing after it would be understood.
func (r *reader) answer(c *client, op ws.OpCode, payload []byte) error {
	room := []unix.PollFd{{Fd: c.fd, Events: unix.POLLOUT}}
	if n, _ := unix.Poll(room, 0); n == 0 || room[0].Revents&unix.POLLOUT == 0 {
		return nil
	}
	r.masks = r.masks*1664525 + 1013904223
	out := r.out[:6+len(payload)]
	out[0], out[1] = 0x80|byte(op), 0x80|byte(len(payload))
	binary.LittleEndian.PutUint32(out[2:], r.masks)
	copy(out[6:], payload)
	ws.Cipher(out[6:], [4]byte(out[2:6]), 0)
	n, err := unix.Write(int(c.fd), out)
	switch {
	case err == unix.EAGAIN || n == len(out):
		return nil
	case err != nil:
		return fmt.Errorf("answer: %w", err)
	}
	return fmt.Errorf("answer: %d of %d bytes sent", n, len(out))
}
