package clientfleet

import (
	"bytes"

	"wsfanout/internal/stamp"
)

// Content says what stands behind the stamp of every counted message, so that a fleet can check it.
//
// Compressed messages are all checked: each is compared, byte for byte, with one that was inflated and checked. Others
// are compared at one client per reader and round, each client in its turn, so that the check costs the hot path nothing
// that can be measured. Collection.Checked says how many that were.
type Content struct {
	Seed uint64 `json:"seed"`
	Text bool   `json:"text,omitempty"` // stamp.Text; false: stamp.Filling
}

// filling is the body of every payload of this size; nil for a nil c: not known.
func (c *Content) filling(size int) []byte {
	switch {
	case c == nil:
		return nil
	case c.Text:
		return stamp.Text(size, c.Seed)
	}
	return stamp.Filling(size, c.Seed)
}

// content is what a reader knows and has found out about the contents of messages.
type content struct {
	filling          []byte // nil: not to be checked
	place            int    // of the client whose uncompressed messages are compared
	turns            int    // rounds opened when that was decided
	checked, corrupt int64
}

// found is what a message turned out to be.
type found struct {
	stamp   stamp.Stamp
	size    int64 // payload bytes, after inflating
	checked bool  // its content was compared
	corrupt bool  // it is not what it should be
}

// examine finishes a message that is not just counted.
func (r *reader) examine(c *client, m moment, last []byte) bool {
	f := r.identify(c, last)
	if c.ended {
		return false
	}
	if f.corrupt && f.stamp.Kind != stamp.Filler {
		r.content.corrupt++
		r.malformed++
		return false
	}
	counts := r.count(c, m, f.stamp, f.size)
	if counts && f.checked {
		r.content.checked++
	}
	return counts
}

// identify says which message has just ended; last is its last piece.
func (r *reader) identify(c *client, last []byte) found {
	if c.packed {
		return r.unpack(c, last)
	}
	if c.pieces {
		r.compare(c, last)
	}
	f := found{stamp: stamp.Get(c.first[:]), size: c.size, checked: c.pieces, corrupt: c.spoiled}
	c.spoiled = false
	return f
}

// piece takes a part of a message that has not ended.
func (r *reader) piece(c *client, b []byte) {
	if c.packed {
		r.hold(c, b)
		return
	}
	r.compare(c, b)
}

// compare compares the piece of an uncompressed message that ends at c.size. A message that is too long counts as malformed
// already; fillers have a content of their own, which examine sees by their kind.
func (r *reader) compare(c *client, b []byte) {
	from, to := c.size-int64(len(b)), min(c.size, int64(len(r.content.filling)))
	if skip := min(max(0, stamp.Size-from), int64(len(b))); skip > 0 {
		from, b = from+skip, b[skip:]
	}
	if from < to && !bytes.Equal(b[:to-from], r.content.filling[from:to]) {
		c.spoiled = true
	}
}

// turn passes the comparing on to the next client, when a new round has begun.
func (r *reader) turn() {
	r.content.turns = r.grid.opened
	if r.content.filling == nil {
		return
	}
	r.clients[r.content.place].pieces = false
	r.content.place = (r.content.place + 1) % len(r.clients)
	r.clients[r.content.place].pieces = true
}
