// Package clientfleet is the client half of an experiment: thousands of real WebSocket clients in one process that
// record when each of them got each round. It shares nothing with the engines it measures.
package clientfleet

import "time"

// Plan says which clients a fleet connects, to where, and what it expects of the server.
type Plan struct {
	Addr    string        `json:"addr"`              // host:port of the server
	Path    string        `json:"path,omitempty"`    // request path; default "/ws", the client's number goes into ?i=
	Numbers []Range       `json:"numbers"`           // numbers of the healthy clients
	Extras  []Extra       `json:"extras,omitempty"`  // clients that misbehave, numbered apart from the healthy ones
	Size    int           `json:"size_bytes"`        // payload bytes of every counted message
	Rounds  int           `json:"rounds"`            // rounds are numbered 0..Rounds-1 over the whole cell (bare rounds included)
	Readers int           `json:"readers,omitempty"` // epoll threads; 0: half of GOMAXPROCS, at least 1
	Dialing int           `json:"dialing,omitempty"` // handshakes at a time; 0: 32
	Timeout time.Duration `json:"timeout_ns"`        // for all connects together; then those missing are reported, not waited for; 0: 1 min

	// Nap is how long a reader sleeps after a wake-up while messages gather; 0: 200 us, negative: not at all. It saves a third
	// of the fleet's CPU, and most wake-ups that would be charged to the server's writes. The lag grows by as much;
	// arrivals, which the kernel stamps, do not.
	Nap time.Duration `json:"nap_ns,omitempty"`

	// Compress negotiates permessage-deflate (RFC 7692) without context takeover. A client whose server does not agree is not
	// connected.
	Compress bool     `json:"compress,omitempty"`
	Content  *Content `json:"content,omitempty"` // what the messages say; nil: not checked
	TLS      *TLS     `json:"tls,omitempty"`     // nil: no TLS
	Inbound  *Inbound `json:"inbound,omitempty"` // what clients may send; nil: nothing
}

// Range is the numbers From..To-1.
type Range struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// The kinds of extras: what a client does from its begin on. What is not said it does as healthy clients do.
const (
	Stuck     = "stuck"     // reads nothing, for Resume or for ever
	Slow      = "slow"      // reads Rate bytes per second, and answers the pings among them
	Vanished  = "vanished"  // its kernel drops every segment that comes: no acknowledgement, no FIN, no RST
	Mute      = "mute"      // reads and sends nothing: no pong, and no answer to a close frame
	Answers   = "answers"   // reads and answers pings: a healthy client with an account
	Heartbeat = "heartbeat" // sends a ping each Every, and answers those of the server
	Text      = "text"      // sends a text message each Every, and no pongs
	Fragments = "fragments" // sends a fragment of a text message that never ends each Every, and no pongs
	Dribble   = "dribble"   // sends one byte of a masked frame of 500 bytes each Every, and nothing else
	Late      = "late"      // sends a pong Delay after its ping came
	AsksClock = "clock"     // asks the server for its clock when Fleet.AskClock says so, and is in no collection; one a fleet
	Blocker   = "blocker"   // sends its Announce again as soon as a message comes: one at a time is under way
	Half      = "half"      // sends half of a masked frame of 100 bytes, and then nothing
)

// Extra is one client that behaves in another way. It is connected from the start and does as the others do until it
// begins, After so long from Misbehave on.
type Extra struct {
	Number     int           `json:"number"`
	Kind       string        `json:"kind"`                  // one of the kinds above
	Rate       int64         `json:"rate,omitempty"`        // slow: bytes per second
	Resume     time.Duration `json:"resume_ns,omitempty"`   // stuck: reads again after this; 0: never
	RecvBuffer int           `json:"recv_buffer,omitempty"` // SO_RCVBUF set before connect; 0: the default
	Announce   string        `json:"announce,omitempty"`    // text message sent when it begins ("slow", "block 50ms"), at most 125 bytes; "": none
	After      time.Duration `json:"after_ns,omitempty"`    // from Misbehave to its begin, which comes up to 5 ms later; 0: at Misbehave
	Every      time.Duration `json:"every_ns,omitempty"`    // heartbeat, text, fragments, dribble: the first at its begin; one in 5 ms at most
	Delay      time.Duration `json:"delay_ns,omitempty"`    // late: of its pongs, which come up to 5 ms later
}

// Connected is the answer to a connect: how many of the asked clients there really are.
type Connected struct {
	Asked     int            `json:"asked"`
	Connected int            `json:"connected"`
	ConnectNs int64          `json:"connect_ns"`       // first socket to last handshake
	Errors    map[string]int `json:"errors,omitempty"` // the kind of error ("http 503", "timeout") -> clients that failed by it
	Sources   int            `json:"sources"`          // source addresses used, 127.0.0.x if several
	Unstamped int64          `json:"unstamped"`        // counted messages so far that came glued to the handshake reply

	// Dial is an HDR histogram, V2 compressed encoding, of how long each connected client took from connect(2) to the end of
	// the server's handshake reply, nanoseconds; several dial at a time, and tries that failed are not in it. nil: nobody connected.
	Dial []byte `json:"dial,omitempty"`
}

