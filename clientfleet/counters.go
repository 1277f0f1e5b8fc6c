package clientfleet

import (
	"fmt"
	"os"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sys/unix"

	"wsfanout/internal/stamp"
)

// highestValue is the largest nanoseconds that a histogram takes; larger ones are counted as this.
const highestValue = 60_000_000_000

// newHistogram returns a histogram of nanoseconds: 64 ns to 60 s, three digits. All of a fleet are alike so that they merge.
func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(100, highestValue, 3) }

// usage is what the process has spent.
type usage struct{ user, system, involuntary int64 }

func spent() (usage, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return usage{}, fmt.Errorf("clientfleet: getrusage: %w", err)
	}
	return usage{user: u.Utime.Nano(), system: u.Stime.Nano(), involuntary: u.Nivcsw}, nil
}

func (t *Traffic) add(bytes int64) {
	t.Messages++
	t.Bytes += bytes
}

func (t *Traffic) merge(o Traffic) {
	t.Messages += o.Messages
	t.Bytes += o.Bytes
}

// Mark starts the counters anew: the start of a phase.
func (f *Fleet) Mark() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrClosed
	}
	f.each(func(r *reader) {
		r.tally = tally{}
		r.lag.Reset()
		r.oldSteps = r.wall.steps
	})
	var err error
	f.marked, err = spent()
	return err
}

// Counters returns what the fleet has counted and spent since Mark.
func (f *Fleet) Counters() (Counters, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return Counters{}, ErrClosed
	}
	now, err := spent() // first: the answer itself is not part of the phase
	if err != nil {
		return Counters{}, err
	}
	c := Counters{
		CPUUserNs: now.user - f.marked.user, CPUSystemNs: now.system - f.marked.system,
		Involuntary: now.involuntary - f.marked.involuntary, Readers: len(f.readers),
	}
	lag := newHistogram()
	f.each(func(r *reader) {
		c.Wakeups += r.tally.wakeups
		c.Messages += r.tally.messages
		c.SharedStamps += r.tally.shared
		c.Unstamped += r.tally.unstamped
		c.Inflated += r.tally.inflated
		c.InboundSent += r.tally.sent
		c.InboundSkipped += r.tally.skipped
		c.WireBytes.Strategy.merge(r.tally.kinds[stamp.Strategy])
		c.WireBytes.Bare.merge(r.tally.kinds[stamp.Bare])
		c.ClockSteps = max(c.ClockSteps, r.wall.steps-r.oldSteps)
		lag.Merge(r.lag)
	})
	c.Lag = encode(lag)
	c.RSSBytes, err = resident()
	return c, err
}

// encode returns a histogram as V2 compressed bytes.
func encode(h *hdrhistogram.Histogram) []byte {
	b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		panic("clientfleet: histogram: " + err.Error()) // it writes to memory and knows this encoding
	}
	return b
}

// encodeSome is encode, and nil for a histogram of nothing, which would say 0.
func encodeSome(h *hdrhistogram.Histogram) []byte {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	return encode(h)
}

// resident returns the process's resident memory in bytes.
func resident() (int64, error) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("clientfleet: %w", err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		return 0, fmt.Errorf("clientfleet: statm: %w", err)
	}
	return pages * int64(os.Getpagesize()), nil
}
