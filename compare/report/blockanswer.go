package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// answers say which places collapse and which do not, for each kind of blockers; none before anything is measured.
func (b *blocked) answers() answer {
	if b.trials == 0 {
		return answer{}
	}
	a := answer{title: "The answer"}
	for _, kind := range b.kinds() {
		key := "sleeping"
		if kind == halfFrame {
			key = "half frames"
		}
		if text := b.verdict(kind); text != "" {
			a.lines = append(a.lines, keyed{key, text})
		}
	}
	for _, line := range []keyed{{"predicted", b.predictions()}, {"trials", b.certainty()}} {
		if line.Text != "" {
			a.lines = append(a.lines, line)
		}
	}
	return a
}

// verdict is a clause for each place, the worst fate first.
func (b *blocked) verdict(kind string) string {
	var places []string
	setups := map[string][]*result.Block{}
	for _, s := range b.of(kind) {
		if setups[s.Engine] == nil {
			places = append(places, s.Engine)
		}
		setups[s.Engine] = append(setups[s.Engine], s)
	}
	type clause struct {
		text string
		fate fate
	}
	var clauses []clause
	for _, engine := range places {
		if text, worst := b.placeVerdict(setups[engine]); text != "" {
			clauses = append(clauses, clause{text, worst})
		}
	}
	slices.SortStableFunc(clauses, func(x, y clause) int { return int(y.fate - x.fate) })
	var texts []string
	for _, c := range clauses {
		texts = append(texts, c.text)
	}
	return strings.Join(texts, "; ")
}

// placeVerdict is what became of the echoes there with the least number of blocking connections that did the worst.
func (b *blocked) placeVerdict(setups []*result.Block) (text string, worst fate) {
	setups = slices.Clone(setups)
	slices.SortStableFunc(setups, func(x, y *result.Block) int { return x.Blocking - y.Blocking })
	name, why := b.spoken(setups[0])+": ", ""
	var judged, unjudged []*result.Block
	for _, s := range setups {
		if s.Blocking == 0 {
			continue
		}
		if f, _ := b.fateOf(s); f != unknown {
			judged, worst = append(judged, s), max(worst, f)
			continue
		}
		unjudged = append(unjudged, s)
		if why = blockTrials(s).missing(); why == "" {
			why = "nothing to compare with: not measured there with 0 blocking connections"
		}
	}
	switch {
	case judged != nil && unjudged != nil:
		return name + b.sentence(judged, worst) + ", not measured with " + listText(unjudged, func(s *result.Block) string { return count(float64(s.Blocking)) }), worst
	case judged != nil:
		return name + b.sentence(judged, worst), worst
	case why != "":
		return name + why, unknown
	}
	return "", unknown
}

// sentence is about set-ups of one place, ascending, the worst of which had that fate.
func (b *blocked) sentence(judged []*result.Block, worst fate) string {
	is := func(s *result.Block) bool { f, _ := b.fateOf(s); return f == worst }
	at := slices.IndexFunc(judged, is)
	from, last := judged[at], judged[len(judged)-1]
	blocking := count(float64(from.Blocking))
	switch worst {
	case noFall:
		return fmt.Sprintf("no fall shown with up to %s blocking, %s left", count(float64(last.Blocking)), b.left(last))
	case undecided:
		return fmt.Sprintf("undecided with %s blocking, %s left", blocking, b.left(from))
	case nothing:
		if from != last && !slices.ContainsFunc(judged[at:], func(s *result.Block) bool { return !is(s) }) {
			return fmt.Sprintf("nothing is left from %s blocking on%s", blocking, b.besides(judged[:at]))
		}
		return fmt.Sprintf("nothing is left with %s blocking%s", blocking, b.besides(slices.Delete(slices.Clone(judged), at, at+1)))
	}
	verb := map[bool]string{true: "leaves", false: "leave"}[from.Blocking == 1]
	return fmt.Sprintf("%s blocking %s %s of the echoes%s", blocking, verb, b.left(from), b.besides(slices.Delete(slices.Clone(judged), at, at+1)))
}

// besides is what the other numbers of blocking connections left: " (1: 95 %, 16: 1/80)".
func (b *blocked) besides(others []*result.Block) string {
	var parts []string
	for _, s := range others {
		parts = append(parts, fmt.Sprintf("%s: %s", count(float64(s.Blocking)), b.left(s)))
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// left is the share of the baseline's echoes, in words.
func (b *blocked) left(s *result.Block) string { return leftSpan(s.Kept(b.Baseline(s))) }

// predictions count how often arithmetic was right, and name where it was not.
func (b *blocked) predictions() string {
	var all, right [2]int // not saturated, saturated
	open := 0
	var missed []string
	for i := range b.Block {
		s := &b.Block[i]
		f, _ := b.fateOf(s)
		if f == undecided {
			open++
		}
		if f == unknown || f == undecided {
			continue
		}
		down, at := f >= collapsed, 0
		if saturated(s) {
			at = 1
		}
		if all[at]++; saturated(s) == down {
			right[at]++
		} else {
			missed = append(missed, fmt.Sprintf("%s, %s, %s: %s", b.spoken(s), oneLine(s.Blockers), count(float64(s.Blocking)), fateWords[f]))
		}
	}
	var parts []string
	if all[1] > 0 {
		parts = append(parts, fmt.Sprintf("saturated: %d, of which %d collapsed", all[1], right[1]))
	}
	if all[0] > 0 {
		parts = append(parts, fmt.Sprintf("not saturated: %d, of which %d did not", all[0], right[0]))
	}
	if open > 0 {
		parts = append(parts, fmt.Sprintf("undecided: %d", open))
	}
	if missed != nil {
		parts = append(parts, "otherwise than predicted: "+strings.Join(missed, "; "))
	}
	return strings.Join(parts, "; ")
}

// certainty is what the number of trials allows to say.
func (b *blocked) certainty() string {
	if b.trials >= result.IntervalTrials {
		return fmt.Sprintf("%d: a fall is shown by the 95 %% interval of what is left, trial by trial against the same engine", b.trials)
	}
	return fmt.Sprintf("%d, each set-up against the same engine with nothing that blocks; a fall short of a collapse takes %d to be shown", b.trials, result.IntervalTrials)
}
