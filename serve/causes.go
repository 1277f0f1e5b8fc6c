package serve

import (
	"errors"

	"wsfanout/engines"
)

// errBounded ends a client that would have made the hub hang for ever; it is the experiment's doing, not the engine's.
var errBounded = errors.New("ended with the run")

// sentinels are the causes that are known by a name.
var sentinels = []error{
	engines.ErrWriteTimeout, engines.ErrWriteOverflow, engines.ErrQueueFull, engines.ErrUserTimeout, engines.ErrTCPKeepalive,
	engines.ErrReadTimeout, engines.ErrPeerClosed, engines.ErrProtocol, engines.ErrStopped, errBounded,
}

// reason names a cause by its sentinel, so that the report counts kinds and not texts.
func reason(cause error) string {
	for _, known := range sentinels {
		if errors.Is(cause, known) {
			return known.Error()
		}
	}
	if cause == nil {
		return "unknown"
	}
	return cause.Error()
}

// causes holds each reason once, however many connections end by it. Only an engine that reports none of the sentinels makes
// it grow.
type causes struct {
	texts  []string
	places map[string]int32 // in texts; never 0
}

func newCauses() causes {
	c := causes{texts: []string{""}, places: map[string]int32{}}
	for _, known := range sentinels {
		c.place(known.Error())
	}
	c.place(reason(nil))
	return c
}

// place is where a reason stands, which is new if need be.
func (c *causes) place(why string) int32 {
	place, ok := c.places[why]
	if !ok {
		place = int32(len(c.texts))
		c.texts = append(c.texts, why)
		c.places[why] = place
	}
	return place
}
