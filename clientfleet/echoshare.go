package clientfleet

import "slices"

// A connection starves if it has less than the starvedShare-th part of the busiest one's echoes, which must be enough to tell.
const (
	starvedShare = 5
	enoughEchoes = 10
)

// shares appends how many echoes came in the window to each connection that had a message under way in it and was there until
// its end.
func (l *echoLoad) shares(into []uint32) []uint32 {
	for _, place := range l.places {
		if x := &l.state[place]; !x.partly && (x.arrived > 0 || x.owed > 0) {
			into = append(into, x.arrived)
		}
	}
	return into
}

// compare says how evenly the echoes of the window were shared by all connections of the fleet.
func (s *echoSeen) compare(shares []uint32) {
	if len(shares) == 0 {
		return
	}
	window := float64(s.To-s.From) / 1e9
	busiest := slices.Max(shares)
	s.Busiest, s.Slowest = float64(busiest)/window, float64(slices.Min(shares))/window
	if busiest < enoughEchoes {
		return
	}
	for _, n := range shares {
		if uint64(n)*starvedShare < uint64(busiest) {
			s.Starved++
		}
	}
}
