package result

// The parts of tune, in report order.
const (
	TuneAdvice    = "advice"    // the set-up that is recommended for an engine
	TuneGrid      = "grid"      // engine x keepalive x ping
	TuneReference = "reference" // the known ways to notice a dead peer, side by side
	TuneLayers    = "layers"    // nbio's two KeepaliveTimes, gorilla's two ways to move a deadline
	TuneWrite     = "write"     // write timeouts: engine x policy x timeout
)

// The kinds of groups in tune.
const (
	GroupDead      = "dead"      // silent: it is to be noticed
	GroupEnded     = "ended"     // its process died, and its kernel says so
	GroupCovered   = "covered"   // alive, and with the right ping interval this keepalive keeps it: closing it is a false kill
	GroupUncovered = "uncovered" // alive, but this kind of deadline cannot tell it from a dead one, whatever the ping interval
)

// Tune is one set-up of a server over all trials.
type Tune struct {
	Part           string      `json:"part"`           // one of the Tune constants
	Name           string      `json:"name,omitempty"` // what the set-up is called where its spec does not say it
	Engine         string      `json:"engine"`         // canonical spec
	KeepaliveNs    int64       `json:"keepalive_ns,omitempty"`
	PingNs         int64       `json:"ping_ns,omitempty"`
	WriteTimeoutNs int64       `json:"write_timeout_ns,omitempty"` // of the write part
	Policy         string      `json:"policy,omitempty"`           // of the write part: enforced, native, once, cap, none
	PredictedNs    *[2]int64   `json:"predicted_ns,omitempty"`     // how long after its death a peer is noticed, at least and at most
	Never          bool        `json:"never,omitempty"`            // predicted: nobody is ever noticed
	Doubt          string      `json:"doubt,omitempty"`            // why this set-up must fail, said before it ran
	Trials         []TuneTrial `json:"trials"`
}

// TuneTrial is one set-up measured once, in fresh processes. Error is why there is no (complete) measurement.
type TuneTrial struct {
	Trial      int         `json:"trial"`
	ObservedNs int64       `json:"observed_ns,omitempty"` // from the first behaviour to the end
	Groups     []TuneGroup `json:"groups,omitempty"`
	Cost       *TuneCost   `json:"cost,omitempty"`
	Write      *TuneDamage `json:"write,omitempty"`
	Warnings   []string    `json:"warnings"`
	Error      string      `json:"error"`
}

// TuneGroup is what became of the clients of one behaviour.
type TuneGroup struct {
	Behaviour string         `json:"behaviour"`
	Kind      string         `json:"kind"` // one of the Group constants
	Clients   int            `json:"clients"`
	Closed    int            `json:"closed"`                  // by the server, from the begin of the behaviour to the end
	Before    int            `json:"closed_before,omitempty"` // by the server before it began: the dead were alive then
	Reasons   map[string]int `json:"reasons,omitempty"`       // the server's reason -> clients
	AfterNs   *Spread        `json:"after_ns,omitempty"`      // from the begin of the behaviour to the close, of those closed
}

// Spread is the least, the middle and the most of some durations.
type Spread struct {
	Min    int64 `json:"min"`
	Median int64 `json:"median"`
	Max    int64 `json:"max"`
}

// TuneCost is what the set-up spends on being sure that its clients are alive, at the times at which it was measured. Frames are
// those of the clients that only answer pings, each for as long as it was open; the CPU is for all clients and all they do.
type TuneCost struct {
	Clients         int     `json:"clients"`                      // all that were connected at the start
	FramesPerClient float64 `json:"frames_per_client_per_second"` // both ways
	BytesPerClient  float64 `json:"bytes_per_client_per_second"`  // of these frames on the wire, without TCP and IP
	CPUNsPerSecond  float64 `json:"cpu_ns_per_second"`            // of the server process
}

// TuneDamage is the damage of one stuck client under a write timeout policy.
type TuneDamage struct {
	Clients      int    `json:"clients"`
	LateClients  int    `json:"late_clients"` // as blast.late_clients of a cell
	Resolvable   bool   `json:"resolvable"`
	Jammed       bool   `json:"jammed"`
	EvictedBy    string `json:"evicted_by,omitempty"` // absent: not evicted
	EvictAfterNs int64  `json:"evict_after_ns,omitempty"`
	Bounded      bool   `json:"bounded,omitempty"` // nothing evicted it: the end of the run did
	HeldBytesMax int64  `json:"held_bytes_max"`
	WorstNs      int64  `json:"worst_ns"` // the worst delivery to a healthy client
}
