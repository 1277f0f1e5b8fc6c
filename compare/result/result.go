// Package result is the versioned results file, the only contract between measuring and showing.
package result

import "time"

// Schema is the version this package writes and reads. Additive changes keep it.
const Schema = "wsfanout.result/1"

// File is one run. Units are in the key names. "Not measured" is an absent key: a nil pointer, or, where 0 cannot be a
// measurement (a latency, a resident set), a zero.
type File struct {
	Schema     string    `json:"schema"`
	Started    time.Time `json:"started"`
	DurationNs int64     `json:"duration_ns"`
	Complete   bool      `json:"complete"`
	Tool       Tool      `json:"tool"`
	Host       Host      `json:"host"`
	Plan       Plan      `json:"plan"`
	Cells      []Cell    `json:"cells"`
	Tune       []Tune    `json:"tune,omitempty"`
	Hold       []Hold    `json:"hold,omitempty"`
	Block      []Block   `json:"block,omitempty"`
	Echo       []Echo    `json:"echo,omitempty"`
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
	CPUQuota  float64 `json:"cpu_quota"` // CPUs that the container may use; 0: no limit
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
	Slow           int      `json:"slow,omitempty"`            // clients that read slow_rate_bytes per second
	SlowRateBytes  int64    `json:"slow_rate_bytes,omitempty"` // only with slow
	Vanish         int      `json:"vanish,omitempty"`          // clients whose kernel stops hearing
	ResumeNs       int64    `json:"resume_ns,omitempty"`       // the stuck ones read again after this
	SndBuf         int      `json:"sndbuf"`
	GOMAXPROCS     int      `json:"gomaxprocs"`     // of the server
	CPUs           string   `json:"cpus,omitempty"` // the processes pinned to CPUs: "server=0,fleet=1"; absent: none

	ClientsList      []int   `json:"clients_list,omitempty"`       // a matrix for each, ascending; absent: one number, clients, which is the largest
	SizeList         []int   `json:"size_list,omitempty"`          // bytes, as clients_list
	Compress         bool    `json:"compress,omitempty"`           // permessage-deflate
	TLS              bool    `json:"tls,omitempty"`                // then there are no bare rounds
	SLONs            int64   `json:"slo_ns,omitempty"`             // 0: none
	ProjectClients   int     `json:"project_clients,omitempty"`    // the number of clients to project to; 0: none
	InboundPerSecond float64 `json:"inbound_per_second,omitempty"` // messages that all clients together send; 0: none
	InboundSizeBytes int     `json:"inbound_size_bytes,omitempty"`

	DetectWithinNs int64   `json:"detect_within_ns,omitempty"` // tune: a dead peer is to be noticed within this
	Scale          float64 `json:"scale,omitempty"`            // tune: times are divided by this
	UnderLoad      bool    `json:"under_load,omitempty"`       // tune: rounds go out and clients talk meanwhile

	OfferedPerSecond float64 `json:"offered_per_second,omitempty"` // echo: the fixed rate, 0 where it is a share
	OfferedShare     float64 `json:"offered_share,omitempty"`      // echo: of the closed loop's rate
}

// Cell is one engine x strategy over all trials. Engine and Strategy are canonical specs.
type Cell struct {
	Engine    string             `json:"engine"`
	Strategy  string             `json:"strategy"`
	Clients   int                `json:"clients"`
	SizeBytes int                `json:"size_bytes"`
	Group     string             `json:"group,omitempty"` // the matrix of a run with lists: "5000", "16KiB" or "5000x16KiB"
	ControlOf string             `json:"control_of"`      // name of the cell that this cell repeats (the A/A control), or ""
	Options   map[string]string  `json:"options"`         // every option in force, also the defaults
	Footnotes []string           `json:"footnotes"`
	Trials    []Trial            `json:"trials"`
	Summary   map[string]Summary `json:"summary"`
}

// Trial is one pass over a cell, in fresh processes. Error is why there is no (complete) measurement.
type Trial struct {
	Trial     int       `json:"trial"`
	Connected int       `json:"connected"`
	ConnectNs int64     `json:"connect_ns"`
	WallNs    int64     `json:"wall_ns,omitempty"` // the whole cell: first process started to last one reaped
	Healthy   *Phase    `json:"healthy,omitempty"`
	Stuck     *Phase    `json:"stuck,omitempty"`
	Recovery  *Recovery `json:"recovery,omitempty"`
	Clock     *Clock    `json:"clock,omitempty"` // absent: not known, as in files of before
	Warnings  []string  `json:"warnings"`
	Error     string    `json:"error"`
}

// Recovery is the difference to the healthy state 2 s after the stuck phase; 0 = back.
type Recovery struct {
	Members    int `json:"members"`
	FDs        int `json:"fds"`
	Goroutines int `json:"goroutines"`
}

// Summary is a median over trials with its confidence interval, nil below six trials.
type Summary struct {
	Median float64  `json:"median"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
}

// Claim is one sentence of the verdict with the cells and figures it rests on.
type Claim struct {
	Kind     string   `json:"kind"` // one of the Kind constants below
	Text     string   `json:"text"`
	Cells    []string `json:"cells"`
	Evidence string   `json:"evidence"`
}

// The kinds of claims, in the order in which a verdict has them.
const (
	KindNone           = "none"           // nothing can be claimed, and why
	KindNoise          = "noise"          // what the A/A control shows: below that nothing is claimed
	KindRecommendation = "recommendation" // what to take
	KindCost           = "cost"           // the cheapest
	KindEngines        = "engines"        // one engine against another
	KindFlip           = "flip"           // the change of the plan that would turn a recommendation over
)
