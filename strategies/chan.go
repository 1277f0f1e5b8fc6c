package strategies

import (
	"sync"
	"sync/atomic"

	"wsfanout/engines"
)

// defaultQueue is the reference experiment's queue length, in messages per client.
const defaultQueue = 64

// channels: a writer goroutine and a bounded queue per client; the hub only enqueues, and drops where a queue is full. A
// client that blocks makes nobody wait, at the price of a goroutine and a queue for each.
type channels struct {
	size    int
	gate    int64
	evict   bool // a full queue closes the client instead of dropping the message
	members *members
	writers sync.WaitGroup
}

func newChan(spec Spec, env Env) Strategy {
	size := spec.count
	if size == 0 {
		size = defaultQueue
	}
	return &channels{size: size, gate: spec.gate, evict: spec.evict, members: newMembers(1, env.MapOrder)}
}

func (s *channels) Join(c engines.Conn) {
	m := s.members.joinWith(c, &queue{messages: make(chan *message, s.size)})
	s.writers.Go(func() { m.queue.write(m) })
}

func (s *channels) Leave(c engines.Conn) {
	if m := s.members.leave(c); m != nil {
		m.queue.wake()
	}
}

func (s *channels) Members() []Member                { return s.members.accounts() }
func (s *channels) Member(number int) (Member, bool) { return s.members.account(number) }

// Close ends the writers once their connections are closed or their queues are written; it waits for them.
func (s *channels) Close() {
	s.members.each(func(m *member) { s.Leave(m.conn) })
	s.writers.Wait()
}

func (s *channels) Broadcast(r Round) (t Tally) {
	s.members.takeIn()
	msg := &message{payload: r.Payload}
	s.members.shards[0].each(func(m *member) {
		switch {
		case m.left.Load() || m.queue.ended.Load():
			m.failed.Add(1)
			t.Failed++
		case s.gate > 0 && m.conn.Owed() > s.gate:
			m.dropped.Add(1)
			t.Dropped++
		case m.queue.offer(msg):
			t.Queued++
		case s.evict:
			m.failed.Add(1)
			t.Failed++
			m.conn.Evict(engines.ErrQueueFull)
		default:
			m.dropped.Add(1)
			t.Dropped++
		}
	})
	return t
}

// queue is one client's share of channels. Accepted minus done is what it holds, the message being written included:
// len(messages) alone would lose sight of that one.
type queue struct {
	messages chan *message
	accepted atomic.Int64
	done     atomic.Int64
	size     atomic.Int64 // payload bytes of the latest message
	ended    atomic.Bool
}

// offer enqueues without blocking; false means full.
func (q *queue) offer(msg *message) bool {
	q.accepted.Add(1) // before the send: the writer may be done before this goroutine runs again
	select {
	case q.messages <- msg:
		q.size.Store(int64(len(msg.payload)))
		return true
	default:
		q.accepted.Add(-1)
		return false
	}
}

func (q *queue) holds() (messages int, bytes int64) {
	n := max(q.accepted.Load()-q.done.Load(), 0)
	return int(n), n * q.size.Load()
}

// wake lets an idle writer see that its member left. A full queue needs no waking: its writer looks after each message.
func (q *queue) wake() {
	select {
	case q.messages <- nil:
	default:
	}
}

// write hands the queue to the connection until the member leaves or a write fails. What it leaves behind counts as failed.
func (q *queue) write(m *member) {
	defer q.ended.Store(true)
	for !m.left.Load() {
		msg := <-q.messages
		if msg == nil {
			continue
		}
		if err := msg.send(m.conn); err != nil {
			m.failed.Add(1)
			q.done.Add(1)
			return
		}
		q.done.Add(1)
	}
}
