package result

import "slices"

// Lost is how many clients of the group the server closed while they were alive: any of a living group, and of one that died those
// closed before.
func (g *TuneGroup) Lost() int {
	if g.Kind == GroupDead || g.Kind == GroupEnded {
		return g.Before
	}
	return g.Closed + g.Before
}

// Missed is how many of a group that died were still connected at the end.
func (g *TuneGroup) Missed() int { return g.Clients - g.Closed - g.Before }

// Good are the trials without an error.
func (t *Tune) Good() []*TuneTrial {
	var good []*TuneTrial
	for i := range t.Trials {
		if t.Trials[i].Error == "" {
			good = append(good, &t.Trials[i])
		}
	}
	return good
}

// Failures are the errors of the other trials, in their order.
func (t *Tune) Failures() []string {
	var reasons []string
	for i := range t.Trials {
		if t.Trials[i].Error != "" {
			reasons = append(reasons, t.Trials[i].Error)
		}
	}
	return reasons
}

// Join is one group of all that have the kind, over the good trials: sums of clients, the range of all their times, and the median
// of the groups' medians. Clients is 0 where there are none.
func (t *Tune) Join(kind string) TuneGroup {
	return joined(t.groups(func(g *TuneGroup) bool { return g.Kind == kind }))
}

// Behaviours are one group for each behaviour over the good trials, joined as in Join, in the order of their first appearance.
func (t *Tune) Behaviours() []TuneGroup {
	var names []string
	for _, g := range t.groups(func(*TuneGroup) bool { return true }) {
		if !slices.Contains(names, g.Behaviour) {
			names = append(names, g.Behaviour)
		}
	}
	var all []TuneGroup
	for _, name := range names {
		all = append(all, joined(t.groups(func(g *TuneGroup) bool { return g.Behaviour == name })))
	}
	return all
}

func (t *Tune) groups(keep func(*TuneGroup) bool) []*TuneGroup {
	var kept []*TuneGroup
	for _, trial := range t.Good() {
		for i := range trial.Groups {
			if g := &trial.Groups[i]; keep(g) {
				kept = append(kept, g)
			}
		}
	}
	return kept
}

func joined(groups []*TuneGroup) TuneGroup {
	var all TuneGroup
	var medians []float64
	for _, g := range groups {
		all.Behaviour, all.Kind = g.Behaviour, g.Kind
		all.Clients, all.Closed, all.Before = all.Clients+g.Clients, all.Closed+g.Closed, all.Before+g.Before
		for reason, n := range g.Reasons {
			if all.Reasons == nil {
				all.Reasons = map[string]int{}
			}
			all.Reasons[reason] += n
		}
		if g.AfterNs == nil {
			continue
		}
		if medians == nil {
			all.AfterNs = &Spread{Min: g.AfterNs.Min, Max: g.AfterNs.Max}
		}
		medians = append(medians, float64(g.AfterNs.Median))
		all.AfterNs.Min, all.AfterNs.Max = min(all.AfterNs.Min, g.AfterNs.Min), max(all.AfterNs.Max, g.AfterNs.Max)
	}
	if medians != nil {
		all.AfterNs.Median = int64(summarize(medians).Median)
	}
	return all
}

// Observed is how long every good trial watched, at least; 0: not known.
func (t *Tune) Observed() int64 {
	var least int64
	for _, trial := range t.Good() {
		if trial.ObservedNs > 0 && (least == 0 || trial.ObservedNs < least) {
			least = trial.ObservedNs
		}
	}
	return least
}

// Median is that of a number of the good trials that have it; ok is false if none has.
func (t *Tune) Median(number func(*TuneTrial) (float64, bool)) (median float64, ok bool) {
	var values []float64
	for _, trial := range t.Good() {
		if v, ok := number(trial); ok {
			values = append(values, v)
		}
	}
	if values == nil {
		return 0, false
	}
	return summarize(values).Median, true
}
