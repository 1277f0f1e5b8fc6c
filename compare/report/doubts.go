package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// Above these a cell is doubted.
const (
	busyLimit   = 0.8   // of the time of the fleet's readers: then the fleet was what was measured
	behindLimit = 0.99  // of the planned rate
	stealLimit  = 0.01  // of the time of all CPUs in the phase
	stampLimit  = 0.001 // of the messages
)

// doubt is one note over the measured cells for which show has something to say, each with it in brackets; no cell, no note.
func doubt(f *result.File, title string, show func(*result.Cell) string) []note {
	return noteOn(f, upper, isMeasured, title, show)
}

func noteOn(f *result.File, t table, has func(*result.Cell) bool, title string, show func(*result.Cell) string) []note {
	n := note{table: t}
	var parts []string
	for i := range f.Cells {
		c := &f.Cells[i]
		if !has(c) {
			continue
		}
		if text := show(c); text != "" {
			parts = append(parts, fmt.Sprintf("%s (%s)", name(c), text))
			n.rows = append(n.rows, i)
		}
	}
	if parts == nil {
		return nil
	}
	n.text = title + ": " + strings.Join(parts, ", ")
	return []note{n}
}

// failedTrials are those of cells that have others, whose figures stand in the table.
func failedTrials(f *result.File) []note {
	return doubt(f, "trials that failed and are not in the figures", func(c *result.Cell) string {
		reasons := failures(c)
		if len(reasons) == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d: %s", len(reasons), len(c.Trials), strings.Join(distinct(reasons), "; "))
	})
}

// failedCells has the reasons that a row of the table is too narrow for.
func failedCells(f *result.File) []note {
	var notes []note
	for i := range f.Cells {
		c := &f.Cells[i]
		reasons := distinct(failures(c))
		if isMeasured(c) || len(reasons) == 0 || len(reasons) == 1 && len(reasons[0]) <= rowReason {
			continue
		}
		notes = append(notes, note{text: fmt.Sprintf("%s failed: %s", name(c), strings.Join(reasons, "; "))})
	}
	return notes
}

// rowReason is the length of a reason that always fits into a row of 120 columns.
const rowReason = 60

func distinct(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// undelivered shows where the accounts have more than "received".
func undelivered(f *result.File) []note {
	return doubt(f, "not every message arrived", func(c *result.Cell) string {
		phases := healthyPhases(c)
		text, lost := ledger(phases), 0
		for _, p := range phases {
			for _, n := range p.FalseKills {
				lost += n
			}
		}
		if lost != 0 {
			text += ", " + plural(lost, "healthy client") + " closed"
		}
		return strings.TrimPrefix(text, ", ")
	})
}

// ledger is what became of the messages that were not received, "" if there are none.
func ledger(phases []*result.Phase) string {
	var sum result.Phase
	for _, p := range phases {
		sum.Expected += p.Expected
		sum.Received += p.Received
		sum.Dropped += p.Dropped
		sum.Failed += p.Failed
		sum.Owed += p.Owed
	}
	if sum.Received == sum.Expected {
		return ""
	}
	text := fmt.Sprintf("%s of %s", count(float64(sum.Received)), count(float64(sum.Expected)))
	for _, part := range []struct {
		n    int64
		what string
	}{{sum.Dropped, "dropped"}, {sum.Failed, "failed"}, {sum.Owed, "still owed"}} {
		if part.n != 0 {
			text += fmt.Sprintf(", %s %s", count(float64(part.n)), part.what)
		}
	}
	return text
}

func disordered(f *result.File) []note {
	return doubt(f, "messages that came twice or out of order", func(c *result.Cell) string {
		var n int64
		for _, p := range healthyPhases(c) {
			n += p.Duplicates + p.OutOfOrder
		}
		if n == 0 {
			return ""
		}
		return count(float64(n))
	})
}

func fleetLimit(f *result.File) []note {
	return doubt(f, "the fleet was the limit, its readers were busy for more than 80 % of the time", func(c *result.Cell) string {
		busy := worst(c, ofHealthy(func(p *result.Phase) float64 { return p.Fleet.BusyShare }))
		if busy <= busyLimit {
			return ""
		}
		return percent(busy)
	})
}

func fellBehind(f *result.File) []note {
	return doubt(f, "rounds fell behind the schedule, the rate reached of the planned one", func(c *result.Cell) string {
		behind := worst(c, ofHealthy(func(p *result.Phase) float64 { return 1 - p.AchievedRate }))
		if behind <= 1-behindLimit || behind == 1 { // 1: the rate is absent
			return ""
		}
		return percent(1 - behind)
	})
}

func stolen(f *result.File) []note {
	return doubt(f, "the hypervisor took CPU time away (steal), more than 1 % of the phase", func(c *result.Cell) string {
		share := worst(c, ofHealthy(func(p *result.Phase) float64 { return stealShare(p, f.Host.CPUs) }))
		if share <= stealLimit {
			return ""
		}
		return percent(share)
	})
}

// stealShare is of the time that all CPUs had from the first round's due instant to the last round's last client.
func stealShare(p *result.Phase, cpus int) float64 {
	if len(p.RoundsDetail) == 0 || cpus == 0 {
		return 0
	}
	end := p.RoundsDetail[len(p.RoundsDetail)-1]
	length := float64(end.StartNs+max(end.LastNs, end.HubNs)) * float64(cpus)
	if length <= 0 {
		return 0
	}
	return float64(p.StealNs) / length
}

func clockSteps(f *result.File) []note {
	return doubt(f, "the wall clock was set during the phase, arrivals around it are off", func(c *result.Cell) string {
		steps := worst(c, ofHealthy(func(p *result.Phase) float64 { return float64(p.Fleet.ClockSteps) }))
		if steps == 0 {
			return ""
		}
		return plural(int(steps), "step")
	})
}

// mergedStamps covers messages with a stamp that may be too late: the kernel merged them with later ones, or stamped none.
func mergedStamps(f *result.File) []note {
	const title = "messages whose arrival is known less exactly, as the kernel merged them with later ones or did not stamp them"
	return doubt(f, title, func(c *result.Cell) string {
		share := worst(c, ofHealthy(func(p *result.Phase) float64 { return inexactShare(p, c.Clients) }))
		if share <= stampLimit {
			return ""
		}
		return percent(share)
	})
}

// inexactShare is of all messages that the fleet picked up; bare rounds, which it counts too, reach every client.
func inexactShare(p *result.Phase, clients int) float64 {
	messages := p.Received
	for _, r := range p.RoundsDetail {
		if r.BareLastNs != nil {
			messages += int64(clients)
		}
	}
	if messages == 0 {
		return 0
	}
	return float64(p.Fleet.SharedStamps+p.Fleet.Unstamped) / float64(messages)
}

// healthyPhases are those of the good trials.
func healthyPhases(c *result.Cell) []*result.Phase {
	var phases []*result.Phase
	for i := range c.Trials {
		if t := &c.Trials[i]; t.Error == "" && t.Healthy != nil {
			phases = append(phases, t.Healthy)
		}
	}
	return phases
}
