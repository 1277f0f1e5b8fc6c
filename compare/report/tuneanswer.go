package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"wsfanout/compare/result"
)

// answers are a line for each engine's recommendation, and what was measured of them. None without a recommendation.
func (t *tuned) answers() answer {
	setups := t.part(result.TuneAdvice)
	if len(setups) == 0 {
		return answer{}
	}
	a := answer{title: "The answer"}
	if t.Plan.DetectWithinNs > 0 {
		a.title += ": to notice a dead peer within " + t.target()
	}
	if t.scale() != 1 {
		a.title += fmt.Sprintf(" (measured %s, recommended in real times)", t.scaled())
	}
	for _, s := range setups {
		a.lines = append(a.lines, t.recommended(s))
	}
	a.lines = append(a.lines,
		keyed{"margin", t.perEngine(setups, t.margin)},
		keyed{"false kills", "closed of the clients that such a set-up can keep: " + t.perEngine(setups, killed)})
	if slices.ContainsFunc(setups, func(s *result.Tune) bool { return tollOf(s).uncovered > 0 }) {
		a.lines = append(a.lines, keyed{"accepted", "alive, but these set-ups cannot tell them from dead ones; closed: " + t.perEngine(setups, accepted)})
	}
	a.lines = append(a.lines, keyed{"detection", t.perEngine(setups, t.detected)})
	var without string
	if a.code, without = t.snippets(setups); without != "" {
		a.lines = append(a.lines, keyed{"code", without})
	}
	return a
}

// recommended names the two settings as the engine's users know them, and says whether the measurement refutes them.
func (t *tuned) recommended(s *result.Tune) keyed {
	text := fmt.Sprintf(cmp.Or(settings[engineOf(s)], "read deadline %s, ping interval %s"), realText(t.real(s.KeepaliveNs)), realText(t.real(s.PingNs)))
	if name := t.nameOf(s); name != engineOf(s) { // too long for a key
		text = name + ": " + text
	}
	if why := t.refuted(s); why != "" {
		text += ": NOT HELD, " + why
	} else if why := unmeasured(s); why != "" {
		text += ": not confirmed, " + why
	}
	return keyed{engineOf(s), text}
}

// settings are what the two are called where the library has them.
var settings = map[string]string{
	"gorilla": "pong wait %s, ping period %s",
	"nbio":    "KeepaliveTime %s, ping interval %s",
}

func realText(d time.Duration) string { return exact(float64(d)) }

// perEngine says a sentence once if it holds for all, and for each engine otherwise.
func (t *tuned) perEngine(setups []*result.Tune, say func(*result.Tune) string) string {
	var said, named []string
	each := ", on each engine"
	for _, s := range setups {
		text := say(s)
		if t.nameOf(s) != engineOf(s) {
			each = ", in each set-up"
		}
		said, named = append(said, text), append(named, t.nameOf(s)+" "+text)
	}
	if len(setups) > 1 && len(slices.Compact(slices.Clone(said))) == 1 {
		return said[0] + each
	}
	if len(setups) == 1 {
		return said[0]
	}
	return strings.Join(named, "; ")
}

// margin is what round trip, backlog and handler may take together before a healthy client dies.
func (t *tuned) margin(s *result.Tune) string {
	left := t.real(s.KeepaliveNs - s.PingNs)
	text := realText(left) + " (K-P) for round trip, backlog and handler"
	if lost := t.real(s.KeepaliveNs - 2*s.PingNs); lost > 0 {
		return text + ", " + realText(lost) + " (K-2P) after one lost pong"
	}
	return text + ", none after one lost pong"
}

// killed is "1 of 20 in 2 trials", with the behaviours and reasons of those closed.
func killed(s *result.Tune) string {
	if why := unmeasured(s); why != "" {
		return why
	}
	k := tollOf(s)
	if !k.measured() {
		return "not measured"
	}
	text := ofClients(k.lost, k.covered) + " in " + plural(len(s.Good()), "trial")
	if blamed := closedOfKind(s, result.GroupCovered, true); blamed != nil {
		text += " (" + strings.Join(blamed, "; ") + ")"
	}
	if k.early > 0 {
		text += fmt.Sprintf(", and %d before they died", k.early)
	}
	return text
}

// accepted are the behaviours of the living whom no such deadline can keep, and how many were closed.
func accepted(s *result.Tune) string {
	if why := unmeasured(s); why != "" {
		return why
	}
	if tollOf(s).uncovered == 0 {
		return "not measured"
	}
	return cmp.Or(strings.Join(closedOfKind(s, result.GroupUncovered, false), ", "), "none")
}

// closedOfKind is "pongs delayed 1 of 10" for each behaviour of the kind of which some were closed, with or without the reasons.
func closedOfKind(s *result.Tune, kind string, reasons bool) []string {
	var parts []string
	for _, g := range s.Behaviours() {
		if g.Kind != kind || g.Lost() == 0 {
			continue
		}
		text := g.Behaviour + " " + ofClients(g.Lost(), g.Clients)
		if why := reasonWords(g.Reasons); reasons && why != "" {
			text += ", " + why
		}
		parts = append(parts, text)
	}
	return parts
}

// detected is when the dead were noticed, beside what was predicted and asked for.
func (t *tuned) detected(s *result.Tune) string {
	if why := unmeasured(s); why != "" {
		return why
	}
	dead := s.Join(result.GroupDead)
	if dead.Clients == 0 {
		return "not measured"
	}
	text := fmt.Sprintf("%d of %s noticed", dead.Closed, plural(dead.Clients, "dead peer"))
	if dead.Before > 0 {
		text += fmt.Sprintf(" (%d closed before they died)", dead.Before)
	}
	switch a, at := dead.AfterNs, s.Observed(); {
	case a != nil:
		text += fmt.Sprintf(" after %s, %s, %s (min, median, max)", duration(float64(a.Min)), duration(float64(a.Median)), duration(float64(a.Max)))
	case at > 0:
		text += " in the " + exact(float64(at)) + " of the watch"
	}
	if p := predicted(s); p != "" {
		text += ", predicted " + p
	}
	if t.Plan.DetectWithinNs > 0 {
		text += ", target " + exact(t.limit())
	}
	if dead.Closed < dead.Clients || t.lateNs(s) > 0 {
		text += ": MISSED"
	}
	return text
}

// unmeasured is why a set-up has no figures, "" if it has.
func unmeasured(s *result.Tune) string {
	failed := s.Failures()
	switch {
	case len(s.Good()) > 0:
		return ""
	case len(failed) > 0:
		return "failed: " + oneLine(failed[len(failed)-1])
	}
	return "not measured yet"
}
