//go:build linux

package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
	"wsfanout/serve"
)

// measured is the raw record of one phase from both sides.
type measured struct {
	run      *cellRun
	kind     string
	began    time.Time
	planned  int // rounds of the strategy
	from, to uint32
	issued   serve.Issued
	drained  serve.Drained
	seen     clientfleet.Collection // the strategy's rounds
	bare     clientfleet.Collection
	counters clientfleet.Counters
	steal    int64
}

// strategyRounds is how many rounds of the strategy were started.
func (m *measured) strategyRounds() int {
	n := 0
	for _, r := range m.issued.Rounds {
		if !r.Bare {
			n++
		}
	}
	return n
}

// reduce turns the record into a phase of the results file. The phase is returned even if its accounts do not add up:
// the error says so, and the numbers show where.
func (m *measured) reduce() (*result.Phase, error) {
	p := &result.Phase{
		Rounds: m.planned, Duplicates: m.seen.Duplicates, OutOfOrder: m.seen.OutOfOrder,
		StealNs: m.steal, AchievedRate: m.achievedRate(),
	}
	accountErr := m.accounts(p)
	latency, err := hdrhistogram.Decode(m.seen.Latency)
	if err != nil {
		return p, fmt.Errorf("fleet: latency histogram: %w", err)
	}
	due, err := hdrhistogram.Decode(m.seen.LatencyDue)
	if err != nil {
		return p, fmt.Errorf("fleet: latency histogram: %w", err)
	}
	if p.Fleet, err = m.fleet(); err != nil {
		return p, err
	}
	p.Latency, p.LatencyDue = distribution(latency), distribution(due)
	p.Spectrum = spectrum(latency)
	p.Positions = positions(m.seen.Clients)
	m.rounds(p)
	m.server(p)
	p.SLO, p.Inbound = m.inTime(latency, p.Expected), m.inbound()
	return p, cmp.Or(m.corrupt(), accountErr)
}

// accounts fills the ledger: every expected message of every healthy client is received, dropped, failed or owed, each of
// them counted. A client that was closed keeps its expected messages: what it did not get has failed.
func (m *measured) accounts(p *result.Phase) error {
	rounds := m.strategyRounds()
	p.Expected = int64(m.run.clients) * int64(m.planned)
	p.Failed = int64(m.run.clients) * int64(m.planned-rounds) // rounds that never started: the hub was blocked
	p.FalseKills = map[string]int{}
	account := map[int]serve.Account{}
	for _, a := range m.drained.Accounts {
		account[a.Number] = a
	}
	var firstWrong error
	for _, c := range m.seen.Clients {
		a := account[c.Number]
		if a.Lost != "" {
			p.FalseKills[a.Lost]++
			a.Failed, a.Owed = rounds-c.Received-a.Dropped, 0
		}
		p.Received += int64(c.Received)
		p.Dropped += int64(a.Dropped)
		p.Failed += int64(a.Failed)
		p.Owed += int64(a.Owed)
		if sum := c.Received + a.Dropped + a.Failed + a.Owed; (sum != rounds || a.Failed < 0) && firstWrong == nil {
			firstWrong = fmt.Errorf("accounts do not add up: client %d%s received %d, dropped %d, failed %d, owed %d of %d%s",
				c.Number, m.run.whose(c.Number), c.Received, a.Dropped, a.Failed, a.Owed, rounds, m.whyGone(c.Number))
		}
	}
	return cmp.Or(firstWrong, p.Check())
}

func (m *measured) whyGone(number int) string {
	for _, g := range m.seen.Gone {
		if g.Number == number {
			return " (it saw: " + g.Why + ")"
		}
	}
	return ""
}

// rounds fills the round by round record and what is derived from it: last client, hub time, and the paired ratio.
func (m *measured) rounds(p *result.Phase) {
	seen := byRound(m.seen.Rounds)
	bare := byRound(m.bare.Rounds)
	var lasts, hubs, spreads []int64
	var ratios []float64
	p.RoundsDetail = []result.Round{}
	vs := result.VsBare{}
	origin := m.issued.Rounds[0].Due
	for i, s := range m.issued.Rounds {
		if s.Bare {
			continue
		}
		d := result.Round{N: s.N, DueNs: s.Due - origin, StartNs: s.Start - origin, HubNs: s.End - s.Start}
		hubs = append(hubs, d.HubNs)
		if r := seen[s.N]; r.Received > 0 { // an extra alone may have it
			d.Received, d.FirstNs, d.LastNs = r.Received, r.First-r.Start, r.Last-r.Start
			lasts, spreads = append(lasts, d.LastNs), append(spreads, r.Spread)
		}
		if i+1 < len(m.issued.Rounds) && m.issued.Rounds[i+1].Bare {
			if b, ok := m.pair(d, m.issued.Rounds[i+1], bare); ok {
				d.BareLastNs = &b
				ratios = append(ratios, float64(d.LastNs)/float64(b))
			} else {
				vs.Discarded++
			}
		}
		p.RoundsDetail = append(p.RoundsDetail, d)
	}
	p.Hub = result.Hub{Median: median(hubs), Max: slices.Max(hubs)}
	if len(lasts) > 0 {
		p.LastClient = &result.Last{Median: median(lasts), Worst: slices.Max(lasts)}
		p.Spread = &result.Last{Median: median(spreads), Worst: slices.Max(spreads)}
	}
	if vs.Pairs = len(ratios); vs.Pairs > 0 {
		vs.Median = median(ratios)
	}
	if vs.Pairs+vs.Discarded > 0 {
		p.VsBare = &vs
	}
}

