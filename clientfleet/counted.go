package clientfleet

import "math"

// counted is a round of a collection and how its instants turn into the server's clock.
type counted struct {
	RoundSeen
	begin   int64 // what its samples count from, of this host's clock
	from    int64 // instants of this host's clock at which the offset is known: the first and the last arrival
	to      int64
	offsets [2]int64
	clock   *ClockSeen // nil: the clocks are one
}

// counted is a round of which a message came.
func (g *grid) counted(n uint32) counted {
	r := &g.rounds[n]
	c := counted{begin: r.begin, from: r.first, to: r.last}
	if r.received == 0 {
		c.from, c.to = r.begin, r.begin
	}
	if g.clock != nil {
		c.clock = c.lookUp(g.clock)
	}
	c.RoundSeen = RoundSeen{N: n, Start: r.start, Due: r.due, Received: int(r.received)}
	if r.received > 0 {
		c.ends = [2]int64{r.first, r.last}
		c.First, c.Last, c.PickedUp = c.server(r.first), c.server(r.last), c.server(r.picked)
	}
	return c
}

// lookUp notes the offset at both ends of the round, and the larger doubt.
func (c *counted) lookUp(o *otherClock) *ClockSeen {
	seen := &ClockSeen{DriftPPM: o.drift() * 1e6, Exchanges: o.count()}
	for i, t := range [2]int64{c.from, c.to} {
		offset, within := o.at(t)
		c.offsets[i] = offset
		if within >= seen.UncertaintyNs {
			seen.OffsetNs, seen.UncertaintyNs = offset, within
		}
	}
	return seen
}

// server turns an instant of the round into one of the server's clock. The offset changes evenly from the first arrival to the last.
func (c *counted) server(t int64) int64 {
	if c.clock == nil {
		return t
	}
	share := 0.0
	if c.to > c.from {
		share = min(max(float64(t-c.from)/float64(c.to-c.from), 0), 1)
	}
	return t + c.offsets[0] + int64(math.Round(share*float64(c.offsets[1]-c.offsets[0])))
}

// latency is what a sample stands for, from the real start of the round: at least 1, since no message comes before it was sent.
func (c *counted) latency(sample uint32) int64 { return max(c.since(sample), 1) }

func (c *counted) since(sample uint32) int64 { return c.server(c.begin+nanoseconds(sample)) - c.Start }

// early says that a message came before its round started, by more than the clocks leave open: the stamp is not right.
func (c *counted) early(sample uint32) bool {
	doubt := int64(0)
	if c.clock != nil {
		doubt = c.clock.UncertaintyNs
	}
	return c.since(sample) < -doubt
}
