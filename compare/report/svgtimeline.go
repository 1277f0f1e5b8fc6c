package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// timelines show the stuck phase of every cell of every run: when each round was due, when it started, how long the hub was
// busy with it, and when the last client had it.
func (s *sheet) timelines() []string {
	var longest float64
	var shown [][]chosen
	for _, at := range s.grid() {
		cells := s.each(at, worstHealthy, func(t *result.Trial) bool { return t.Proven() && len(t.Stuck.RoundsDetail) > 0 })
		for _, c := range cells {
			longest = max(longest, endOf(c.trial.Stuck))
		}
		shown = append(shown, cells)
	}
	if longest == 0 {
		return nil
	}
	x := timeAxis(0, longest*1.02, 4, "since the first round was due, ")
	var panels []string
	for row := range slices.Chunk(shown, len(s.engines)) {
		for i := range s.runs { // below each other: bars of two runs would hide each other
			panels = append(panels, s.timelineRow(row, i, x)...)
		}
	}
	return panels
}

// timelineRow is one strategy of one run, "" for an engine without it; nil if no engine has it.
func (s *sheet) timelineRow(row [][]chosen, run int, x axis) []string {
	panels := make([]string, len(row))
	drawn := false
	for i, cells := range row {
		for _, c := range cells {
			if c.run == run {
				panels[i], drawn = s.timeline(c, x), true
			}
		}
	}
	if !drawn {
		return nil
	}
	return panels
}

// endOf is the last instant of a phase that the picture must hold.
func endOf(p *result.Phase) float64 {
	var end int64
	for _, r := range p.RoundsDetail {
		end = max(end, r.StartNs+max(r.HubNs, r.LastNs))
	}
	if jam, notice, ok := jamAndNotice(p); ok {
		end = max(end, jam+notice)
	}
	return float64(end)
}

// jamAndNotice are the start of the round in which the first client jammed, and how long after it that was noticed, 0 if it
// was not. The instant of the jam is known to its round only.
func jamAndNotice(p *result.Phase) (jam, notice int64, ok bool) {
	for _, j := range stuckClients(p) {
		if j.JamRound == nil || *j.JamRound < 1 || *j.JamRound > len(p.RoundsDetail) {
			continue
		}
		start := p.RoundsDetail[*j.JamRound-1].StartNs
		if ok && start >= jam {
			continue
		}
		jam, notice, ok = start, 0, true
		if j.NoticeAfterNs != nil {
			notice = *j.NoticeAfterNs
		}
	}
	return jam, notice, ok
}

func (s *sheet) timeline(c chosen, x axis) string {
	phase := c.trial.Stuck
	rounds := max(phase.Rounds, len(phase.RoundsDetail))
	y := axis{low: float64(rounds) + 0.5, high: 0.5, label: "round"}
	for n := 1; n <= rounds; n++ {
		if every := (rounds + 7) / 8; (n-1)%every == 0 {
			y.ticks = append(y.ticks, tick{float64(n), fmt.Sprint(n)})
		}
	}
	p := newPanel(s.tag(c)+s.label(c.at), stallText(phase), x, y)
	lane := (p.y.at(2) - p.y.at(1)) * 0.62
	for i, r := range phase.RoundsDetail {
		p.round(c.series, i+1, r, min(lane, 9))
	}
	if never := rounds - len(phase.RoundsDetail); never > 0 {
		p.text(p.x.from+4, p.y.at(float64(rounds)-float64(never-1)/2)+3, "quiet", fmt.Sprintf("%d never began", never))
	}
	p.jam(phase)
	p.desc = timelineWords(c)
	return p.inline()
}

// round is a lane of its own: a stroke where it was due, dots while it waits, the hub's work, and on to the last client.
func (p *plot) round(series, n int, r result.Round, height float64) {
	tip := fmt.Sprintf("round %d: started %s after it was due, hub busy for %s, last client after %s",
		n, duration(float64(r.StartNs-r.DueNs)), duration(float64(r.HubNs)), duration(float64(r.LastNs)))
	due, start := p.x.at(float64(r.DueNs)), p.x.at(float64(r.StartNs))
	hub, last := p.x.at(float64(r.StartNs+r.HubNs)), p.x.at(float64(r.StartNs+r.LastNs))
	y := p.y.at(float64(n))
	p.group("mark "+seriesClass(series), tip)
	if start-due > 1 {
		p.line(due, y, start, y, "wait")
	}
	if last > hub {
		p.rect(hub, y-height/4, last-hub, height/2, "soft")
	}
	p.rect(start, y-height/2, max(hub-start, 0.8), height, "solid")
	p.end()
	p.line(due, y-height/2, due, y+height/2, "due")
}

// jam marks the round that jammed and the instant of the notice.
func (p *plot) jam(phase *result.Phase) {
	jam, notice, ok := jamAndNotice(phase)
	if !ok {
		return
	}
	top, bottom := p.y.to-6, p.y.from
	at := p.x.at(float64(jam))
	p.line(at, top, at, bottom, "jam")
	p.text(at, top-3, "tick mid alarm", "jam")
	if notice == 0 {
		return
	}
	then := p.x.at(float64(jam + notice))
	p.line(then, top, then, bottom, "noticed")
	if then-at > 32 { // else the words would run into each other
		p.text(min(then, p.width-panelMargins.right-16), top-3, "tick mid alarm", "noticed")
	}
}

// stallText is the longest time that the hub was busy with one round, and how many rounds were due meanwhile.
func stallText(p *result.Phase) string {
	var stall int64
	for _, r := range p.RoundsDetail {
		stall = max(stall, r.HubNs)
	}
	waited, _ := roundsSwallowed(&result.Trial{Stuck: p})
	never := p.Rounds - len(p.RoundsDetail)
	switch {
	case never > 0:
		return fmt.Sprintf("stall %s, %d never began", duration(float64(stall)), never)
	case waited == 0 || p.Blast == nil || p.Blast.LateRounds == 0:
		return "no round waited"
	}
	return fmt.Sprintf("stall %s, %s waited", duration(float64(stall)), count(waited))
}

func timelineWords(c chosen) string {
	parts := []string{stallText(c.trial.Stuck)}
	for _, j := range stuckClients(c.trial.Stuck) {
		text := fmt.Sprintf("client %d", j.Number)
		if j.JamRound != nil {
			text += fmt.Sprintf(" jammed in round %d", *j.JamRound)
		}
		if j.NoticeAfterNs != nil {
			text += fmt.Sprintf(", noticed by %s %s later", j.NoticedBy, duration(float64(*j.NoticeAfterNs)))
		} else {
			text += ", noticed by nobody"
		}
		parts = append(parts, text)
	}
	return "Rounds of the stuck phase over time: " + strings.Join(parts, "; ")
}
