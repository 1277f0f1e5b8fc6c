package clientfleet

import (
	"math"

	"wsfanout/internal/stamp"
)

// unit is what a sample counts in, nanoseconds: 32 bits then hold 42.9 s.
const unit = 10

// grid holds when each of a reader's clients got each round. Only its reader touches it.
//
// The rounds are the outer index: at one time nearly all clients write the same round, so that the pages of one round are
// warm and those of later rounds do not exist yet.
type grid struct {
	clients int
	clock   *otherClock // the server's; nil: this host's own
	opened  int         // rounds of which a message came
	samples []uint32    // [round][client]: see sample; 0: not received
	rounds  []round
}

// round is what a reader knows of one round. Instants are CLOCK_MONOTONIC nanoseconds.
type round struct {
	start, due             int64 // of the server's clock, as the stamp says; everything else is of this host's
	begin                  int64 // start, about: what samples count from
	first, last, picked    int64 // earliest and latest arrival, latest pick-up; healthy clients
	received               int32 // distinct healthy clients
	duplicates, misordered int32
	kind                   stamp.Kind
	seen                   bool
}

func newGrid(clients, rounds int) grid {
	return grid{clients: clients, samples: make([]uint32, clients*rounds), rounds: make([]round, rounds)}
}

// at returns the sample of a client in a round.
func (g *grid) at(n uint32, client int) *uint32 { return &g.samples[int(n)*g.clients+client] }

// open returns the round of a stamp; nil if there is no such round or it is of another kind.
func (g *grid) open(s stamp.Stamp) *round {
	if uint64(s.Round) >= uint64(len(g.rounds)) {
		return nil
	}
	r := &g.rounds[s.Round]
	if !r.seen {
		*r = round{start: s.Start, due: s.Due, begin: g.clock.begin(s.Start), kind: s.Kind, seen: true}
		g.opened++
	}
	if r.kind != s.Kind || r.start != s.Start {
		return nil
	}
	return r
}

// note adds one healthy client's arrival to a round.
func (r *round) note(arrival, picked int64) {
	if r.received == 0 || arrival < r.first {
		r.first = arrival
	}
	r.last = max(r.last, arrival)
	r.picked = max(r.picked, picked)
	r.received++
}

// sample turns arrival minus begin into units, and at most what fits: 0 means not received, 1 is before the begin, 2 at it.
func sample(latency int64) uint32 {
	return uint32(min(max(latency/unit+2, 1), math.MaxUint32))
}

// nanoseconds turns a sample back.
func nanoseconds(sample uint32) int64 { return (int64(sample) - 2) * unit }
