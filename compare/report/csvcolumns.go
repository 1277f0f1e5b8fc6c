package report

import (
	"slices"
	"strconv"
	"strings"

	"wsfanout/compare/result"
)

// trialColumn is a number that the results file has as a list or a map: here its sum, its maximum, or its words.
type trialColumn struct {
	head string
	text func(*result.Trial) string
}

var trialColumns = []trialColumn{
	{"healthy_closed_clients", func(t *result.Trial) string { return closed(t.Healthy) }},
	{"stuck_closed_clients", func(t *result.Trial) string { return closed(t.Stuck) }},
	{"stuck_rounds_never_started", number(neverStarted)},
	{"stuck_rounds_due_while_hub_busy", number(roundsSwallowed)},
	{"stuck_jam_round_first", jamNumber(slices.Min[[]int64], func(j *result.JamClient) *int64 { return whole(j.JamRound) })},
	{"stuck_jam_absorbed_bytes_max", jamNumber(slices.Max[[]int64], func(j *result.JamClient) *int64 { return &j.AbsorbedBytes })},
	{"stuck_jam_noticed_by", jamWords(noticedBy)},
	{"stuck_jam_notice_after_ns_max", jamNumber(slices.Max[[]int64], func(j *result.JamClient) *int64 { return j.NoticeAfterNs })},
	{"stuck_jam_evicted_by", jamWords(evictedBy)},
	{"stuck_jam_evict_after_ns_max", jamNumber(slices.Max[[]int64], func(j *result.JamClient) *int64 { return j.EvictAfterNs })},
	{"stuck_jam_held_bytes_max", jamNumber(slices.Max[[]int64], func(j *result.JamClient) *int64 { return &j.HeldBytesMax })},
	{"stuck_jam_queued_messages_max", jamNumber(slices.Max[[]int64], func(j *result.JamClient) *int64 { return whole(&j.QueuedMax) })},
	{"stuck_jam_drops", jamNumber(total, func(j *result.JamClient) *int64 { return &j.Drops })},
	{"stuck_others_expected", otherNumber(func(o *result.Other) int64 { return o.Expected })},
	{"stuck_others_received", otherNumber(func(o *result.Other) int64 { return o.Received })},
	{"stuck_others_dropped", otherNumber(func(o *result.Other) int64 { return o.Dropped })},
	{"stuck_others_failed", otherNumber(func(o *result.Other) int64 { return o.Failed })},
	{"stuck_others_owed", otherNumber(func(o *result.Other) int64 { return o.Owed })},
	{"reach", number(measureOf("reach"))},
	{"warnings", func(t *result.Trial) string { return oneLine(strings.Join(t.Warnings, "; ")) }},
}

func number(measure result.Measure) func(*result.Trial) string {
	return func(t *result.Trial) string {
		if v, ok := measure(t); ok {
			return plainNumber(v)
		}
		return ""
	}
}

// closed is how many healthy clients the server closed.
func closed(p *result.Phase) string {
	if p == nil {
		return ""
	}
	n := 0
	for _, lost := range p.FalseKills {
		n += lost
	}
	return strconv.Itoa(n)
}

// jamNumber makes one of the stuck clients' numbers, whether the jam was proven or not: the column beside it says that.
func jamNumber(join func([]int64) int64, of func(*result.JamClient) *int64) func(*result.Trial) string {
	return func(t *result.Trial) string {
		var numbers []int64
		if t.Stuck != nil {
			for _, j := range stuckClients(t.Stuck) {
				if v := of(j); v != nil {
					numbers = append(numbers, *v)
				}
			}
		}
		if numbers == nil {
			return ""
		}
		return strconv.FormatInt(join(numbers), 10)
	}
}

func total(numbers []int64) int64 {
	var sum int64
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// jamWords are the different words for the stuck clients, in alphabetical order.
func jamWords(of func(*result.JamClient) string) func(*result.Trial) string {
	return func(t *result.Trial) string {
		var words []string
		if t.Stuck != nil {
			for _, j := range stuckClients(t.Stuck) {
				words = append(words, orNobody(of(j)))
			}
		}
		return strings.Join(distinct(words), "; ")
	}
}

func otherNumber(of func(*result.Other) int64) func(*result.Trial) string {
	return func(t *result.Trial) string {
		if t.Stuck == nil {
			return ""
		}
		var sum int64
		for i := range t.Stuck.Others {
			sum += of(&t.Stuck.Others[i])
		}
		return strconv.FormatInt(sum, 10)
	}
}
