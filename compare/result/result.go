// Package result is the versioned results file, the only contract between measuring and showing.
package result

import "time"

// Schema is the version this package writes and reads. Additive changes keep it.
const Schema = "wsfanout.result/1"

// File is one run. Units are in the key names. A pointer or an omitted field means "not measured", never 0.
type File struct {
	Schema     string    `json:"schema"`
	Started    time.Time `json:"started"`
	DurationNs int64     `json:"duration_ns"`
	Complete   bool      `json:"complete"`
	Tool       Tool      `json:"tool"`
	Host       Host      `json:"host"`
	Plan       Plan      `json:"plan"`
	Cells      []Cell    `json:"cells"`
	Verdict    []Claim   `json:"verdict"`
	Warnings   []string  `json:"warnings"`
}

// Tool is the program that measured.
type Tool struct {
	Version string            `json:"version"`
	Commit  string            `json:"commit"`
	Dirty   bool              `json:"dirty"`
	Go      string            `json:"go"`
	Modules map[string]string `json:"modules"`
}

// Host is the machine that measured.
type Host struct {
	CPUModel  string  `json:"cpu_model"`
	CPUs      int     `json:"cpus"`
	MemBytes  int64   `json:"mem_bytes"`
	Kernel    string  `json:"kernel"`
	NoFile    int     `json:"nofile"`
	SoMaxConn int     `json:"somaxconn"`
	TCPWmem   string  `json:"tcp_wmem"`
	TCPRmem   string  `json:"tcp_rmem"`
	PortRange string  `json:"port_range"`
	Container bool    `json:"container"`
	CPUQuota  float64 `json:"cpu_quota"` // CPUs; 0: none
}

// Plan is what was asked for.
type Plan struct {
	Scenario       string   `json:"scenario"`
	Engines        []string `json:"engines"`
	Strategies     []string `json:"strategies"`
	Clients        int      `json:"clients"`
	Rounds         int      `json:"rounds"`
	Warmup         int      `json:"warmup"`
	SizeBytes      int      `json:"size_bytes"`
	IntervalNs     int64    `json:"interval_ns"`
	Trials         int      `json:"trials"`
	Seed           uint64   `json:"seed"`
	WriteTimeoutNs int64    `json:"write_timeout_ns"`
	Order          string   `json:"order"`
	Shards         int      `json:"shards"`
	Stuck          int      `json:"stuck"`
	StuckAt        string   `json:"stuck_at"`
	Jam            string   `json:"jam"`
	StuckBuffers   string   `json:"stuck_buffers"`
	SndBuf         int      `json:"sndbuf"`
	GOMAXPROCS     int      `json:"gomaxprocs"`
}

// Cell is one engine x strategy over all trials. Engine and Strategy are canonical specs.
type Cell struct {
	Engine    string             `json:"engine"`
	Strategy  string             `json:"strategy"`
	Clients   int                `json:"clients"`
	SizeBytes int                `json:"size_bytes"`
	ControlOf string             `json:"control_of"` // engine/strategy that this cell repeats (the A/A control), or ""
	Options   map[string]string  `json:"options"`    // every option in force, also the defaults
	Footnotes []string           `json:"footnotes"`
	Trials    []Trial            `json:"trials"`
	Summary   map[string]Summary `json:"summary"`
}

// Trial is one pass over a cell, in fresh processes. Error is why there is no (complete) measurement.
type Trial struct {
	Trial     int       `json:"trial"`
	Connected int       `json:"connected"`
	ConnectNs int64     `json:"connect_ns"`
	WallNs    int64     `json:"wall_ns"` // the whole cell: first process started to last one reaped
	Healthy   *Phase    `json:"healthy,omitempty"`
	Stuck     *Phase    `json:"stuck,omitempty"`
	Recovery  *Recovery `json:"recovery,omitempty"`
	Warnings  []string  `json:"warnings"`
	Error     string    `json:"error"`
}

// Recovery is the difference to the healthy state 2 s after the stuck phase; 0 = back.
type Recovery struct {
	Members    int `json:"members"`
	FDs        int `json:"fds"`
	Goroutines int `json:"goroutines"`
}

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
	FalseKills   map[string]int `json:"false_kills"` // reason -> healthy clients lost
	Latency      *Latency       `json:"latency_ns,omitempty"`
	LatencyDue   *Latency       `json:"latency_due_ns,omitempty"`
	LastClient   *Last          `json:"last_client_ns,omitempty"`
	RoundsDetail []Round        `json:"rounds_detail"`
	VsBare       *VsBare        `json:"vs_bare,omitempty"`
	Hub          Hub            `json:"hub_ns"`
	Spectrum     [][2]float64   `json:"spectrum"`  // [quantile, latency ns]
	Positions    [][2]float64   `json:"positions"` // [client number, its median latency ns], thinned
	Server       Server         `json:"server"`
	Fleet        Fleet          `json:"fleet"`
	AchievedRate float64        `json:"achieved_rate"` // planned duration of the schedule / the one it took
	StealNs      int64          `json:"steal_ns"`
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
	HubNs      int64  `json:"hub_ns"`
	FirstNs    int64  `json:"first_ns"` // first client's latency
	LastNs     int64  `json:"last_ns"`  // last client's latency
	Received   int    `json:"received"`
	BareLastNs *int64 `json:"bare_last_ns,omitempty"` // the paired bare round's last client; absent: none, or discarded
}

// VsBare is the median over pairs of strategy's last client / bare round's last client.
type VsBare struct {
	Median    float64 `json:"median"`
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
	CPUUserNsPerDelivery   float64  `json:"cpu_user_ns_per_delivery"`
	CPUSystemNsPerDelivery float64  `json:"cpu_system_ns_per_delivery"`
	CPUNsPerDelivery       float64  `json:"cpu_ns_per_delivery"`
	CPUNsPerRound          float64  `json:"cpu_ns_per_round"`
	WriteSyscallsPerRound  *float64 `json:"write_syscalls_per_round,omitempty"`
	CtxSwitchesPerRound    float64  `json:"ctx_switches_per_round"`
	InvoluntarySwitches    int64    `json:"involuntary_switches"`
	RSSBytes               int64    `json:"rss_bytes"`
	HeapBytes              int64    `json:"heap_bytes"`
	BytesPerClient         float64  `json:"bytes_per_client"`
	Goroutines             int      `json:"goroutines"`
	Threads                int      `json:"threads"`
	GCPauseNs              int64    `json:"gc_pause_ns"`
	OwedBytesMax           int64    `json:"owed_bytes_max"`
}

// Fleet is the client process over a phase, bare rounds included.
type Fleet struct {
	CPUNsPerDelivery   float64 `json:"cpu_ns_per_delivery"`
	Lag                Lag     `json:"lag_ns"`
	WakeupsPerDelivery float64 `json:"wakeups_per_delivery"`
	BusyShare          float64 `json:"busy_share"`
	RSSBytes           int64   `json:"rss_bytes"`
	SharedStamps       int64   `json:"shared_stamps"`
	Unstamped          int64   `json:"unstamped"`
	ClockSteps         int64   `json:"clock_steps"`
}

// Lag is pick-up minus arrival.
type Lag struct {
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// Summary is a median over trials with its confidence interval, nil below six trials.
type Summary struct {
	Median float64  `json:"median"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
}

// Claim is one sentence of the verdict with the cells and figures it rests on.
type Claim struct {
	Kind     string   `json:"kind"`
	Text     string   `json:"text"`
	Cells    []string `json:"cells"`
	Evidence string   `json:"evidence"`
}
