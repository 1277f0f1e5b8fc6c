package result

// Phase is one measured phase of a trial.
type Phase struct {
	Rounds       int            `json:"rounds"`
	Expected     int64          `json:"expected"` // clients x rounds: received + dropped + failed + owed
	Received     int64          `json:"received"`
	Dropped      int64          `json:"dropped"`
	Failed       int64          `json:"failed"`
	Owed         int64          `json:"owed"`
	Duplicates   int64          `json:"duplicates"`
	OutOfOrder   int64          `json:"out_of_order"`
	FalseKills   map[string]int `json:"false_kills"` // reason -> healthy clients lost before or in the phase
	Latency      *Latency       `json:"latency_ns,omitempty"`
	LatencyDue   *Latency       `json:"latency_due_ns,omitempty"`
	LastClient   *Last          `json:"last_client_ns,omitempty"`
	Spread       *Last          `json:"spread_ns,omitempty"` // a round's last client minus its first, which takes no common clock
	RoundsDetail []Round        `json:"rounds_detail"`
	VsBare       *VsBare        `json:"vs_bare,omitempty"`
	Hub          Hub            `json:"hub_ns,omitzero"`
	Spectrum     [][2]float64   `json:"spectrum,omitempty"`  // [quantile, latency ns]
	Positions    [][2]float64   `json:"positions,omitempty"` // [client number, its median latency ns], thinned
	// JammedPositions are of the round in which the first stuck client jammed: [client number, its latency ns], thinned; stuck
	// phase only.
	JammedPositions [][2]float64 `json:"jammed_positions,omitempty"`
	Server          Server       `json:"server,omitzero"`
	Fleet           Fleet        `json:"fleet,omitzero"`
	AchievedRate    float64      `json:"achieved_rate,omitempty"` // planned duration of the schedule / the one it took
	StealNs         int64        `json:"steal_ns"`
	Jam             *Jam         `json:"jam,omitempty"`    // stuck phase only
	Others          []Other      `json:"others,omitempty"` // stuck phase only
	Blast           *Blast       `json:"blast,omitempty"`  // stuck phase only
	SLO             *SLO         `json:"slo,omitempty"`
	Inbound         *Inbound     `json:"inbound,omitempty"`
}

// SLO is what reached the healthy clients in time, from the real start of the round. What was not delivered was not in time.
type SLO struct {
	Ns      int64   `json:"ns"`
	Share   float64 `json:"share"`   // of the expected deliveries
	Clients int     `json:"clients"` // that had every message of the phase in time
}

// Inbound is what clients sent to the server in the phase, in messages.
type Inbound struct {
	Sent      int64 `json:"sent"`
	Delivered int64 `json:"delivered"` // by the engine to its user
	Skipped   int64 `json:"skipped"`   // turns of clients that were gone or had no room
}

// Latency is a distribution over deliveries, nanoseconds.
type Latency struct {
	N    int64 `json:"n"`
	P50  int64 `json:"p50"`
	P90  int64 `json:"p90"`
	P99  int64 `json:"p99"`
	P999 int64 `json:"p999"`
	Max  int64 `json:"max"`
}

// Last is the last client of a round, over the rounds of a phase, nanoseconds from the real start.
type Last struct {
	Median int64 `json:"median"`
	Worst  int64 `json:"worst"`
}

// Round is one round of the strategy; instants are nanoseconds since the phase's first due instant, the rest durations.
type Round struct {
	N          uint32 `json:"n"`
	DueNs      int64  `json:"due_ns"`
	StartNs    int64  `json:"start_ns"`
	HubNs      int64  `json:"hub_ns,omitempty"`
	FirstNs    int64  `json:"first_ns,omitempty"` // first client's latency
	LastNs     int64  `json:"last_ns,omitempty"`  // last client's latency
	Received   int    `json:"received"`
	BareLastNs *int64 `json:"bare_last_ns,omitempty"` // the paired bare round's last client; absent: none, or discarded
}

// VsBare is the median over pairs of strategy's last client / bare round's last client.
type VsBare struct {
	Median    float64 `json:"median,omitempty"` // absent when every pair was discarded
	Pairs     int     `json:"pairs"`
	Discarded int     `json:"discarded"`
}

// Hub is the time the broadcasting goroutine was busy with a round.
type Hub struct {
	Median int64 `json:"median"`
	Max    int64 `json:"max"`
}

// Server is the server process over the strategy's rounds of a phase.
type Server struct {
	CPUUserNsPerDelivery   float64  `json:"cpu_user_ns_per_delivery,omitempty"`
	CPUSystemNsPerDelivery float64  `json:"cpu_system_ns_per_delivery,omitempty"`
	CPUNsPerDelivery       float64  `json:"cpu_ns_per_delivery,omitempty"`
	CPUNsPerRound          float64  `json:"cpu_ns_per_round,omitempty"`
	WriteSyscallsPerRound  *float64 `json:"write_syscalls_per_round,omitempty"`
	CtxSwitchesPerRound    float64  `json:"ctx_switches_per_round"`
	InvoluntarySwitches    int64    `json:"involuntary_switches"`
	RSSBytes               int64    `json:"rss_bytes,omitempty"`
	HeapBytes              int64    `json:"heap_bytes,omitempty"`
	BytesPerClient         float64  `json:"bytes_per_client,omitempty"`
	Goroutines             int      `json:"goroutines,omitempty"`
	Threads                int      `json:"threads,omitempty"`
	GCPauseNs              int64    `json:"gc_pause_ns"`
	OwedBytesMax           int64    `json:"owed_bytes_max"`
}

// Fleet is the client process over a phase, bare rounds included.
type Fleet struct {
	CPUNsPerDelivery   float64 `json:"cpu_ns_per_delivery,omitempty"`
	Lag                Lag     `json:"lag_ns,omitzero"`
	WakeupsPerDelivery float64 `json:"wakeups_per_delivery,omitempty"`
	BusyShare          float64 `json:"busy_share,omitempty"`
	RSSBytes           int64   `json:"rss_bytes,omitempty"`
	SharedStamps       int64   `json:"shared_stamps"`
	Unstamped          int64   `json:"unstamped"`
	ClockSteps         int64   `json:"clock_steps"`
	// WireBytesPerDelivery is a message with its frame's header as it came, compressed or not, without TLS's own bytes; extras
	// included, bare rounds not.
	WireBytesPerDelivery float64 `json:"wire_bytes_per_delivery,omitempty"`
}

// Lag is pick-up minus arrival.
type Lag struct {
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}
