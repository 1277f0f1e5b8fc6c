package clientfleet

import (
	"cmp"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"wsfanout/internal/stamp"
)

// seen is a Collection whose histograms can still be added to.
type seen struct {
	Collection
	latency, due *hdrhistogram.Histogram
}

// Collect returns what the clients have received of the rounds from..to-1 that are of this kind. It takes a moment in which
// nothing is read: call it when all is quiet.
func (f *Fleet) Collect(from, to uint32, kind stamp.Kind) Collection {
	all := newSeen(from, to)
	f.each(func(r *reader) { all.add(r.collect(from, to, kind)) })
	for i := range all.Rounds {
		r := &all.Rounds[i]
		r.Spread, r.ends = r.ends[1]-r.ends[0], [2]int64{}
	}
	return all.finish()
}

func newSeen(from, to uint32) seen {
	return seen{
		Collection: Collection{From: from, To: to, Rounds: []RoundSeen{}, Clients: []ClientSeen{}},
		latency:    newHistogram(), due: newHistogram(),
	}
}

// collect is what one reader saw.
func (r *reader) collect(from, to uint32, kind stamp.Kind) seen {
	s := newSeen(from, to)
	s.Malformed, s.Corrupt, s.Checked = r.malformed, r.content.corrupt, r.content.checked
	s.Gone = slices.Clone(r.gone)
	for i := range s.Gone {
		s.Gone[i].At = r.grid.clock.server(s.Gone[i].At)
	}
	var rounds []counted
	for n := from; n < r.grid.end(to); n++ {
		round := &r.grid.rounds[n]
		if !round.seen || round.kind != kind {
			continue
		}
		s.Duplicates += int64(round.duplicates)
		s.OutOfOrder += int64(round.misordered)
		one := r.grid.counted(n)
		s.Rounds, s.Clock = append(s.Rounds, one.RoundSeen), worse(s.Clock, one.clock)
		rounds = append(rounds, one)
	}
	scratch := make([]int64, 0, len(rounds))
	for i := range r.clients {
		c := &r.clients[i]
		if c == r.asks {
			continue
		}
		got := r.grid.column(i, rounds, scratch)
		if c.extra != nil {
			s.Extras = append(s.Extras, summary(c, got))
			continue
		}
		s.Early += r.grid.record(i, rounds, s)
		s.Clients = append(s.Clients, summary(c, got))
	}
	return s
}

// column appends a client's latencies of these rounds to into[:0].
func (g *grid) column(client int, rounds []counted, into []int64) []int64 {
	for i := range rounds {
		if cell := *g.at(rounds[i].N, client); cell != 0 {
			into = append(into, rounds[i].latency(cell))
		}
	}
	return into
}

// record puts a client's latencies into the histograms, and says how many of them cannot be.
func (g *grid) record(client int, rounds []counted, s seen) (early int64) {
	for i := range rounds {
		round := &rounds[i]
		if cell := *g.at(round.N, client); cell != 0 {
			latency := round.latency(cell)
			late := max(0, round.Start-round.Due)
			s.latency.RecordValue(min(latency, highestValue))
			s.due.RecordValue(min(latency+late, highestValue))
			if round.early(cell) {
				early++
			}
		}
	}
	return early
}

// end is the first round after from..to-1 that the grid does not have.
func (g *grid) end(to uint32) uint32 { return uint32(min(uint64(to), uint64(len(g.rounds)))) }

// summary reduces a client's latencies, which it sorts. The median of an even number is the mean of the two in the middle.
func summary(c *client, got []int64) ClientSeen {
	s := ClientSeen{Number: int(c.number), Received: len(got)}
	if len(got) > 0 {
		slices.Sort(got)
		s.Median = (got[(len(got)-1)/2] + got[len(got)/2]) / 2
		s.Max = got[len(got)-1]
	}
	return s
}

// finish puts everything into a fixed order and encodes the histograms.
func (s *seen) finish() Collection {
	byNumber := func(a, b ClientSeen) int { return cmp.Compare(a.Number, b.Number) }
	slices.SortFunc(s.Clients, byNumber)
	slices.SortFunc(s.Extras, byNumber)
	slices.SortFunc(s.Rounds, func(a, b RoundSeen) int { return cmp.Compare(a.N, b.N) })
	if s.Clock == nil { // then all instants are of one clock
		for i := range s.Rounds {
			s.Rounds[i].Spread = s.Rounds[i].Last - s.Rounds[i].First
		}
	}
	slices.SortStableFunc(s.Gone, func(a, b Gone) int { return cmp.Compare(a.Number, b.Number) })
	s.Latency, s.LatencyDue = encode(s.latency), encode(s.due)
	return s.Collection
}
