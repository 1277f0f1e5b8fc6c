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
	asking := 0
	for _, x := range p.Extras {
		if x.Kind == AsksClock {
			asking++
		}
		if err := x.checked(); err != nil {
			return fmt.Errorf("%w: client %d %w", ErrPlan, x.Number, err)
		}
		if err := add(x.Number); err != nil {
			return err
		}
	}
	if asking > 1 {
		return fmt.Errorf("%w: %d clients of kind %s, one is enough", ErrPlan, asking, AsksClock)
	}
	return nil
}

// checked returns what is wrong with an extra, to be said after its number.
func (x Extra) checked() error {
	k := findKind(x.Kind)
	switch {
	case x.Number < 0 || x.Number > math.MaxInt32:
		return errors.New("has a number out of range")
	case k == nil:
		return fmt.Errorf("of unknown kind %q, known: %s", x.Kind, kindNames())
	case len(x.Announce) > ws.MaxControlFramePayloadSize:
		return fmt.Errorf("announces itself with %d bytes, want at most %d", len(x.Announce), ws.MaxControlFramePayloadSize)
	case x.Rate < 0 || x.Resume < 0 || x.Kind == Slow && x.Rate == 0:
		return fmt.Errorf("reads %d B/s, resumes after %v", x.Rate, x.Resume)
	case x.After < 0 || x.Every < 0 || x.Delay < 0:
		return fmt.Errorf("begins after %v, sends every %v, answers after %v: none may be negative", x.After, x.Every, x.Delay)
	case x.Kind == Blocker && x.Announce == "":
		return fmt.Errorf("of kind %s needs an Announce", x.Kind)
	case k.say != nil && x.Every == 0:
		return fmt.Errorf("of kind %s needs an Every above 0", x.Kind)
	case x.Kind == Late && x.Delay == 0:
		return fmt.Errorf("of kind %s needs a Delay above 0", x.Kind)
	}
	return nil
}
