// Package serve is the server half of an experiment: it owns the schedule, the rounds, the bare rounds between them, and
// the accounts. The parent drives it with the messages of this file.
package serve

import "time"

// Plan is the body of "start": one cell's server. The answer is Started.
type Plan struct {
	Engine          string        `json:"engine"`           // spec; "": the program's own
	Strategy        string        `json:"strategy"`         // spec
	Listen          string        `json:"listen"`           // host:port, port 0 chooses
	Clients         int           `json:"clients"`          // healthy ones
	Extras          []Extra       `json:"extras,omitempty"` // clients that misbehave, numbered apart from the healthy ones
	Size            int           `json:"size_bytes"`
	Seed            uint64        `json:"seed"`              // the filling of payloads follows from it: stamp.Filling, or stamp.Text with Compress
	Filling         []byte        `json:"filling,omitempty"` // that filling, for a program that does not know how to make it
	WriteTimeout    time.Duration `json:"write_timeout_ns"`
	SendBuffer      int           `json:"sndbuf"` // SO_SNDBUF of every connection; 0: untouched
	Shards          int           `json:"shards"`
	Order           string        `json:"order"`                  // fixed or map
	StuckSendBuffer int           `json:"stuck_sndbuf,omitempty"` // SO_SNDBUF of a client that announces itself with "slow"; 0: untouched
	Compress        bool          `json:"compress,omitempty"`     // permessage-deflate; payloads are text then, which compresses
	CertPEM         []byte        `json:"cert_pem,omitempty"`     // serve TLS with this and KeyPEM; bare rounds are impossible then
	KeyPEM          []byte        `json:"key_pem,omitempty"`
	Stall           time.Duration `json:"stall_ns,omitempty"` // watch for handlers that run for longer; 0: do not
	Handler         string        `json:"handler,omitempty"`  // what happens to clients' messages: one of the Handler constants
	Deaf            []Span        `json:"deaf,omitempty"`     // clients without a message handler
	Apart           []Span        `json:"apart,omitempty"`    // clients that are in no round; those that ask are told the clock
}

// numbers is one more than the highest number of a client.
func (p *Plan) numbers() int {
	n := p.Clients + len(p.Extras)
	for _, a := range p.Apart {
		n = max(n, a.To)
	}
	return n
}

// Span is the clients From..To-1.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Extra is one client that misbehaves.
type Extra struct {
	Number  int  `json:"i"`
	Fill    bool `json:"fill,omitempty"`    // it stops reading: its buffers may be filled first
	Forever bool `json:"forever,omitempty"` // it never reads again: its eviction is waited for
}

