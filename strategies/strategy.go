// Package strategies decides who gets a message, in what order, by which goroutine, and what happens when a client cannot
// keep up. A strategy knows connections only through engines.Conn, so each runs unchanged on every engine.
package strategies

import (
	"wsfanout/engines"
)

// A Strategy is a policy over its own members.
type Strategy interface {
	// Join and Leave may be called from any goroutine; they take effect with the next round.
	Join(engines.Conn)
	Leave(engines.Conn)
	// Broadcast returns when every member was written to, queued for or dropped. Calls never overlap; writes of an
	// earlier round may still be under way (chan).
	Broadcast(Round) Tally
	// Members are the accounts of everybody who ever joined, ordered by number; safe at any time.
	Members() []Member
	// Member is the account of one current member; ok is false for a number that is none. It is cheap: a sampler asks
	// while rounds go out.
	Member(number int) (m Member, ok bool)
	// Close ends the strategy's own goroutines. Call it after the last Broadcast.
	Close()
}

// Round is one message for all members. N numbers it; Due and Start are CLOCK_MONOTONIC nanoseconds. The payload is
// this round's own and is never touched again.
type Round struct {
	N       uint32
	Due     int64
	Start   int64
	Payload []byte
}

// Tally is what Broadcast did, in members. The four add up to the members of the round.
type Tally struct {
	Written int // handed to the engine
	Queued  int // waiting for a writer of the strategy
	Dropped int // skipped on purpose: this client cannot keep up
	Failed  int // the engine refused: the client's eviction has begun
}

func (t *Tally) add(o Tally) {
	t.Written += o.Written
	t.Queued += o.Queued
	t.Dropped += o.Dropped
	t.Failed += o.Failed
}

// Member is the account of one client since it joined, in messages.
type Member struct {
	Number      int
	Left        bool
	Queued      int   // accepted and not yet handed over completely, the one being written included
	QueuedBytes int64 // payload bytes of Queued
	Dropped     int
	Failed      int
}

// Env is what a strategy needs to know about its surroundings.
type Env struct {
	Prepare  func(payload []byte) (engines.Prepared, error) // the engine's
	Shards   int                                            // workers of shard and shardprep where the spec gives none
	MapOrder bool                                           // range over a Go map, as most hubs do, instead of by number
}

// New makes the strategy that spec names.
func New(spec Spec, env Env) Strategy {
	entry := find(spec.Name)
	return entry.make(spec, env)
}
