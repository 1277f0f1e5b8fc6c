package strategies

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"wsfanout/engines"
)

// member is one client of a strategy. Failures and drops are rare, so that atomic counters cost the hot path nothing.
type member struct {
	conn    engines.Conn
	left    atomic.Bool
	dropped atomic.Int64
	failed  atomic.Int64
	queue   *queue // chan only
}

func (m *member) account() Member {
	a := Member{
		Number: m.conn.Number(), Left: m.left.Load(),
		Dropped: int(m.dropped.Load()), Failed: int(m.failed.Load()),
	}
	if m.queue != nil {
		a.Queued, a.QueuedBytes = m.queue.holds()
		if m.queue.ended.Load() { // nobody will write these any more
			a.Failed += a.Queued
			a.Queued, a.QueuedBytes = 0, 0
		}
	}
	return a
}

// members is the set a strategy broadcasts to, cut into shards by number mod len(shards). Joins and leaves wait in
// changes until the hub takes them in at the start of a round: a round never sees the set move.
type members struct {
	mapOrder bool
	shards   []shardSet

	mu      sync.Mutex
	changes []change
	current map[int]*member
	ever    []*member
}

type change struct {
	member *member
	join   bool
}

// shardSet keeps both orders; only the one in use is filled.
type shardSet struct {
	ordered  []*member // by number
	unsorted bool
	set      map[int]*member
}

func newMembers(shards int, mapOrder bool) *members {
	ms := &members{mapOrder: mapOrder, shards: make([]shardSet, shards), current: map[int]*member{}}
	for i := range ms.shards {
		ms.shards[i].set = map[int]*member{}
	}
	return ms
}

func (ms *members) join(c engines.Conn) { ms.joinWith(c, nil) }

func (ms *members) joinWith(c engines.Conn, q *queue) *member {
	m := &member{conn: c, queue: q}
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.current[c.Number()] = m
	ms.ever = append(ms.ever, m)
	ms.changes = append(ms.changes, change{m, true})
	return m
}

// leave returns the member that left, nil if c is none.
func (ms *members) leave(c engines.Conn) *member {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m := ms.current[c.Number()]
	if m == nil || m.conn != c { // another connection has the number by now
		return nil
	}
	delete(ms.current, c.Number())
	m.left.Store(true)
	ms.changes = append(ms.changes, change{m, false})
	return m
}

// takeIn applies the joins and leaves since the last round. Only the hub calls it.
func (ms *members) takeIn() {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for _, c := range ms.changes {
		s := &ms.shards[c.member.conn.Number()%len(ms.shards)]
		if c.join {
			s.insert(c.member, ms.mapOrder)
		} else {
			s.remove(c.member)
		}
	}
	ms.changes = nil
	for i := range ms.shards {
		ms.shards[i].sort()
	}
}

// each calls f with every current member, without holding the lock: f may call leave.
func (ms *members) each(f func(*member)) {
	ms.mu.Lock()
	now := slices.Collect(maps.Values(ms.current))
	ms.mu.Unlock()
	for _, m := range now {
		f(m)
	}
}

func (ms *members) account(number int) (Member, bool) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if m := ms.current[number]; m != nil {
		return m.account(), true
	}
	return Member{}, false
}

func (ms *members) accounts() []Member {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	out := make([]Member, len(ms.ever))
	for i, m := range ms.ever {
		out[i] = m.account()
	}
	slices.SortStableFunc(out, func(a, b Member) int { return cmp.Compare(a.Number, b.Number) })
	return out
}

func (s *shardSet) insert(m *member, mapOrder bool) {
	if mapOrder {
		s.set[m.conn.Number()] = m
		return
	}
	s.ordered = append(s.ordered, m)
	s.unsorted = true
}

func (s *shardSet) remove(m *member) {
	if s.set[m.conn.Number()] == m { // a client that came back may have taken the place already
		delete(s.set, m.conn.Number())
	}
	if at := slices.Index(s.ordered, m); at >= 0 {
		s.ordered = slices.Delete(s.ordered, at, at+1)
	}
}

// sort puts newcomers in their places, all at once: ten thousand join before the first round.
func (s *shardSet) sort() {
	if s.unsorted {
		slices.SortFunc(s.ordered, func(a, b *member) int { return cmp.Compare(a.conn.Number(), b.conn.Number()) })
		s.unsorted = false
	}
}

// each calls f with every member of the shard, in list order or in map order.
func (s *shardSet) each(f func(*member)) {
	for _, m := range s.ordered {
		f(m)
	}
	for _, m := range s.set {
		f(m)
	}
}