// Started answers "start". The baseline is the process before its first client.
type Started struct {
	Addr             string   `json:"addr"`
	MonotonicNs      int64    `json:"monotonic_ns"`    // CLOCK_MONOTONIC when this was written: proves the shared clock
	Clock            string   `json:"clock,omitempty"` // clock.Identity; "": not known
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
	Kind     string        `json:"kind"`          // warmup, healthy or stuck; stuck: the extras have stopped reading
	Jam      string        `json:"jam,omitempty"` // stuck: fill (their buffers are filled first) or natural
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
type Drain struct {
	// Patience is how long after the last broadcast the stuck clients may still be evicted; nothing waits for one that
	// can no longer be.
	Patience time.Duration `json:"patience_ns"`
}

// Drained closes the accounts of a phase.
type Drained struct {
	Accounts   []Account     `json:"accounts,omitempty"`    // only members with something to say
	Strategy   Spent         `json:"strategy"`              // of the strategy's rounds
	Bare       Spent         `json:"bare"`                  // of the bare rounds
	Inbound    int64         `json:"inbound,omitempty"`     // messages of clients that the engine delivered in the phase
	OwedMax    int64         `json:"owed_bytes_max"`        // most bytes owed by one healthy client at a round's end
	After      Settled       `json:"after"`                 // without a GC
	Stuck      []StuckClient `json:"stuck,omitempty"`       // the extras, in the stuck phase
	HeapGrowth int64         `json:"heap_growth,omitempty"` // most heap in use over the stuck phase, less that at its start
}

// StuckClient is what the kernel and the engine say of one client that stopped reading. Instants are CLOCK_MONOTONIC
// nanoseconds; 0: it did not happen.
type StuckClient struct {
	Number     int        `json:"i"`
	SendBuffer int        `json:"sndbuf"`                // SO_SNDBUF as getsockopt answers it
	Filled     int64      `json:"filled"`                // filler bytes put into the kernel before the first round
	Absorbed   int64      `json:"absorbed"`              // bytes the kernel took since the client stopped reading, until the jam (or the end)
	Handed     int64      `json:"handed"`                // bytes handed over in the phase, filler included, until the jam (or the end)
	JamAt      int64      `json:"jam_at"`                // the byte that stayed owed was handed over
	JamRound   int        `json:"jam_round"`             // of the phase, from 1, whose byte it was; 0: it was owed before the first
	GoneBefore string     `json:"gone_before,omitempty"` // why it was closed before the phase began: nothing was watched
	NoticedBy  string     `json:"noticed_by,omitempty"`
	NoticedAt  int64      `json:"noticed_at,omitempty"`
	EvictedBy  string     `json:"evicted_by,omitempty"`
	EvictedAt  int64      `json:"evicted_at,omitempty"`
	Bounded    bool       `json:"bounded,omitempty"` // closed by the experiment: it would have hung for ever
	HeldMax    int64      `json:"held_max"`          // most bytes owed and queued for it
	Held       [][2]int64 `json:"held"`              // [ns since the phase's first due instant, bytes]
	QueuedMax  int        `json:"queued_max"`        // most messages in the strategy's queue
	Drops      int        `json:"drops"`
	Failed     int        `json:"failed"`
	Owed       int        `json:"owed"` // messages at the end of the drain
}

// Recover is the body of "recover": wait until the server is back at the healthy state, at most Within.
type Recover struct {
	Within time.Duration `json:"within_ns"`
}

// Recovered answers "recover": what differs from the healthy state (the members without the extras); 0 is back.
type Recovered struct {
	Members    int `json:"members"`
	FDs        int `json:"fds"`
	Goroutines int `json:"goroutines"`
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

// Close is the end of one connection, at a CLOCK_MONOTONIC instant, and why in the server's words.
type Close struct {
	Number int    `json:"i"`
	Why    string `json:"why"`
	At     int64  `json:"at"`
}

// Closes answers "closes": every connection that has ended so far, by number.
type Closes struct {
	Now    int64   `json:"now"`
	Open   int     `json:"open"`
	Closes []Close `json:"closes,omitempty"`
}

// Usage answers "usage": CPU since the process began, and what it holds now.
type Usage struct {
	At        int64   `json:"at"` // CLOCK_MONOTONIC ns
	UserNs    int64   `json:"user_ns"`
	SystemNs  int64   `json:"system_ns"`
	GCPauseNs int64   `json:"gc_pause_ns"`
	Now       Settled `json:"now"`
}

// Burst is the body of "burst": messages to some clients at once, outside any round. The reply comes when it has begun. No
// phase may run meanwhile, unless the clients are apart.
type Burst struct {
	Numbers  []int `json:"numbers"`
	Messages int   `json:"messages"`       // to each
	Size     int   `json:"size_bytes"`     // payload, at most the plan's
	Gate     int64 `json:"gate,omitempty"` // a message that would make the client owe more bytes than this is not sent; 0: none

	Then  int           `json:"then,omitempty"` // messages after those, one Every
	Every time.Duration `json:"every_ns,omitempty"`
}

// Stalls answers "stalls": handlers that ran for longer than the plan's limit.
type Stalls struct {
	Limit   time.Duration `json:"limit_ns"`
	Count   int64         `json:"count"`
	WorstNs int64         `json:"worst_ns"`
	Handler string        `json:"handler,omitempty"` // the worst one's message and client
	CostNs  float64       `json:"cost_ns"`           // of watching one handler, measured before the first client
}

// Hold is the body of "hold": wait until exactly Members clients are open (at most Timeout), then collect garbage.
type Hold struct {
	Members int           `json:"members"`
	Timeout time.Duration `json:"timeout_ns"`
}

// Held answers "hold": the server at rest. Kernel is what the kernel charges to its sockets, -1 if it does not say.
type Held struct {
	Settled
	Kernel int64 `json:"kernel_bytes"`
	// Start is the process before its first client, in the same terms.
	Start Settled `json:"start"`
}

// Change is the body of "strategy": from here on rounds go out by this one. No phase may be under way or undrained.
type Change struct {
	Strategy  string `json:"strategy"`            // spec
	Everybody bool   `json:"everybody,omitempty"` // also who was apart
}
