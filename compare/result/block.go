package result

// Block is one place where handlers run, with some connections that ask for a handler that blocks, over all trials.
type Block struct {
	Engine   string       `json:"engine"`            // canonical spec
	Place    string       `json:"place"`             // where handlers run, in words
	Blockers string       `json:"blockers"`          // what holds a handler: "sleep", or "half frame"
	Blocking int          `json:"blocking"`          // connections that do
	HoldNs   int64        `json:"hold_ns,omitempty"` // how long one handler is held; absent for half frames: for ever
	Fast     int          `json:"fast"`              // connections that echo, each with one message under way
	Loops    int          `json:"loops,omitempty"`   // handlers that can run at a time; 0: one for each connection
	Load     float64      `json:"load,omitempty"`    // predicted: blocking connections / loops; from 1 on nothing is left for the others
	Trials   []BlockTrial `json:"trials"`
}

// BlockTrial is one measurement in fresh processes.
type BlockTrial struct {
	Trial          int      `json:"trial"`
	PerSecond      float64  `json:"per_second"` // echoes of the fast connections
	LatencyNs      Latency  `json:"latency_ns"` // of an echo, from its send
	Sent           int64    `json:"sent"`       // of the window: received + lost
	Received       int64    `json:"received"`
	Lost           int64    `json:"lost,omitempty"`             // echoes that never came
	Stuck          int64    `json:"stuck,omitempty"`            // sent before the window and not answered in it
	Starved        int      `json:"starved,omitempty"`          // fast connections with less than a fifth of the echoes of the busiest one
	TurnsPerSecond float64  `json:"turns_per_second,omitempty"` // handlers of the blocking connections
	BlockersGone   int      `json:"blockers_gone,omitempty"`    // blocking connections that the server had closed by the end
	Turns          int64    `json:"turns"`                      // handlers that the blocking connections held
	Stalls         *Stalls  `json:"stalls,omitempty"`
	Warnings       []string `json:"warnings"`
	Error          string   `json:"error"`
}

// Stalls are handlers that ran for longer than a limit.
type Stalls struct {
	LimitNs int64   `json:"limit_ns"`
	Count   int64   `json:"count"`
	WorstNs int64   `json:"worst_ns"`
	Handler string  `json:"handler,omitempty"` // of the worst: what the message asked for, and the client's number
	CostNs  float64 `json:"cost_ns"`           // of looking at one handler, measured in the server before the first client
}
