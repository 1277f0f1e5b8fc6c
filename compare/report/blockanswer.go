package report

import (
	"cmp"
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
	var judged, unjudged []*result.Block
	var clauses, reasons []string
	for _, s := range setups {
		if s.Blocking == 0 {
			continue
		}
		if f := b.judge(s).fate; f != unknown {
			judged, worst = append(judged, s), max(worst, f)
			continue
		}
		unjudged, reasons = append(unjudged, s), append(reasons, b.unjudged(s))
	}
	if judged != nil {
		clauses = append(clauses, b.sentence(judged, worst))
	}
	for _, why := range distinct(reasons) {
		if judged == nil {
			clauses = append(clauses, why)
			continue
		}
		of := slices.DeleteFunc(slices.Clone(unjudged), func(s *result.Block) bool { return b.unjudged(s) != why })
		clauses = append(clauses, "not judged with "+listText(of, func(s *result.Block) string { return count(float64(s.Blocking)) })+" ("+why+")")
	}
	if clauses == nil {
		return "", unknown
	}
	return b.spoken(setups[0]) + ": " + strings.Join(clauses, ", "), worst
}

// unjudged is why there is no fate.
func (b *blocked) unjudged(s *result.Block) string {
	if why := blockTrials(s).missing(); why != "" {
		return why
	}
	return cmp.Or(b.judge(s).why, "nothing to compare with: not measured there with 0 blocking connections")
}

// sentence is about set-ups of one place, ascending, the worst of which had that fate.
func (b *blocked) sentence(judged []*result.Block, worst fate) string {
	is := func(s *result.Block) bool { return b.judge(s).fate == worst }
	at := slices.IndexFunc(judged, is)
	from, last := judged[at], judged[len(judged)-1]
	blocking := count(float64(from.Blocking))
	others := slices.Delete(slices.Clone(judged), at, at+1)
	switch worst {
	case noFall:
		return fmt.Sprintf("no fall shown with up to %s blocking, %s left%s", count(float64(last.Blocking)), b.left(last), b.late(last))
	case undecided:
		why := b.judge(from).why
		if why != "" {
			why = " (" + why + ")"
		}
		return fmt.Sprintf("undecided with %s blocking, %s left%s%s", blocking, b.left(from), why, b.late(from))
	case crowded:
		return fmt.Sprintf("with %s blocking %s of the echoes left%s: the blockers themselves use the machine, with %s handlers/s", blocking, b.left(from), b.late(from),
			spanText(from.Values(turnRate), rateText))
	case starving:
		return b.starvingText(from) + b.late(from) + b.besides(others)
	case nothing:
		if from != last && !slices.ContainsFunc(judged[at:], func(s *result.Block) bool { return !is(s) }) {
			return fmt.Sprintf("nothing is left from %s blocking on%s%s", blocking, unansweredText(from), b.besides(judged[:at]))
		}
		return fmt.Sprintf("nothing is left with %s blocking%s%s", blocking, unansweredText(from), b.besides(others))
	}
	verb := map[bool]string{true: "leaves", false: "leave"}[from.Blocking == 1]
	return fmt.Sprintf("%s blocking %s %s of the echoes%s%s", blocking, verb, b.left(from), b.late(from), b.besides(others))
}

// starvingText tells the connections that wait from what all together have.
func (b *blocked) starvingText(s *result.Block) string {
	text := fmt.Sprintf("with %s blocking %s connections starve, ", count(float64(s.Blocking)), starvedText(s))
	if fateOf(s.Kept(b.Baseline(s))) != noFall {
		return text + b.left(s) + " of the echoes left"
	}
	text += "while all together lose nothing (" + b.left(s) + " left)"
	switch free := s.Loops - s.Blocking; {
	case !isInline(s) || free < 1:
		return text
	case free == 1:
		return text + ": the free loop takes over"
	}
	return text + ": the free loops take over"
}

// starvedText is "74 of 100", the median of the trials.
func starvedText(s *result.Block) string {
	starved, _ := result.Over(s.Values(starvedOf))
	return fmt.Sprintf("%s of %s", count(starved.Median), count(float64(s.Fast)))
}

// late is the p99 of the others beside that with nothing that blocks, "" where it was not measured.
func (b *blocked) late(s *result.Block) string {
	now := waitText(s, quantiles[2])
	if now == "" {
		return ""
	}
	if before := waitText(b.Baseline(s), quantiles[2]); before != "" {
		return fmt.Sprintf(", p99 %s against %s", now, before)
	}
	return ", p99 " + now
}

// waitText is a median, and a lower bound where echoes never came.
func waitText(s *result.Block, q quantile) string {
	wait, ok := result.Over(s.Values(ofWait(q)))
	if !ok {
		return ""
	}
	return boundMark(s.Values(ofWaitBound(q))) + duration(wait.Median)
}

func unansweredText(s *result.Block) string {
	if n, ok := result.Over(s.Values(unanswered)); ok && n.Median > 0 {
		return fmt.Sprintf(", %s echoes unanswered", count(n.Median))
	}
	return ""
}

// besides is what the other numbers of blocking connections left: " (1: 95 %, 16: 1/80)".
func (b *blocked) besides(others []*result.Block) string {
	var parts []string
	for _, s := range others {
		text := count(float64(s.Blocking)) + ": " + b.left(s)
		if b.judge(s).fate == starving {
			text += " and " + starvedText(s) + " starve"
		}
		parts = append(parts, text)
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// left is the share of the baseline's echoes, in words.
func (b *blocked) left(s *result.Block) string { return leftSpan(s.Kept(b.Baseline(s))) }

// certainty is what the number of trials allows to say.
func (b *blocked) certainty() string {
	if b.trials >= result.IntervalTrials {
		return fmt.Sprintf("%d: a fall is shown by the 95 %% interval of what is left, trial by trial against the same engine", b.trials)
	}
	return fmt.Sprintf("%d, each set-up against the same engine with nothing that blocks; a fall short of a collapse takes %d to be shown", b.trials, result.IntervalTrials)
}
