// Package procstat reads what this process and its host have used: CPU, context switches, system calls, memory, steal.
//
// The readings come apart by price. Read costs tens of microseconds and is meant for every round boundary; ReadState may collect
// garbage and belongs between phases.
package procstat

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Usage is what this process has consumed since it started, all threads together, also those that have ended.
type Usage struct {
	UserNs      int64 // CPU time in user mode (getrusage)
	SystemNs    int64 // CPU time in the kernel (getrusage)
	Voluntary   int64 // context switches of a thread that had nothing to do
	Involuntary int64 // context switches of a thread that wanted to go on
	// WriteCalls counts write(2) and writev(2), the few by which Go's runtime wakes its poller included, not send(2) and its kin
	// (/proc/self/io). It is 0 when WriteCallsOK is false.
	WriteCalls   int64
	WriteCallsOK bool  // the kernel counts them and lets this process read it
	GCPauseNs    int64 // time the world was stopped for garbage collection
}

// CPUNs is user and system time together.
func (u Usage) CPUNs() int64 { return u.UserNs + u.SystemNs }

// Read takes the cheap reading. It does not stop the world.
func Read() (Usage, error) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return Usage{}, fmt.Errorf("procstat: getrusage: %w", err)
	}
	u := Usage{
		UserNs:      r.Utime.Nano(),
		SystemNs:    r.Stime.Nano(),
		Voluntary:   int64(r.Nvcsw),
		Involuntary: int64(r.Nivcsw),
		GCPauseNs:   gcPauseNs(),
	}
	if countsWrites() {
		u.WriteCalls, u.WriteCallsOK = writeCalls()
	}
	return u, nil
}

// Sub is what was consumed between earlier and u. Write calls are known only if both readings have them.
func (u Usage) Sub(earlier Usage) Usage {
	d := Usage{
		UserNs:      u.UserNs - earlier.UserNs,
		SystemNs:    u.SystemNs - earlier.SystemNs,
		Voluntary:   u.Voluntary - earlier.Voluntary,
		Involuntary: u.Involuntary - earlier.Involuntary,
		GCPauseNs:   u.GCPauseNs - earlier.GCPauseNs,
	}
	if u.WriteCallsOK && earlier.WriteCallsOK {
		d.WriteCalls, d.WriteCallsOK = u.WriteCalls-earlier.WriteCalls, true
	}
	return d
}

// Add is u and other together: the rounds of one kind, summed.
func (u Usage) Add(other Usage) Usage {
	s := Usage{
		UserNs:      u.UserNs + other.UserNs,
		SystemNs:    u.SystemNs + other.SystemNs,
		Voluntary:   u.Voluntary + other.Voluntary,
		Involuntary: u.Involuntary + other.Involuntary,
		GCPauseNs:   u.GCPauseNs + other.GCPauseNs,
	}
	if u.WriteCallsOK && other.WriteCallsOK {
		s.WriteCalls, s.WriteCallsOK = u.WriteCalls+other.WriteCalls, true
	}
	return s
}

// gcPauseNs reads the exact total. ReadGCStats takes a lock of the heap but, unlike ReadMemStats, does not stop the world.
func gcPauseNs() int64 {
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	return int64(stats.PauseTotal / time.Nanosecond)
}

// self is this process in /proc, looked up once.
var self = sync.OnceValues(procfs.Self)

func writeCalls() (int64, bool) {
	p, err := self()
	if err != nil {
		return 0, false
	}
	io, err := p.IO()
	if err != nil {
		return 0, false
	}
	return int64(io.SyscW), true
}

// countsWrites tells a kernel that counts from one that always says 0: it writes once and looks whether the count moved.
var countsWrites = sync.OnceValue(func() bool {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	defer null.Close()
	before, ok := writeCalls()
	if _, err := null.Write([]byte{0}); err != nil || !ok {
		return false
	}
	after, ok := writeCalls()
	return ok && after > before
})
