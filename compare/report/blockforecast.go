package report

import (
	"fmt"
	"math"
	"strings"

	"wsfanout/compare/result"
)

// forecast is what arithmetic says of the echoes of the others before the measurement.
type forecast int

const (
	harmless forecast = iota // no handler is held that another connection needs
	partWait                 // some loops are held, and with each the connections that are bound to it
	allWait                  // all are
)

func prediction(s *result.Block) forecast {
	switch {
	case s.Load >= 1:
		return allWait
	case isInline(s) && s.Load >= leastStarved: // below that it does not show
		return partWait
	}
	return harmless
}

// isInline says that a connection is bound to one loop: another that is free does not serve it. A pool's free handler does.
func isInline(s *result.Block) bool { return strings.HasPrefix(s.Place, "inline") }

// predictedLoad is the prediction for a table.
func predictedLoad(s *result.Block) expCell {
	switch {
	case s.Blocking == 0:
		return expCell{}
	case s.Loops == 0:
		return words("own goroutines")
	case s.Load == 0: // the engine keeps half a frame, and its handlers get whole messages
		return words("none held")
	case s.Load >= 1:
		return expCell{"saturated x" + plain(math.Round(s.Load*10)/10), plainNumber(s.Load)}
	case isInline(s):
		return expCell{fmt.Sprintf("%s of %s held", count(float64(s.Blocking)), count(float64(s.Loops))), plainNumber(s.Load)}
	}
	return expCell{smallShare(s.Load), plainNumber(s.Load)}
}

// predictionWords are how a prediction and its coming true read in the answer.
var predictionWords = map[forecast][2]string{
	allWait: {"saturated", "collapsed or starve a part"}, partWait: {"some loops held", "made connections wait"}, harmless: {"not saturated", "did not collapse or starve"},
}

// predictions count how often arithmetic was right, and name where it was not.
func (b *blocked) predictions() string {
	var all, right [allWait + 1]int
	open, crowds := 0, 0
	var missed []string
	for i := range b.Block {
		s := &b.Block[i]
		j := b.judge(s)
		switch j.fate {
		case unknown:
			continue
		case undecided:
			open++
			continue
		case crowded:
			crowds++
			continue
		}
		was := prediction(s)
		if all[was]++; (was != harmless) == (j.fate >= starving) {
			right[was]++
		} else {
			missed = append(missed, fmt.Sprintf("%s, %s, %s: %s", b.spoken(s), oneLine(s.Blockers), count(float64(s.Blocking)), fateWords[j.fate]))
		}
	}
	var parts []string
	for _, was := range []forecast{allWait, partWait, harmless} {
		if all[was] > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d, of which %d %s", predictionWords[was][0], all[was], right[was], predictionWords[was][1]))
		}
	}
	if open > 0 {
		parts = append(parts, fmt.Sprintf("undecided: %d", open))
	}
	if crowds > 0 {
		parts = append(parts, fmt.Sprintf("the blockers use the machine: %d", crowds))
	}
	if missed != nil {
		parts = append(parts, "otherwise than predicted: "+strings.Join(missed, "; "))
	}
	return strings.Join(parts, "; ")
}
