package strategies

import (
	"sync"

	"wsfanout/engines"
)

// shard: S short-lived workers a round, client i belongs to worker i mod S. A client that blocks makes only its own
// shard wait.
type shard struct {
	framer
	gate    int64
	members *members
	tallies []Tally
}

func newShard(prepared bool) func(Spec, Env) Strategy {
	return func(spec Spec, env Env) Strategy {
		n := spec.count
		if n == 0 {
			n = max(env.Shards, 1)
		}
		return &shard{
			framer: framerFor(prepared, env), gate: spec.gate,
			members: newMembers(n, env.MapOrder), tallies: make([]Tally, n),
		}
	}
}

func (s *shard) Join(c engines.Conn)              { s.members.join(c) }
func (s *shard) Leave(c engines.Conn)             { s.members.leave(c) }
func (s *shard) Members() []Member                { return s.members.accounts() }
func (s *shard) Member(number int) (Member, bool) { return s.members.account(number) }
func (s *shard) Close()                           {}

func (s *shard) Broadcast(r Round) (t Tally) {
	s.members.takeIn()
	msg := s.frame(r.Payload)
	var workers sync.WaitGroup
	for i := range s.members.shards {
		workers.Go(func() { s.tallies[i] = sweep(&s.members.shards[i], msg, s.gate) })
	}
	workers.Wait()
	for _, one := range s.tallies {
		t.add(one)
	}
	return t
}
