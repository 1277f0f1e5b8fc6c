package strategies

import "wsfanout/engines"

// seq: one goroutine loops over the members and writes to each. A client's latency is its place in the list, and one
// that blocks makes all behind it wait.
type seq struct {
	framer
	gate    int64
	members *members
}

func newSeq(prepared bool) func(Spec, Env) Strategy {
	return func(spec Spec, env Env) Strategy {
		return &seq{framer: framerFor(prepared, env), gate: spec.gate, members: newMembers(1, env.MapOrder)}
	}
}

func (s *seq) Join(c engines.Conn)              { s.members.join(c) }
func (s *seq) Leave(c engines.Conn)             { s.members.leave(c) }
func (s *seq) Members() []Member                { return s.members.accounts() }
func (s *seq) Member(number int) (Member, bool) { return s.members.account(number) }
func (s *seq) Close()                           {}

func (s *seq) Broadcast(r Round) Tally {
	s.members.takeIn()
	return sweep(&s.members.shards[0], s.frame(r.Payload), s.gate)
}

// sweep writes msg to every member of a shard from the calling goroutine. With a gate, a member that owes more than
// gate bytes is skipped: the counterpart of a full queue on an engine that never blocks.
func sweep(s *shardSet, msg *message, gate int64) (t Tally) {
	s.each(func(m *member) {
		switch {
		case gate > 0 && m.conn.Owed() > gate:
			m.dropped.Add(1)
			t.Dropped++
		case msg.send(m.conn) != nil:
			m.failed.Add(1)
			t.Failed++
		default:
			t.Written++
		}
	})
	return t
}
