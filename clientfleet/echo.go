package clientfleet

import (
	"fmt"
	"time"
)

// Echo is a load of messages that the server sends back: whole masked binary frames from the healthy clients that are
// connected when it begins. The first 8 bytes of a payload are the instant of its send and the next 8 that at which it was
// due, little endian, CLOCK_MONOTONIC nanoseconds; the rest does not compress. So an echo says itself what it answers.
//
// From its first Echo on, a fleet takes every message at a healthy client for an echo: it is in no round any more.
type Echo struct {
	Mode string `json:"mode"` // EchoRate or EchoClosed

	// PerSecond is EchoRate's: messages per second of all clients together. The schedule is absolute, one client after the
	// other, and shifts for nothing: what is late is sent at once.
	PerSecond float64 `json:"per_second,omitempty"`

	// Outstanding is EchoClosed's: so many clients have one message under way, each sending the next when its echo comes. The
	// others rest; they only replace clients that are gone.
	Outstanding int `json:"outstanding,omitempty"`

	Size   int           `json:"size_bytes"`          // payload bytes, 16 to 1 MiB
	For    time.Duration `json:"for_ns"`              // the window that is measured
	Warmup time.Duration `json:"warmup_ns,omitempty"` // of the same load, before it
}

// The modes of an Echo.
const (
	EchoRate   = "rate"
	EchoClosed = "closed"
)

const (
	smallestEcho = 16
	largestEcho  = 1 << 20
	mostEchoes   = 10e6 // a second; each turn is accounted for, also those that no machine can send

	// echoUnderWay is how many payload bytes of one client may be on their way in EchoRate, at least one message. 10,000
	// clients of a server that stalls would otherwise fill the kernel's memory. The next turn waits for an echo.
	echoUnderWay = 16 << 10
)

// echoDrain is how long the last echoes may take. Tests have less time.
var echoDrain = 2 * time.Second

// Echoed is what came of an Echo. A message belongs to the window by the instant at which it was due (EchoClosed: sent).
// In EchoRate, Due = Sent + Skipped; in both, Sent = Received + Lost.
//
// A turn that has to wait, because too much of its client is under way or its socket has no room, is Held: it is sent when
// an echo has come, and LatencyDue is from its own time. It is Skipped if that time never came. LatencyDue has every turn
// of the window: those Lost and Skipped stand in it with the time until the end of the drain, which their latencies
// exceed. (Which of a client's messages are lost is not known; that servers answer in order is assumed, and only here.)
//
// Messages of the warm-up are in no account but Stuck: with a server that answers nothing any more when the window begins, a
// closed loop sends nothing in it and loses nothing of it. Latency has neither the Stuck nor the Lost: it is of the echoes
// that came, and says little where many did not.
//
// PerSecond is a sum, and may rise while most connections starve, because a few take over the machine. Starved, Slowest and
// Busiest compare the connections that had a message under way in the window. Those that were gone before its end (see
// Errors) are left out, and those that replaced them within it, and in EchoClosed those that rest.
type Echoed struct {
	Window
	Clients  int   `json:"clients"`           // that took part: healthy and connected when it began
	Due      int64 `json:"due,omitempty"`     // EchoRate: turns in the window
	Sent     int64 `json:"sent"`              // messages of the window
	Received int64 `json:"received"`          // their echoes, until the end of the drain
	Skipped  int64 `json:"skipped,omitempty"` // EchoRate: turns never sent: their clients were gone or held until the end
	Held     int64 `json:"held,omitempty"`    // EchoRate: turns that could not be sent at their time because of the server
	Lost     int64 `json:"lost"`              // no echo by the end of the drain, which takes 2 s at most
	Stuck    int64 `json:"stuck,omitempty"`   // messages of before the window that had no echo when it ended

	PerSecond float64 `json:"per_second"`         // echoes that arrived within the window, whenever sent, per second
	Slowest   float64 `json:"slowest_per_second"` // of them: those of the connection that had the fewest
	Busiest   float64 `json:"busiest_per_second"` // those of the connection that had the most
	Starved   int     `json:"starved,omitempty"`  // connections with less than a fifth of the busiest one's; 0 if it had fewer than 10

	// HDR histograms, V2 compressed encoding, nanoseconds; nil: nothing was measured.
	Latency    []byte `json:"latency,omitempty"`     // arrival minus send, of those received
	LatencyDue []byte `json:"latency_due,omitempty"` // EchoRate: arrival minus due, of all turns
	SendLag    []byte `json:"send_lag,omitempty"`    // EchoRate: send minus due of turns that were not held: the fleet's own lateness

	CPUUserNs   int64          `json:"cpu_user_ns"` // of the fleet's process, in the window
	CPUSystemNs int64          `json:"cpu_system_ns"`
	Errors      map[string]int `json:"errors,omitempty"` // why clients were lost meanwhile -> how many, as in Gone.Why
}

// Window is when an Echo was measured, CLOCK_MONOTONIC nanoseconds of the fleet's host. As the body of the event "window" it comes twice: with
// To 0 when the window begins, and again when it ends.
type Window struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// checked returns what is wrong with it.
func (e Echo) checked() error {
	switch {
	case e.Size < smallestEcho || e.Size > largestEcho:
		return fmt.Errorf("%w: echoes of %d bytes, need %d to %d", ErrPlan, e.Size, smallestEcho, largestEcho)
	case e.For <= 0 || e.Warmup < 0:
		return fmt.Errorf("%w: echoes for %v after %v", ErrPlan, e.For, e.Warmup)
	case e.Mode == EchoRate && !(e.PerSecond > 0 && e.PerSecond <= mostEchoes):
		return fmt.Errorf("%w: %g echoes/s, need some and at most %g", ErrPlan, e.PerSecond, mostEchoes)
	case e.Mode == EchoClosed && e.Outstanding <= 0:
		return fmt.Errorf("%w: %d echoes outstanding", ErrPlan, e.Outstanding)
	case e.Mode != EchoRate && e.Mode != EchoClosed:
		return fmt.Errorf("%w: unknown echo mode %q, known: %s, %s", ErrPlan, e.Mode, EchoRate, EchoClosed)
	}
	return nil
}
