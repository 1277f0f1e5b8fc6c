package serve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"wsfanout/engines"
	"wsfanout/internal/clock"
	"wsfanout/internal/procstat"
	"wsfanout/internal/sock"
	"wsfanout/internal/stamp"
)

// closes lists everybody who was open once and is not any more.
func (s *session) closes(context.Context, struct{}) (Closes, error) {
	healthy, extras := s.register.lost()
	out := Closes{Now: clock.Now(), Open: s.register.members()}
	for _, lost := range []map[int]loss{healthy, extras} {
		for number, l := range lost {
			out.Closes = append(out.Closes, Close{number, l.why, l.at})
		}
	}
	slices.SortFunc(out.Closes, func(a, b Close) int { return cmp.Compare(a.Number, b.Number) })
	return out, nil
}

// usage is what the process has used so far and holds now, without a garbage collection.
func (s *session) usage(context.Context, struct{}) (Usage, error) {
	u, err := procstat.Read()
	if err != nil {
		return Usage{}, err
	}
	now := clock.Now()
	rest, err := s.rest(false)
	return Usage{At: now, UserNs: u.UserNs, SystemNs: u.SystemNs, GCPauseNs: u.GCPauseNs, Now: rest}, err
}

// hold is the server at rest with so many members: also with none, after everybody has gone.
func (s *session) hold(ctx context.Context, h Hold) (Held, error) {
	for deadline := time.Now().Add(h.Timeout); s.register.members() != h.Members && time.Now().Before(deadline); {
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return Held{}, err
		}
	}
	if err := sleep(ctx, restTime); err != nil { // descriptors and goroutines follow their connections
		return Held{}, err
	}
	rest, err := s.rest(true)
	held := Held{Settled: rest, Start: Settled{
		FDs: s.baseline.FDs, Goroutines: s.baseline.Goroutines, Threads: s.baseline.Threads,
		HeapBytes: s.baseline.HeapBytes, StackBytes: s.baseline.StackBytes, RSSBytes: s.baseline.RSSBytes,
	}}
	for _, c := range s.engine.Conns() {
		_ = c.Control(func(fd uintptr) { // gone meanwhile: it holds nothing
			n, refused := sock.Memory(int(fd))
			if refused != nil {
				held.Kernel = -1
			}
			if held.Kernel >= 0 {
				held.Kernel += n
			}
		})
	}
	return held, err
}

// restTime is how long a server may take to tidy up behind clients that left.
const restTime = 200 * time.Millisecond

// burst begins to send and does not wait: where writes block, they block for as long as the clients take to read.
func (s *session) burst(_ context.Context, b Burst) (struct{}, error) {
	if b.Messages < 1 || b.Size < stamp.Size || b.Size > s.plan.Size {
		return struct{}{}, fmt.Errorf("burst: %d messages of %d bytes: want some of %d to %d", b.Messages, b.Size, stamp.Size, s.plan.Size)
	}
	payload := stamp.New(stamp.Stamp{Start: clock.Now(), Kind: stamp.Filler}, s.filling[:b.Size])
	for _, c := range s.engine.Conns() {
		if slices.Contains(b.Numbers, c.Number()) {
			s.bursts.Go(func() { flood(c, payload, b) })
		}
	}
	return struct{}{}, nil
}

// flood ends early when the client is closed.
func flood(c engines.Conn, payload []byte, b Burst) {
	for range b.Messages {
		if b.Gate > 0 && c.Owed()+int64(len(payload)) > b.Gate {
			continue
		}
		if c.Write(payload) != nil {
			return
		}
	}
	due := clock.Now()
	for range b.Then {
		due += int64(b.Every)
		clock.SleepUntil(due)
		if c.Write(payload) != nil {
			return
		}
	}
}
