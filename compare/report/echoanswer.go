package report

import (
	"fmt"
	"strings"

	"wsfanout/compare/result"
)

// answers have a line for each question that people ask of an echo benchmark, of every engine; none before anything is measured.
func (e *echoed) answers() answer {
	if e.trials == 0 {
		return answer{}
	}
	a := answer{title: "The answer"}
	for _, line := range []keyed{
		{"fixed rate", e.perEngine("at "+e.offered()+", from the schedule: ", lateText)},
		{"CPU", e.perEngine("of the server for an echo, at the rate that came: ", cpuText)},
		{"connecting", e.perEngine("", connectText)},
		{"closed loop", e.perEngine("with "+e.outstanding()+", echoes/s: ", func(s *result.Echo) string {
			return spanText(s.Values(underLoad(inClosed).of(perSecond)), rateText)
		})},
		{"fleet", e.perEngine("its part of all CPU at the fixed rate: ", func(s *result.Echo) string {
			return spanText(s.Values(underLoad(atRate).of(fleetShare)), percent)
		})},
		{"compared", unclaimed(e.trials)},
	} {
		if line.Text != "" {
			a.lines = append(a.lines, line)
		}
	}
	return a
}

func (e *echoed) perEngine(head string, say func(*result.Echo) string) string {
	var parts []string
	for i := range e.Echo {
		if text := say(&e.Echo[i]); text != "" {
			parts = append(parts, e.Echo[i].Engine+" "+text)
		}
	}
	if parts == nil {
		return ""
	}
	return head + strings.Join(parts, "; ")
}

// lateText is the headline, what of it is the generator's own, and what of the rate did not come.
func lateText(s *result.Echo) string {
	rate := underLoad(atRate)
	var parts []string
	for _, q := range []quantile{quantiles[0], quantiles[2]} {
		if text := waitedCell(s, rate, q, spanCell).text; text != "" {
			parts = append(parts, q.name+" "+text+generatorText(s, q))
		}
	}
	if parts == nil {
		return ""
	}
	text := strings.Join(parts, ", ")
	if share, ok := result.Over(s.Values(rate.of(achieved))); ok && share.Median < behindLimit {
		text += fmt.Sprintf(", but only %s of the rate came", percent(share.Median))
	}
	return text
}

func cpuText(s *result.Echo) string {
	rate := underLoad(atRate)
	all := spanText(s.Values(rate.of(serverNs)), duration)
	user, ok := result.Over(s.Values(rate.of(userNs)))
	if all == "" || !ok {
		return all
	}
	return fmt.Sprintf("%s, %s of it user", all, duration(user.Median))
}

func connectText(s *result.Echo) string {
	rate := spanText(s.Values(ofConnect), rateText)
	if rate == "" {
		return ""
	}
	text, head := rate+" connections/s", ", a dial "
	for _, q := range []quantile{quantiles[0], quantiles[2]} {
		if dial := spanText(s.Values(q.ofDial), duration); dial != "" {
			text += head + q.name + " " + dial
			head = ", "
		}
	}
	return text
}
