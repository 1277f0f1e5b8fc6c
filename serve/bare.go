package serve

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"wsfanout/engines"
	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// bareLoop is the paired control: the same connections in the same order, one goroutine, one write(2) per socket with the
// frame built beforehand. What a strategy takes longer than this is the strategy's and the engine's.
type bareLoop struct {
	conns []engines.Conn
}

func (s *session) bareLoop() *bareLoop { return &bareLoop{conns: s.inRounds()} }

// frame is a whole round as it goes over a connection, as the engines under test would frame it.
func (s *session) frame(st stamp.Stamp) []byte {
	payload := stamp.New(st, s.filling)
	if !s.options.Compress {
		return engines.Frame(payload)
	}
	frame, err := engines.CompressedFrame(payload, s.options.Level)
	if err != nil {
		panic("serve: " + err.Error()) // the level was checked with the spec
	}
	return frame
}

// owing says who still owes something; "" means that the connections are free for raw writes.
func (s *session) owing(conns []engines.Conn) string {
	for _, m := range s.hub().Members() {
		if m.Queued > 0 && !m.Left {
			return fmt.Sprintf("client %d had %d messages queued", m.Number, m.Queued)
		}
	}
	for _, c := range conns {
		if owed := c.Owed(); owed > 0 {
			return fmt.Sprintf("client %d owed %d bytes", c.Number(), owed)
		}
	}
	return ""
}

// run writes one bare round. A short write would leave half a frame in the stream: it is completed, and the pair
// discarded.
func (b *bareLoop) run(r *Round, st stamp.Stamp, framed func(stamp.Stamp) []byte) {
	r.Start = st.Start
	frame := framed(st)
	var n int
	var err error
	write := func(fd uintptr) { n, err = unix.Write(int(fd), frame) }
	for _, c := range b.conns {
		n, err = 0, nil
		switch {
		case c.Control(write) != nil: // closed: not a member any more
			r.Failed++
		case err == nil && n == len(frame):
			r.Written++
		case err != nil && err != unix.EAGAIN:
			r.Failed++ // the engine learns of it by itself
		default:
			r.Discard = fmt.Sprintf("short write to client %d", c.Number())
			b.complete(c, frame[max(n, 0):])
		}
	}
	r.End = clock.Now()
}

// complete writes the rest of a frame, and gives the connection up after a second: half a frame would poison it.
func (b *bareLoop) complete(c engines.Conn, rest []byte) {
	deadline := time.Now().Add(time.Second)
	for len(rest) > 0 {
		var n int
		var err error
		if c.Control(func(fd uintptr) { n, err = unix.Write(int(fd), rest) }) != nil {
			return
		}
		if err != nil && err != unix.EAGAIN || time.Now().After(deadline) {
			c.Evict(fmt.Errorf("bare round: %w", engines.ErrWriteTimeout))
			return
		}
		rest = rest[max(n, 0):]
		if len(rest) > 0 {
			time.Sleep(time.Millisecond)
		}
	}
}
