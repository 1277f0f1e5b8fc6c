package clientfleet

import (
	"encoding/binary"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// echoCount is what a reader counts of the messages of the window.
type echoCount struct {
	sent, received, held int64
	arrived              int64 // echoes that arrived within the window
	stuck                int64 // messages of before the window whose echoes did not arrive before its end
	latency, late, lag   *hdrhistogram.Histogram
}

func newEchoCount() echoCount {
	return echoCount{latency: newHistogram(), late: newHistogram(), lag: newHistogram()}
}

// echoed takes a message at a healthy client; false if it is not an echo.
func (r *reader) echoed(c *client, m moment) bool {
	l := r.echo
	c.spoiled = false
	sent, due := int64(binary.LittleEndian.Uint64(c.first[:])), int64(binary.LittleEndian.Uint64(c.first[8:]))
	switch {
	case c.ended:
		return false
	case !l.running || c.size >= smallestEcho && sent < l.began && sent > 0:
		return true // of an earlier load, where it counts as lost
	case c.size != int64(l.Size) || sent <= 0 || sent > m.picked:
		r.malformed++
		return false
	}
	x := &l.state[c.column]
	if x.got == x.sent {
		r.malformed++
		return false
	}
	x.got++
	arrival, stamped := m.of(sent)
	r.tally.messages++
	if stamped {
		r.lag.RecordValue(min(m.picked-arrival, highestValue))
	} else {
		r.tally.unstamped++
	}
	l.take(x, sent, due, arrival)
	return true
}

// take counts one echo.
func (l *echoLoad) take(x *exchange, sent, due, arrival int64) {
	if arrival < l.To {
		x.owed--
		if arrival >= l.From {
			l.arrived++
			x.arrived++
		}
	}
	if due < l.From {
		if arrival < l.To {
			l.stuck--
		}
		return
	}
	l.received++
	l.latency.RecordValue(min(arrival-sent, highestValue))
	if l.Mode == EchoRate {
		l.late.RecordValue(min(max(0, arrival-due), highestValue))
	}
}

// echoQuiet says whether no echo is owed and no turn is left, of clients that are still there.
func (r *reader) echoQuiet() bool {
	l := r.echo
	for _, place := range l.places {
		c, x := &r.clients[place], &l.state[place]
		if c.fd >= 0 && !c.ended && (x.got != x.sent || l.Mode == EchoRate && x.sent < l.turns(x, l.last)) {
			return false
		}
	}
	return true
}