// pair returns the bare round's last client, if both rounds of the pair reached the same, complete set of clients.
func (m *measured) pair(d result.Round, s serve.Round, bare map[uint32]clientfleet.RoundSeen) (int64, bool) {
	b, ok := bare[s.N]
	if !ok || s.Discard != "" || b.Received != m.run.clients || d.Received != m.run.clients || b.Last <= b.Start {
		return 0, false
	}
	return b.Last - b.Start, true
}

func byRound(rounds []clientfleet.RoundSeen) map[uint32]clientfleet.RoundSeen {
	by := map[uint32]clientfleet.RoundSeen{}
	for _, r := range rounds {
		by[r.N] = r
	}
	return by
}

// server fills the server's costs: of the strategy's rounds only, over the deliveries that arrived.
func (m *measured) server(p *result.Phase) {
	spent, after := m.drained.Strategy, m.drained.After
	atRest, start := m.run.settled, m.run.started
	p.Server = result.Server{
		InvoluntarySwitches: spent.Involuntary, RSSBytes: after.RSSBytes, HeapBytes: atRest.HeapBytes,
		BytesPerClient: float64(atRest.HeapBytes+atRest.StackBytes-start.BaselineBytes) / float64(m.run.clients),
		Goroutines:     atRest.Goroutines, Threads: after.Threads, GCPauseNs: spent.GCPauseNs, OwedBytesMax: m.drained.OwedMax,
	}
	if n := float64(p.Received); n > 0 {
		p.Server.CPUUserNsPerDelivery = float64(spent.UserNs) / n
		p.Server.CPUSystemNsPerDelivery = float64(spent.SystemNs) / n
		p.Server.CPUNsPerDelivery = p.Server.CPUUserNsPerDelivery + p.Server.CPUSystemNsPerDelivery
	}
	if n := float64(spent.Rounds); n > 0 {
		p.Server.CPUNsPerRound = float64(spent.UserNs+spent.SystemNs) / n
		p.Server.CtxSwitchesPerRound = float64(spent.Switches) / n
		if spent.WriteCalls >= 0 {
			calls := float64(spent.WriteCalls) / n
			p.Server.WriteSyscallsPerRound = &calls
		}
	}
}

// fleet fills the observer's own costs, bare rounds included.
func (m *measured) fleet() (result.Fleet, error) {
	lag, err := hdrhistogram.Decode(m.counters.Lag)
	if err != nil {
		return result.Fleet{}, fmt.Errorf("fleet: lag histogram: %w", err)
	}
	c := m.counters
	f := result.Fleet{
		Lag:                  result.Lag{P50: lag.ValueAtQuantile(50), P99: lag.ValueAtQuantile(99), Max: lag.Max()},
		WireBytesPerDelivery: m.wireBytes(), RSSBytes: c.RSSBytes, SharedStamps: c.SharedStamps, Unstamped: c.Unstamped, ClockSteps: c.ClockSteps,
	}
	cpu := float64(c.CPUUserNs + c.CPUSystemNs)
	if n := float64(c.Messages); n > 0 {
		f.CPUNsPerDelivery, f.WakeupsPerDelivery = cpu/n, float64(c.Wakeups)/n
	}
	// The CPU is the whole phase's, polls and bookkeeping included: against a few milliseconds of deliveries it says nothing.
	if busy := m.busyTime(); busy > leastBusy && c.Readers > 0 {
		f.BusyShare = min(cpu/(float64(c.Readers)*float64(busy)), 1)
	}
	return f, nil
}

// leastBusy is the busy time from which on a share of it is told.
const leastBusy = 50 * time.Millisecond

// busyTime is the time in which the fleet had something to do: from each round's start to its last pick-up. Rounds that
// overlap count once.
func (m *measured) busyTime() (total time.Duration) {
	rounds := slices.Concat(m.seen.Rounds, m.bare.Rounds)
	slices.SortFunc(rounds, func(a, b clientfleet.RoundSeen) int { return cmp.Compare(a.Start, b.Start) })
	var until int64
	for _, r := range rounds {
		if from := max(r.Start, until); r.PickedUp > from {
			total += time.Duration(r.PickedUp - from)
			until = r.PickedUp
		}
	}
	return total
}

// achievedRate is the schedule's planned length over the one it took: 1 unless rounds fell behind.
func (m *measured) achievedRate() float64 {
	rounds := m.issued.Rounds
	var start, due int64
	for _, r := range rounds {
		if r.Start > 0 {
			start, due = r.Start, r.Due
		}
	}
	planned, took := due-rounds[0].Due, start-rounds[0].Due
	if planned <= 0 || took <= planned {
		return 1
	}
	return float64(planned) / float64(took)
}

// warnings are doubts about this trial that no number of the file shows.
func (m *measured) warnings() []string {
	var out []string
	if m.seen.Malformed > 0 {
		out = append(out, fmt.Sprintf("%d messages of an unknown size or kind reached the clients", m.seen.Malformed))
	}
	if text := m.unheard(); text != "" {
		out = append(out, text)
	}
	if n, example := discarded(m.issued.Rounds); n > 0 {
		out = append(out, fmt.Sprintf("%d bare rounds discarded, the last because %s", n, example))
	}
	return out
}

func discarded(rounds []serve.Round) (n int, example string) {
	for _, r := range rounds {
		if r.Discard != "" {
			n, example = n+1, r.Discard
		}
	}
	return n, example
}
