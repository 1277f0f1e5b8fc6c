package engines

import (
	"fmt"
	"time"

	"github.com/lesismal/nbio/nbhttp/websocket"
)

// httpKeepalive is nbhttp's KeepaliveTime, of which 0 means 120 s.
func (o *Options) httpKeepalive() time.Duration {
	if o.HTTPKeepalive != nil {
		return *o.HTTPKeepalive
	}
	return o.HandshakeTimeout
}

// mends reports whether the adapter sets read deadlines beside the library, so that the deadline of an HTTP request does
// not outlive the upgrade (mendReadDeadline). With httpkeepalive the library is alone.
func (e *nbioEngine) mends() bool { return e.options.HTTPKeepalive == nil }

// upgraderOf is the upgrader for a client. Without OnMessage the library drops a message when it has parsed its frame, and
// the read deadline stays where it is (nbhttp/websocket/conn.go:483, 234): a client that only sends messages is closed at
// keepalive, while pings and pongs count. With an OnMessage that does nothing, or is nil, they would count too.
func (e *nbioEngine) upgraderOf(number int) *websocket.Upgrader {
	if e.Roster.deaf(number) {
		return e.unheard
	}
	return e.upgrader
}

// nbioReadTimeout names the deadline that passed. With httpkeepalive it may be that of the request, which looks the same.
func nbioReadTimeout(o *Options) error {
	switch {
	case o.HTTPKeepalive == nil:
		return readTimeout(o.Keepalive)
	case o.Keepalive == 0:
		return fmt.Errorf("%w: the deadline of its HTTP request", ErrReadTimeout)
	}
	return fmt.Errorf("%w: nothing read for %v, or the deadline of its HTTP request", ErrReadTimeout, o.Keepalive)
}
