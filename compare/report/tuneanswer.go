package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wsfanout/compare/result"
)

// answers are five lines: the two of each engine's recommendation, and what was measured of them. None without a recommendation.
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
		keyed{"false kills", killed(setups)},
		keyed{"detection", t.perEngine(setups, t.detected)})
	for _, s := range setups {
		a.code = append(a.code, t.snippets(s)...)
	}
	return a
}

// engineOf is the bare name of the library.
func engineOf(s *result.Tune) string {
	base, _, _ := strings.Cut(s.Engine, ":")
	return base
}

// recommended names the two settings as the engine's users know them.
func (t *tuned) recommended(s *result.Tune) keyed {
	keepalive, ping := "KeepaliveTime", "ping interval"
	if engineOf(s) == "gorilla" {
		keepalive, ping = "pong wait", "ping period"
	}
	return keyed{engineOf(s), fmt.Sprintf("%s %s, %s %s", keepalive, realText(t.real(s.KeepaliveNs)), ping, realText(t.real(s.PingNs)))}
}

func realText(d time.Duration) string { return exact(float64(d)) }

// perEngine says a sentence once if it holds for all, and for each engine otherwise.
func (t *tuned) perEngine(setups []*result.Tune, say func(*result.Tune) string) string {
	var said, named []string
	for _, s := range setups {
		text := say(s)
		said, named = append(said, text), append(named, engineOf(s)+" "+text)
	}
	if len(setups) > 1 && len(slices.Compact(slices.Clone(said))) == 1 {
		return said[0] + ", on each engine"
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

// killed is how many clients the set-ups should have kept and did not, and whom they cannot keep.
func killed(setups []*result.Tune) string {
	var kept []string
	beyond := map[string]result.TuneGroup{}
	var names []string
	for _, s := range setups {
		kept = append(kept, engineOf(s)+" "+covered(s))
		for _, g := range s.Behaviours() {
			if g.Kind != result.GroupUncovered {
				continue
			}
			all, known := beyond[g.Behaviour]
			if !known {
				names = append(names, g.Behaviour)
			}
			beyond[g.Behaviour] = result.TuneGroup{Clients: all.Clients + g.Clients, Closed: all.Closed + g.Closed}
		}
	}
	text := "covered clients closed: " + strings.Join(kept, ", ")
	if names == nil {
		return text
	}
	for i, name := range names {
		names[i] = name + " " + share(beyond[name]).text
	}
	return text + "; alive, but these set-ups cannot tell them from dead ones; closed: " + strings.Join(names, ", ")
}

// covered is "1 of 20 in 2 trials", with the behaviours and reasons of those closed.
func covered(s *result.Tune) string {
	if why := unmeasured(s); why != "" {
		return why
	}
	all := s.Join(result.GroupCovered)
	if all.Clients == 0 {
		return "not measured"
	}
	text := share(all).text + " in " + plural(len(s.Good()), "trial")
	var blamed []string
	for _, g := range s.Behaviours() {
		if g.Kind == result.GroupCovered && g.Closed > 0 {
			blamed = append(blamed, fmt.Sprintf("%s %s, %s", g.Behaviour, share(g).text, reasonWords(g.Reasons)))
		}
	}
	if blamed != nil {
		text += " (" + strings.Join(blamed, "; ") + ")"
	}
	return text
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
	text := noticedCells(s)[0].text + " dead peers"
	if a := dead.AfterNs; a != nil {
		text += fmt.Sprintf(" after %s, %s, %s (min, median, max)", duration(float64(a.Min)), duration(float64(a.Median)), duration(float64(a.Max)))
	}
	if p := predicted(s); p != "" {
		text += ", predicted " + p
	}
	if t.Plan.DetectWithinNs > 0 {
		limit := float64(t.Plan.DetectWithinNs) / t.scale()
		text += ", target " + exact(limit)
		if dead.AfterNs != nil && float64(dead.AfterNs.Max) > limit {
			text += ": MISSED"
		}
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