// Counters are what a fleet has spent since its last Mark. Lag is the pick-up minus the arrival of each counted message.
type Counters struct {
	CPUUserNs    int64  `json:"cpu_user_ns"`
	CPUSystemNs  int64  `json:"cpu_system_ns"`
	Wakeups      int64  `json:"wakeups"`  // epoll_wait calls that returned events
	Messages     int64  `json:"messages"` // counted messages picked up, bare rounds included
	Readers      int    `json:"readers"`
	Lag          []byte `json:"lag"`           // HDR histogram, V2 compressed encoding, nanoseconds
	SharedStamps int64  `json:"shared_stamps"` // messages whose kernel stamp may be that of bytes behind them
	Unstamped    int64  `json:"unstamped"`     // messages without a kernel stamp: pick-up time used
	ClockSteps   int64  `json:"clock_steps"`   // jumps of CLOCK_REALTIME above 1 ms, as the reader that saw most of them counts
	Involuntary  int64  `json:"involuntary"`   // involuntary context switches of the process
	RSSBytes     int64  `json:"rss_bytes"`     // now, not since Mark
	Inflated     int64  `json:"inflated"`      // compressed messages not known by their bytes: about one per round and reader

	WireBytes      WireBytes `json:"wire_bytes"`
	InboundSent    int64     `json:"inbound_sent"`
	InboundSkipped int64     `json:"inbound_skipped"` // turns of clients that are gone or whose server did not read
}

// WireBytes is what the counted messages of the two kinds of rounds were on the wire, extras included, warm-ups not. A
// delivery costs Bytes / Messages.
type WireBytes struct {
	Strategy Traffic `json:"strategy"`
	Bare     Traffic `json:"bare"`
}

// Traffic is a number of messages and their frames: headers and payloads as they came, compressed or not. TLS, where there
// is any, adds its own to each record.
type Traffic struct {
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"`
}

// Collection is what one fleet saw of the rounds From..To-1 of one kind. Everything in it merges over several fleets.
type Collection struct {
	From       uint32       `json:"from"`
	To         uint32       `json:"to"`
	Rounds     []RoundSeen  `json:"rounds"`  // only those of which a message came: the stamp is all a fleet knows of a round
	Clients    []ClientSeen `json:"clients"` // healthy clients, also those that are gone
	Extras     []ClientSeen `json:"extras,omitempty"`
	Latency    []byte       `json:"latency"`        // HDR histogram of arrival minus real start, healthy clients, V2 compressed encoding
	LatencyDue []byte       `json:"latency_due"`    // the same from the scheduled start
	Duplicates int64        `json:"duplicates"`     // messages of these rounds that the same client already had
	OutOfOrder int64        `json:"out_of_order"`   // messages of these rounds that came after one of a later round
	Early      int64        `json:"early"`          // messages of these rounds that came before the start in their stamp
	Malformed  int64        `json:"malformed"`      // messages of a wrong size, kind or content or an unknown round, since Connect
	Corrupt    int64        `json:"corrupt"`        // those of them whose content is wrong or does not inflate
	Checked    int64        `json:"checked"`        // counted messages whose content was compared and right, since Connect
	Gone       []Gone       `json:"gone,omitempty"` // clients whose connection ended, or never was, since Connect

	// Clock is how well the fleet's clock is known to be the server's, in the round where that is least; nil: they are one.
	Clock *ClockSeen `json:"clock,omitempty"`
}

// RoundSeen is one round at the clients of a fleet. All instants are CLOCK_MONOTONIC nanoseconds of the server's host.
type RoundSeen struct {
	N        uint32 `json:"n"`
	Start    int64  `json:"start"`     // from the stamp: real start
	Due      int64  `json:"due"`       // from the stamp: scheduled start
	Received int    `json:"received"`  // distinct healthy clients
	First    int64  `json:"first"`     // earliest arrival
	Last     int64  `json:"last"`      // latest arrival
	PickedUp int64  `json:"picked_up"` // latest pick-up
	Spread   int64  `json:"spread"`    // Last minus First, by one clock: of fleets with several, the largest

	ends [2]int64 // first and last arrival by the clock of the fleet that is collecting
}

// ClientSeen is one client over the rounds of a collection. Latencies are from the real start, 0 if nothing was received.
type ClientSeen struct {
	Number   int   `json:"i"`
	Received int   `json:"n"`
	Median   int64 `json:"med"`
	Max      int64 `json:"max"`
}

// Gone is a connection that ended and how the client saw it: a close code ("close 1001"), "EOF", "reset", or what it
// found wrong with the server's bytes. A client that never got a connection is "never connected: " and the kind of error.
type Gone struct {
	Number int    `json:"i"`
	Why    string `json:"why"`
	At     int64  `json:"at"` // when the client saw it, CLOCK_MONOTONIC nanoseconds
}

// Behaved is what one extra has done since its begin; before it everything is 0. Frames are whole ones, as they are on the
// wire without TLS, and Bytes theirs and those of one that has not ended. The announcement is one of them.
type Behaved struct {
	Number  int    `json:"i"`
	Kind    string `json:"kind"`
	BeganAt int64  `json:"began_at,omitempty"` // CLOCK_MONOTONIC nanoseconds; 0: not yet
	Pings   int64  `json:"pings"`              // ping frames received
	Pongs   int64  `json:"pongs"`              // pong frames sent
	Frames  int64  `json:"frames"`             // all frames sent, pongs included
	Bytes   int64  `json:"bytes"`
}
