package clientfleet

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

// ErrPlan is wrapped by every error about a Plan that cannot be carried out.
var ErrPlan = errors.New("clientfleet: bad plan")

// checked returns p with its defaults filled in, or what is wrong with it.
func (p Plan) checked() (Plan, error) {
	if p.Path == "" {
		p.Path = "/ws"
	}
	if p.Readers == 0 {
		p.Readers = max(1, runtime.GOMAXPROCS(0)/2)
	}
	if p.Dialing == 0 {
		p.Dialing = 32 // more are no faster, and every handshake at a time may leave a thread behind
	}
	if p.Nap == 0 {
		p.Nap = 200 * time.Microsecond
	}
	if p.Timeout == 0 {
		p.Timeout = time.Minute
	}
	switch {
	case p.Size < stamp.Size:
		return p, fmt.Errorf("%w: payloads of %d bytes, a stamp needs %d", ErrPlan, p.Size, stamp.Size)
	case p.Rounds < 0 || p.Rounds > math.MaxInt32:
		return p, fmt.Errorf("%w: %d rounds", ErrPlan, p.Rounds)
	case p.Readers < 0 || p.Dialing < 0 || p.Timeout < 0:
		return p, fmt.Errorf("%w: negative readers, dialing or timeout", ErrPlan)
	}
	if err := p.Inbound.checked(); err != nil {
		return p, err
	}
	if _, err := p.TLS.config(p.Addr); err != nil {
		return p, err
	}
	return p, p.checkNumbers()
}

// checkNumbers refuses a number that two clients would share: a server answers 409 to the second.
func (p Plan) checkNumbers() error {
	seen := make(map[int]bool)
	add := func(n int) error {
		if seen[n] {
			return fmt.Errorf("%w: client %d twice", ErrPlan, n)
		}
		seen[n] = true
		return nil
	}
	for _, r := range p.Numbers {
		if r.From < 0 || r.To < r.From || r.To > math.MaxInt32 {
			return fmt.Errorf("%w: clients %d to %d", ErrPlan, r.From, r.To)
		}
		for n := r.From; n < r.To; n++ {
			if err := add(n); err != nil {
				return err
			}
		}
	}
	for _, x := range p.Extras {
		if x.Number < 0 || x.Number > math.MaxInt32 {
			return fmt.Errorf("%w: client %d", ErrPlan, x.Number)
		}
		if x.Kind != Stuck && x.Kind != Slow && x.Kind != Vanished {
			return fmt.Errorf("%w: client %d of unknown kind %q, known: %s, %s, %s", ErrPlan, x.Number, x.Kind, Stuck, Slow, Vanished)
		}
		if len(x.Announce) > ws.MaxControlFramePayloadSize {
			return fmt.Errorf("%w: client %d announces itself with %d bytes, want at most %d", ErrPlan, x.Number, len(x.Announce), ws.MaxControlFramePayloadSize)
		}
		if x.Rate < 0 || x.Resume < 0 || x.Kind == Slow && x.Rate == 0 {
			return fmt.Errorf("%w: client %d reads %d B/s, resumes after %v", ErrPlan, x.Number, x.Rate, x.Resume)
		}
		if err := add(x.Number); err != nil {
			return err
		}
	}
	return nil
}
