package result

// Hold is one engine set-up with connections at rest, over all trials.
type Hold struct {
	Engine    string      `json:"engine"` // canonical spec
	Footnotes []string    `json:"footnotes,omitempty"`
	Trials    []HoldTrial `json:"trials"`
}

// HoldTrial is the set-up at every number of connections, each in fresh processes. Error is why there is no (complete) measurement.
type HoldTrial struct {
	Trial    int         `json:"trial"`
	Points   []HoldPoint `json:"points,omitempty"` // ascending
	Warnings []string    `json:"warnings"`
	Error    string      `json:"error"`
}

// HoldPoint is the server with so many connections at rest. Heap, stacks and RSS are after a garbage collection.
type HoldPoint struct {
	Connections int     `json:"connections"`
	HeapBytes   int64   `json:"heap_bytes"`
	StackBytes  int64   `json:"stack_bytes"`
	RSSBytes    int64   `json:"rss_bytes"`
	KernelBytes int64   `json:"kernel_bytes"` // of socket buffers and queues, as SO_MEMINFO has it, all server sockets together
	Goroutines  int     `json:"goroutines"`
	Threads     int     `json:"threads"`
	Sweeps      []Sweep `json:"sweeps,omitempty"`
	After       *Left   `json:"after,omitempty"`
}

// Sweep is one message to every connection that is held, the median over a few rounds.
type Sweep struct {
	Strategy     string  `json:"strategy"`
	Rounds       int     `json:"rounds"`
	LastClientNs int64   `json:"last_client_ns"`
	HubNs        int64   `json:"hub_ns"`
	CPUNs        int64   `json:"cpu_ns"` // of the server per round, user and system
	Reach        float64 `json:"reach"`
}

// Left is what stayed above the start after all clients had gone; 0 = back.
type Left struct {
	Members    int   `json:"members"`
	FDs        int   `json:"fds"`
	Goroutines int   `json:"goroutines"`
	HeapBytes  int64 `json:"heap_bytes"` // also stacks; after a garbage collection
}
