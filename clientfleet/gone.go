package clientfleet

import (
	"errors"

	"golang.org/x/sys/unix"

	"wsfanout/internal/clock"
)

var (
	errEOF   = errors.New("EOF")
	errReset = errors.New("reset")
)

// drop ends a client's connection and notes why, unless a close frame has already said so.
func (r *reader) drop(c *client, why error) {
	if !c.ended {
		if why == unix.ECONNRESET {
			why = errReset
		}
		r.left(c, why.Error())
	}
	r.release(c)
	unix.Close(int(c.fd))
	c.fd, c.unsent, c.secure = -1, nil, nil
}

// left notes why a client has none any more.
func (r *reader) left(c *client, why string) {
	r.gone = append(r.gone, Gone{Number: int(c.number), Why: why, At: clock.Now()})
	if r.echo != nil && c.extra == nil {
		r.echo.left(c)
	}
}

// lost ends a client to whom nothing can be sent.
func (r *reader) lost(c *client, why error) {
	r.drain(c) // what has arrived counts, and says better why it ended
	if c.fd >= 0 {
		r.drop(c, why)
	}
}
