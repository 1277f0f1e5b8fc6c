package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wsfanout/compare/result"
)

// collectNotes are what casts doubt on a set-up: that it had to fail, that trials failed, what they warned of, what came otherwise
// than predicted.
func (t *tuned) collectNotes() {
	for i := range t.Tune {
		t.notesOn(&t.Tune[i])
	}
}

// notesOn are the indexes of the notes on a set-up.
func (t *tuned) notesOn(s *result.Tune) []int {
	var notes []int
	if s.Doubt != "" {
		notes = append(notes, t.note("said before it ran: "+s.Doubt))
	}
	notes = append(notes, t.warned(s)...)
	for _, text := range []string{earlyText(s), outsideText(s)} {
		if text != "" {
			notes = append(notes, t.note(text))
		}
	}
	return notes
}

// warned are the indexes of the notes on the trials of a set-up, which hold for every figure of it.
func (t *tuned) warned(s *result.Tune) []int {
	trials := trialsOf{all: len(s.Trials), good: len(s.Good()), failures: s.Failures()}
	for i := range s.Trials {
		trials.warnings = append(trials.warnings, s.Trials[i].Warnings...)
	}
	trials.warnings = worstOf(trials.warnings)
	return t.notesOf(trials)
}

// worstOf keeps, of the warnings that differ only in a time behind "up to", the one with the longest.
func worstOf(warnings []string) []string {
	var kept []string
	for _, text := range warnings {
		head, longest := upTo(text)
		at := slices.IndexFunc(kept, func(k string) bool { other, _ := upTo(k); return other == head })
		switch {
		case at < 0:
			kept = append(kept, text)
		default:
			if _, d := upTo(kept[at]); d < longest {
				kept[at] = text
			}
		}
	}
	return kept
}

// upTo is a warning without its time, and the time.
func upTo(text string) (head string, d time.Duration) {
	head, rest, _ := strings.Cut(text, "up to ")
	word, tail, _ := strings.Cut(rest, " ")
	d, err := time.ParseDuration(strings.TrimSuffix(word, ","))
	if err != nil {
		return text, 0
	}
	return head + tail, d
}

// earlyText says that dead peers were closed while they lived, "" if none was.
func earlyText(s *result.Tune) string {
	k := tollOf(s)
	if k.early == 0 {
		return ""
	}
	return fmt.Sprintf("%s closed before they died: false kills (+%d)", ofAll(k.early, k.dead, "dead peer"), k.early)
}

// The tolerances of a prediction: timers are late, more so on a busy machine.
const (
	outsideShare = 0.05
	outsideLeast = 20 * time.Millisecond
)

// outsideText says that dead peers were noticed when nobody had predicted it, "" if not.
func outsideText(s *result.Tune) string {
	dead := s.Join(result.GroupDead)
	switch {
	case dead.AfterNs == nil:
		return ""
	case s.Never:
		return fmt.Sprintf("nobody was predicted to be noticed, and %s", ofAll(dead.Closed, dead.Clients, "dead peer"))
	case s.PredictedNs == nil:
		return ""
	}
	low, high := float64(s.PredictedNs[0]), float64(s.PredictedNs[1])
	least, most := float64(dead.AfterNs.Min), float64(dead.AfterNs.Max)
	if least >= low-tolerance(low) && most <= high+tolerance(high) {
		return ""
	}
	return fmt.Sprintf("noticed after %s to %s, outside of the predicted %s", duration(least), duration(most), predicted(s))
}

func tolerance(ns float64) float64 { return max(outsideShare*ns, float64(outsideLeast)) }

// ofAll is "1 of 20 dead peers was", with the verb that the number needs.
func ofAll(n, all int, noun string) string {
	verb := "were"
	if n == 1 {
		verb = "was"
	}
	return fmt.Sprintf("%s of %s %s", count(float64(n)), plural(all, noun), verb)
}
