package engines

import (
	"time"

	"github.com/lesismal/nbio/nbhttp"
)

// SetMaxBlocking changes from which connection on iomod=mixed uses pollers: tests do not open 10,000.
func SetMaxBlocking(e Engine, n int64) { e.(*nbioEngine).maxBlocking = n }

// LateRequestDeadline sets the deadline of the HTTP request on an upgraded connection of nbio, as the library does when a
// client is quicker than its accept loop.
func LateRequestDeadline(c Conn, d time.Duration) {
	_ = c.(*nbioConn).conn.SetReadDeadline(time.Now().Add(d))
}

// MendReadDeadline does what the accept loop does next.
func MendReadDeadline(c Conn) { mendReadDeadline(&nbhttp.Conn{Conn: c.(*nbioConn).conn}) }
