package clientfleet

import (
	"errors"
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// ErrMerge is wrapped when collections do not belong together: other rounds, or the same client twice.
var ErrMerge = errors.New("clientfleet: collections do not merge")

// Merge makes one collection of those of several fleets, which must be of the same rounds and of different clients.
func Merge(parts ...Collection) (Collection, error) {
	if len(parts) == 0 {
		return Collection{}, nil
	}
	all := newSeen(parts[0].From, parts[0].To)
	for _, part := range parts {
		if part.From != all.From || part.To != all.To {
			return Collection{}, fmt.Errorf("%w: rounds %d to %d and %d to %d", ErrMerge, all.From, all.To, part.From, part.To)
		}
		s, err := decoded(part)
		if err != nil {
			return Collection{}, err
		}
		if err := all.conflict(s); err != nil {
			return Collection{}, err
		}
		all.add(s)
	}
	if err := all.disjoint(); err != nil {
		return Collection{}, err
	}
	return all.finish(), nil
}

func decoded(part Collection) (seen, error) {
	latency, err := hdrhistogram.Decode(part.Latency)
	if err != nil {
		return seen{}, fmt.Errorf("clientfleet: latency: %w", err)
	}
	due, err := hdrhistogram.Decode(part.LatencyDue)
	if err != nil {
		return seen{}, fmt.Errorf("clientfleet: latency from due: %w", err)
	}
	return seen{Collection: part, latency: latency, due: due}, nil
}

// conflict finds a round that both saw but that is not the same round.
func (s *seen) conflict(o seen) error {
	start := make(map[uint32]int64, len(s.Rounds))
	for _, r := range s.Rounds {
		start[r.N] = r.Start
	}
	for _, r := range o.Rounds {
		if mine, ok := start[r.N]; ok && mine != r.Start {
			return fmt.Errorf("%w: round %d started at %d and at %d", ErrMerge, r.N, mine, r.Start)
		}
	}
	return nil
}

// add takes in what other clients saw.
func (s *seen) add(o seen) {
	at := make(map[uint32]int, len(s.Rounds))
	for i, r := range s.Rounds {
		at[r.N] = i
	}
	for _, r := range o.Rounds {
		if i, ok := at[r.N]; ok {
			s.Rounds[i].merge(r)
		} else {
			s.Rounds = append(s.Rounds, r)
		}
	}
	s.Clients = append(s.Clients, o.Clients...)
	s.Extras = append(s.Extras, o.Extras...)
	s.Gone = append(s.Gone, o.Gone...)
	s.Duplicates += o.Duplicates
	s.OutOfOrder += o.OutOfOrder
	s.Early += o.Early
	s.Malformed += o.Malformed
	s.Corrupt += o.Corrupt
	s.Checked += o.Checked
	s.Clock = worse(s.Clock, o.Clock)
	s.latency.Merge(o.latency)
	s.due.Merge(o.due)
}

// merge adds what other clients saw of the same round.
func (r *RoundSeen) merge(o RoundSeen) {
	switch {
	case o.Received == 0:
		return
	case r.Received == 0:
		*r = o
		return
	}
	r.Received += o.Received
	r.First = min(r.First, o.First)
	r.Last = max(r.Last, o.Last)
	r.PickedUp = max(r.PickedUp, o.PickedUp)
	r.Spread = max(r.Spread, o.Spread)
	r.ends = [2]int64{min(r.ends[0], o.ends[0]), max(r.ends[1], o.ends[1])}
}

// disjoint finds a client that is in the collection twice.
func (s *seen) disjoint() error {
	numbers := make(map[int]bool, len(s.Clients)+len(s.Extras))
	for _, list := range [][]ClientSeen{s.Clients, s.Extras} {
		for _, c := range list {
			if numbers[c.Number] {
				return fmt.Errorf("%w: client %d twice", ErrMerge, c.Number)
			}
			numbers[c.Number] = true
		}
	}
	return nil
}
