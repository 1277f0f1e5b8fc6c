// Package serve is the server half of an experiment: it owns the schedule, the rounds, the bare rounds between them, and
// the accounts. The parent drives it with the messages of this file.
package serve

import "time"

// Plan is the body of "start": one cell's server. The answer is Started.
type Plan struct {
	Engine          string        `json:"engine"`           // spec
	Strategy        string        `json:"strategy"`         // spec
	Listen          string        `json:"listen"`           // host:port, port 0 chooses
	Clients         int           `json:"clients"`          // healthy ones
	Extras          []int         `json:"extras,omitempty"` // numbers of stuck and other misbehaving clients
	Size            int           `json:"size_bytes"`
	Seed            uint64        `json:"seed"`
	WriteTimeout    time.Duration `json:"write_timeout_ns"`
	SendBuffer      int           `json:"sndbuf"` // SO_SNDBUF of every connection; 0: untouched
	Shards          int           `json:"shards"`
	Order           string        `json:"order"`                  // fixed or map
	StuckSendBuffer int           `json:"stuck_sndbuf,omitempty"` // SO_SNDBUF of a client that announces itself with "slow"; 0: untouched
}

// Started answers "start". The baseline is the process before its first client.
type Started struct {
	Addr             string   `json:"addr"`
	MonotonicNs      int64    `json:"monotonic_ns"` // CLOCK_MONOTONIC when this was written: proves the shared clock
	GOMAXPROCS       int      `json:"gomaxprocs"`
	BaselineBytes    int64    `json:"baseline_bytes"` // heap and stacks in use after GC
	BaselineFDs      int      `json:"baseline_fds"`
	BaselineRoutines int      `json:"baseline_goroutines"`
	Footnotes        []string `json:"footnotes,omitempty"` // differences from the library's defaults
}

// Settle is the body of "settle": wait until Members clients are open (at most Timeout), collect garbage, be quiet.
type Settle struct {
	Members int           `json:"members"`
	Timeout time.Duration `json:"timeout_ns"`
}

// Settled answers "settle" (and stands in Drained): the server at rest.
type Settled struct {
	Members    int   `json:"members"`
	FDs        int   `json:"fds"`
	Goroutines int   `json:"goroutines"`
	Threads    int   `json:"threads"`
	HeapBytes  int64 `json:"heap_bytes"`  // in use after GC
	StackBytes int64 `json:"stack_bytes"` // in use after GC
	RSSBytes   int64 `json:"rss_bytes"`
}

// Phase is the body of "phase": issue Rounds rounds on an absolute schedule. With Pairs, slot 2r is round r of the strategy
// and slot 2r+1 its bare round. Rounds are numbered by slot from First. Events "round"; the answer is Issued.
type Phase struct {
	Kind     string        `json:"kind"` // warmup, healthy or stuck
	Rounds   int           `json:"rounds"`
	Pairs    bool          `json:"pairs"`
	First    uint32        `json:"first"`
	Interval time.Duration `json:"interval_ns"`
}

// Round is one slot of the schedule. Instants are CLOCK_MONOTONIC nanoseconds.
type Round struct {
	N       uint32 `json:"n"`
	Bare    bool   `json:"bare,omitempty"`
	Due     int64  `json:"due"`
	Start   int64  `json:"start"`
	End     int64  `json:"end"`               // last write or enqueue done
	Discard string `json:"discard,omitempty"` // a bare round that was not sent or must not count, and why
	Written int    `json:"written"`
	Queued  int    `json:"queued"`
	Dropped int    `json:"dropped"`
	Failed  int    `json:"failed"`
}

// Issued answers "phase": every round was handed over; deliveries may still be under way until "drain".
type Issued struct {
	Rounds []Round `json:"rounds"`
}

// Drain is the body of "drain", sent when the fleet has everything or at the end of patience. The answer is Drained.
type Drain struct{}

// Drained closes the accounts of a phase.
type Drained struct {
	Accounts []Account `json:"accounts,omitempty"` // only members with something to say
	Strategy Spent     `json:"strategy"`           // of the strategy's rounds
	Bare     Spent     `json:"bare"`               // of the bare rounds
	OwedMax  int64     `json:"owed_bytes_max"`     // most bytes owed by one healthy client at a round's end
	After    Settled   `json:"after"`              // without a GC
}

// Account is one healthy client's part of a phase's ledger, in messages.
type Account struct {
	Number  int    `json:"i"`
	Dropped int    `json:"dropped,omitempty"`
	Failed  int    `json:"failed,omitempty"` // writes that failed and rounds without the member
	Owed    int    `json:"owed,omitempty"`   // queued or pending at the end of the drain
	Lost    string `json:"lost,omitempty"`   // why the member was closed, if it was
}

// Spent is what a server used for rounds of one kind.
type Spent struct {
	Rounds      int   `json:"rounds"`
	UserNs      int64 `json:"user_ns"`
	SystemNs    int64 `json:"system_ns"`
	Switches    int64 `json:"switches"`
	Involuntary int64 `json:"involuntary"`
	WriteCalls  int64 `json:"write_calls"` // write(2) and its kin, -1 if the kernel does not count them
	GCPauseNs   int64 `json:"gc_pause_ns"`
}

// Stopped answers "stop": the engine is down; what is left of it.
type Stopped struct {
	Members    int `json:"members"`
	FDs        int `json:"fds"`        // above the baseline
	Goroutines int `json:"goroutines"` // above the baseline
}
