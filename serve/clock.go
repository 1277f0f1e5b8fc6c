package serve

import (
	"bytes"
	"strconv"

	"wsfanout/engines"
	"wsfanout/internal/clock"
	"wsfanout/internal/stamp"
)

// clockPrefix begins the question for this host's clock; the question's number follows.
var clockPrefix = []byte("clock ")

// tellClock answers a client that is in no round and asks what this host's clock shows: from the round trip a fleet on another host
// learns how the two clocks differ. It says whether the message was such a question.
func (s *session) tellClock(c engines.Conn, message []byte) bool {
	number, asks := bytes.CutPrefix(message, clockPrefix)
	if !asks || !among(s.plan.Apart, c.Number()) {
		return false
	}
	n, err := strconv.ParseUint(string(number), 10, 32)
	if err != nil {
		return false
	}
	// The clock is read last: what comes after it is taken for the way back. A write that fails has begun the client's end.
	_ = c.Write(stamp.New(stamp.Stamp{Round: uint32(n), Kind: stamp.Clock, Start: clock.Now()}, make([]byte, stamp.Size)))
	return true
}

// inRounds are the connections without those of clients that are apart.
func (s *session) inRounds() []engines.Conn {
	if len(s.plan.Apart) == 0 {
		return s.engine.Conns()
	}
	var conns []engines.Conn
	for _, c := range s.engine.Conns() {
		if !among(s.plan.Apart, c.Number()) {
			conns = append(conns, c)
		}
	}
	return conns
}
