package clientfleet

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// MergeConnected adds up the answers of several fleets, which connected at the same time. Dial is left out if that of one of
// them cannot be read: a part of the clients is not all.
func MergeConnected(parts ...Connected) Connected {
	all := Connected{Errors: map[string]int{}}
	dial := newHistogram()
	for _, p := range parts {
		if mergeInto(dial, p.Dial) != nil {
			dial = nil
		}
		all.Asked += p.Asked
		all.Connected += p.Connected
		all.ConnectNs = max(all.ConnectNs, p.ConnectNs)
		all.Sources = max(all.Sources, p.Sources)
		all.Unstamped += p.Unstamped
		for why, n := range p.Errors {
			all.Errors[why] += n
		}
	}
	all.Dial = encodeSome(dial)
	return all
}

// mergeInto adds an encoded histogram; none is empty. A nil h stays nil.
func mergeInto(h *hdrhistogram.Histogram, encoded []byte) error {
	if h == nil || len(encoded) == 0 {
		return nil
	}
	part, err := hdrhistogram.Decode(encoded)
	if err == nil {
		h.Merge(part)
	}
	return err
}

// MergeCounters adds up what several fleets have spent since their last Mark. The error is that of a histogram that cannot be read.
func MergeCounters(parts ...Counters) (Counters, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	var all Counters
	lag := newHistogram()
	for _, p := range parts {
		h, err := hdrhistogram.Decode(p.Lag)
		if err != nil {
			return all, fmt.Errorf("clientfleet: lag: %w", err)
		}
		lag.Merge(h)
		all.CPUUserNs += p.CPUUserNs
		all.CPUSystemNs += p.CPUSystemNs
		all.Wakeups += p.Wakeups
		all.Messages += p.Messages
		all.Readers += p.Readers
		all.SharedStamps += p.SharedStamps
		all.Unstamped += p.Unstamped
		all.ClockSteps = max(all.ClockSteps, p.ClockSteps)
		all.Involuntary += p.Involuntary
		all.RSSBytes += p.RSSBytes
		all.Inflated += p.Inflated
		all.WireBytes.Strategy.merge(p.WireBytes.Strategy)
		all.WireBytes.Bare.merge(p.WireBytes.Bare)
		all.InboundSent += p.InboundSent
		all.InboundSkipped += p.InboundSkipped
	}
	var err error
	all.Lag, err = lag.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return all, err
}
