package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// toll is whom a set-up closed although alive. False kills are lost and early ones.
type toll struct {
	covered, lost      int // clients that can be kept, and those of them that were closed
	dead, early        int // clients that were to die, and those of them that were closed before
	uncovered, accepts int // clients that this kind of deadline cannot tell from dead ones, and those of them that were closed
}

func tollOf(s *result.Tune) toll {
	covered, uncovered := s.Join(result.GroupCovered), s.Join(result.GroupUncovered)
	k := toll{covered: covered.Clients, lost: covered.Lost(), uncovered: uncovered.Clients, accepts: uncovered.Lost()}
	for _, kind := range []string{result.GroupDead, result.GroupEnded} {
		died := s.Join(kind)
		k.dead, k.early = k.dead+died.Clients, k.early+died.Lost()
	}
	return k
}

// kills are all false ones.
func (k toll) kills() int { return k.lost + k.early }

// measured says whether anybody could have been killed.
func (k toll) measured() bool { return k.covered > 0 || k.early > 0 }

// text is "1 of 20", with those closed before they died as "+2".
func (k toll) text() string {
	var parts []string
	if k.covered > 0 {
		parts = append(parts, ofClients(k.lost, k.covered))
	}
	if k.early > 0 {
		parts = append(parts, fmt.Sprintf("+%d", k.early))
	}
	return strings.Join(parts, " ")
}

// share is that of the false kills, from 0 to 1.
func (k toll) share() float64 { return float64(k.kills()) / float64(max(k.covered+k.early, 1)) }

func (k toll) killsCell() expCell {
	if !k.measured() {
		return expCell{}
	}
	return expCell{k.text(), plainNumber(float64(k.kills()))}
}

func ofClients(n, all int) string {
	return fmt.Sprintf("%s of %s", count(float64(n)), count(float64(all)))
}

// missedOf is how many of those that died were never noticed, and how many died.
func missedOf(s *result.Tune) (missed, all int) {
	for _, kind := range []string{result.GroupDead, result.GroupEnded} {
		died := s.Join(kind)
		missed, all = missed+died.Missed(), all+died.Clients
	}
	return missed, all
}

// lateNs is when the last of those that died was noticed, if that is later than asked for; 0: in time, or nobody asked.
func (t *tuned) lateNs(s *result.Tune) int64 {
	var last int64
	for _, kind := range []string{result.GroupDead, result.GroupEnded} {
		if after := s.Join(kind).AfterNs; after != nil {
			last = max(last, after.Max)
		}
	}
	if t.Plan.DetectWithinNs == 0 || float64(last) <= t.limit() {
		return 0
	}
	return last
}

// limit is the target as it was measured, in ns.
func (t *tuned) limit() float64 { return float64(t.Plan.DetectWithinNs) / t.scale() }
