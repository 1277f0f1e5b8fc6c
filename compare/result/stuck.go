package result

import "slices"

// Jam is the proof that the stuck clients were stuck, and what became of them. Without it a calm phase proves nothing.
type Jam struct {
	Jammed  bool        `json:"jammed"` // every stuck client
	Clients []JamClient `json:"clients"`
	// DefaultJamAfterNs is when this jam would have come with default kernel buffers at this rate; absent: not measured.
	DefaultJamAfterNs *int64 `json:"default_jam_after_ns,omitempty"`
	Arithmetic        string `json:"arithmetic"` // how much was offered and how much the kernel can take, in words
	// HeapGrowthBytes is the most heap in use over the phase, less that at its start. Garbage counts; absent: not measured.
	HeapGrowthBytes *int64 `json:"heap_growth_bytes,omitempty"`
}

// Proven says whether the trial's calm means anything: the clients that should be stuck were stuck. A phase with none of
// them, where others are slow, has nothing to prove.
func (t *Trial) Proven() bool {
	if t.Stuck == nil || t.NeverJammed() {
		return false
	}
	return t.Stuck.Jam != nil || len(t.Stuck.Others) > 0 && !slices.ContainsFunc(t.Stuck.Others, func(o Other) bool { return o.Kind != "slow" })
}

// NeverJammed says that a client was told to stop reading and did not jam.
func (t *Trial) NeverJammed() bool {
	return t.Stuck != nil && t.Stuck.Jam != nil && !t.Stuck.Jam.Jammed
}

// JamClient is one stuck client. Times count from its jam instant, when the byte was handed over that stayed owed.
type JamClient struct {
	Number        int          `json:"number"`
	JamRound      *int         `json:"jam_round,omitempty"` // absent: never jammed
	AbsorbedBytes int64        `json:"absorbed_bytes"`      // taken by the kernel since the client stopped reading
	NoticedBy     string       `json:"noticed_by,omitempty"`
	NoticeAfterNs *int64       `json:"notice_after_ns,omitempty"`
	EvictedBy     string       `json:"evicted_by,omitempty"` // absent: not evicted
	EvictAfterNs  *int64       `json:"evict_after_ns,omitempty"`
	OnlyAtEnd     bool         `json:"only_at_end,omitempty"` // closed only because the rounds stopped: that is no eviction
	Bounded       bool         `json:"bounded,omitempty"`     // closed by the experiment: a write would have hung for ever
	HeldBytesMax  int64        `json:"held_bytes_max"`        // pending and queued bytes held for it, at most
	Held          [][2]float64 `json:"held,omitempty"`        // [ns since the jam instant, bytes held]
	QueuedMax     int          `json:"queued_max,omitempty"`  // messages in the strategy's queue at most, the one being written included
	Drops         int64        `json:"drops"`
}

// Other is the ledger of one extra client that is not among the healthy: stuck, slow, resumed, vanished. Unit: messages.
type Other struct {
	Number    int    `json:"number"`
	Kind      string `json:"kind"`
	Expected  int64  `json:"expected"`
	Received  int64  `json:"received"`
	Dropped   int64  `json:"dropped"`
	Failed    int64  `json:"failed"`
	Owed      int64  `json:"owed"`
	Outcome   string `json:"outcome,omitempty"` // slow and resumed ones: alive, recovered or evicted; the stream intact or not
	FalseKill string `json:"false_kill"`        // why it was closed although it deserved to live, or ""
}

// Blast is the damage among the healthy clients. A client is late if a delivery took longer than its own healthy median by more
// than the threshold.
type Blast struct {
	LateClients     *int   `json:"late_clients,omitempty"` // absent when not resolvable
	LateThresholdNs int64  `json:"late_threshold_ns"`
	Control         int    `json:"control"`    // late clients by the same rule in the healthy phase
	Resolvable      bool   `json:"resolvable"` // the control is 0
	LateRounds      int    `json:"late_rounds"`
	WorstNs         *int64 `json:"worst_ns,omitempty"` // worst healthy delivery; absent: nothing was delivered
}
