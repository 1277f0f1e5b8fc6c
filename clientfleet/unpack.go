package clientfleet

import (
	"bytes"
	"compress/flate"
	"io"

	"wsfanout/internal/stamp"
)

// remembered is how many compressed messages a reader knows by their bytes: those of rounds that are under way at a time.
const remembered = 8

// flushed is what RFC 7692 takes off the end of a message, and an empty last block, so that inflating ends in io.EOF.
const flushed = "\x00\x00\xff\xff\x01\x00\x00\xff\xff"

// unpacker identifies compressed messages. Without context takeover a round is the same bytes at every client: one is
// inflated, the others are recognised.
type unpacker struct {
	known   [remembered]packed
	newest  int
	in      bytes.Reader
	inflate io.Reader // also a flate.Resetter
	out     []byte    // one byte more than a payload: never is more inflated
	limit   int       // compressed bytes that are kept of a message; no honest one is longer
	free    []*[]byte // for messages in pieces
}

// packed is a compressed message, with flushed at its end, and what it is.
type packed struct {
	bytes []byte
	found found
}

func newUnpacker(size int) *unpacker {
	u := &unpacker{out: make([]byte, size+1), limit: size + size/4 + 256}
	u.inflate = flate.NewReader(&u.in)
	return u
}

// hold keeps a piece of a compressed message that has not ended, up to the limit.
func (r *reader) hold(c *client, b []byte) {
	u := r.unpacker
	switch n := len(u.free); {
	case c.held != nil:
	case n > 0:
		c.held, u.free = u.free[n-1], u.free[:n-1]
	default:
		c.held = new([]byte)
	}
	*c.held = append(*c.held, b[:min(len(b), u.limit-len(*c.held))]...)
}

// release gives back what was held.
func (r *reader) release(c *client) {
	if c.held != nil {
		*c.held = (*c.held)[:0]
		r.unpacker.free = append(r.unpacker.free, c.held)
		c.held = nil
	}
}

// unpack says which message has just ended. It is called when the arrival and the pick-up have been noted: what it costs
// is in the lag of the messages that the same wake-up picks up later, and in no latency.
func (r *reader) unpack(c *client, last []byte) found {
	whole := last
	if c.held != nil {
		r.hold(c, last)
		whole = *c.held
		defer r.release(c)
	}
	u := r.unpacker
	for i := range u.known {
		k := &u.known[(u.newest+remembered-i)%remembered]
		if len(k.bytes) == len(whole)+len(flushed) && bytes.Equal(k.bytes[:len(whole)], whole) {
			return k.found
		}
	}
	r.tally.inflated++
	u.newest = (u.newest + 1) % remembered
	k := &u.known[u.newest]
	k.bytes = append(append(k.bytes[:0], whole...), flushed...)
	k.found = u.open(k.bytes, r.content.filling)
	return k.found
}

// open inflates a message and compares it with what it should be, if that is known.
func (u *unpacker) open(b, filling []byte) found {
	u.in.Reset(b)
	u.inflate.(flate.Resetter).Reset(&u.in, nil) // only the dictionary could be wrong
	n, err := 0, error(nil)
	for n < len(u.out) && err == nil {
		var k int
		k, err = u.inflate.Read(u.out[n:])
		n += k
	}
	f := found{size: int64(n), corrupt: err != nil && err != io.EOF}
	if n >= stamp.Size {
		f.stamp = stamp.Get(u.out)
	}
	if filling != nil && n == len(filling) {
		f.checked = true
		f.corrupt = f.corrupt || !bytes.Equal(u.out[stamp.Size:n], filling[stamp.Size:])
	}
	return f
}
