package engines

import (
	"sync/atomic"
	"syscall"

	"wsfanout/internal/sock"
)

// meter counts what a connection with blocking writes was given, so that Owed costs its writer two atomic additions: what
// the kernel took of a write under way is asked of the kernel, by the one who wants to know.
type meter struct {
	account debt // handed when a write begins, taken when it has ended
	raw     syscall.RawConn
	base    atomic.Int64 // sock.Taken minus what the account says, while nothing is under way
	trust   atomic.Int32 // in base
}

// Trust in the base. Control hands out the descriptor, and what is written there moves the kernel's count but not ours.
// The base is taken anew at the second look in a row at an idle connection: a sampler pays for that, a round that asks
// every connection once does not.
const (
	trusted int32 = iota
	touched
	idleOnce
)

func (m *meter) open(raw syscall.RawConn) {
	m.raw = raw
	m.rebase(0)
}

// control is Conn.Control. Nobody writes to the descriptor in the middle of a frame, so only an idle connection is touched.
func (m *meter) control(f func(fd uintptr)) error {
	if m.account.owed() == 0 {
		m.trust.Store(touched)
	}
	if m.raw.Control(f) != nil { // its only error is that the connection is closed
		return ErrClosed
	}
	return nil
}

// owed is Conn.Owed. While the base is not trusted it is an upper bound: the whole of the writes under way.
func (m *meter) owed() int64 {
	done := m.account.taken.Load()
	owed := m.account.handed.Load() - done
	if owed <= 0 {
		m.idle(done)
		return 0
	}
	if m.trust.Load() != trusted {
		return owed
	}
	taken, ok := m.taken()
	if !ok {
		return 0
	}
	return max(0, min(owed, done+owed-(taken-m.base.Load())))
}

func (m *meter) idle(done int64) {
	if !m.trust.CompareAndSwap(touched, idleOnce) && m.trust.Load() == idleOnce {
		m.rebase(done)
	}
}

// rebase takes the base, unless a write began meanwhile.
func (m *meter) rebase(done int64) {
	trust := m.trust.Load()
	taken, ok := m.taken()
	if ok && m.account.handed.Load() == done {
		m.base.Store(taken - done)
		m.trust.CompareAndSwap(trust, trusted)
	}
}

func (m *meter) taken() (taken int64, ok bool) {
	err := m.raw.Control(func(fd uintptr) {
		n, err := sock.Taken(int(fd))
		taken, ok = n, err == nil
	})
	return taken, ok && err == nil
}
