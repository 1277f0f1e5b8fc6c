package clientfleet

import (
	"encoding/binary"
	"fmt"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

// client is the state of one connection, 128 bytes. What few clients need at a time is behind pointers.
type client struct {
	parser
	fd      int32 // -1: no connection
	number  int32
	column  int32      // place in the reader's list and in its grid
	last    int32      // highest round received, -1 before the first
	extra   *behaviour // nil: healthy
	held    *[]byte    // pieces of a compressed message that has not ended; nil: none
	unsent  *[]byte    // the rest of a frame for which the socket had no room; nil: none
	secure  *secure    // nil: no TLS
	ended   bool       // a close frame was seen: nothing behind it counts
	spoiled bool       // a piece of the current message was compared and is not what it should be
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
		case opPiece:
			r.piece(c, ev.payload)
		case ws.OpBinary:
			if r.finish(c, m, ev.payload) {
				run.messages++
				run.atEnd = len(b) == 0
			}
			err = r.react(c)
		case ws.OpPing:
			err = r.pinged(c, ev.payload)
		case ws.OpClose:
			err = r.closing(c, ev.payload)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finish takes a message that has ended, of which last is the last piece; false if it is not one that counts.
func (r *reader) finish(c *client, m moment, last []byte) bool {
	switch {
	case c.extra != nil && c.extra.hears():
		r.release(c)
		return false
	case r.echo != nil && c.extra == nil:
		return r.echoed(c, m)
	}
	if c.packed || c.pieces || c.spoiled {
		return r.examine(c, m, last)
	}
	return !c.ended && r.count(c, m, stamp.Get(c.first[:]), c.size)
}

// react does what a client does because a message has come.
func (r *reader) react(c *client) error {
	switch e := c.extra; {
	case c.ended:
		return nil
	case e != nil && e.hears():
		return e.does.heard(r, c)
	case e == nil && r.echo != nil:
		return r.echoAgain(c)
	}
	return nil
}

// count records a message of this stamp and size; false if it is not one that counts.
func (r *reader) count(c *client, m moment, s stamp.Stamp, size int64) bool {
	if size < stamp.Size {
		r.malformed++
		return false
	}
	if s.Kind == stamp.Filler {
		return false
	}
	if size != int64(r.size) || s.Kind > stamp.Filler {
		if s.Kind == stamp.Clock && c == r.asks && size == stamp.Size {
			r.told(s, m)
			return false
		}
		r.malformed++
		return false
	}
	round := r.grid.open(s)
	if round == nil {
		r.malformed++
		return false
	}
	if r.grid.opened != r.content.turns {
		r.turn()
	}
	arrival, stamped := m.of(round.begin)
	r.tally.messages++
	r.tally.kinds[s.Kind].add(int64(c.heads) + c.size)
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
	*cell = sample(arrival - round.begin)
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
	r.left(c, fmt.Sprintf("close %d", code))
	if c.extra == nil || !c.extra.silent() {
		r.answer(c, ws.OpClose, echo) // a server that is gone already needs none
	}
	return nil
}
