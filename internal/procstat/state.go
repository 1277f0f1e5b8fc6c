package procstat

import (
	"fmt"
	"runtime"
	"runtime/metrics"

	"github.com/prometheus/procfs"
)

// State is what this process holds at one moment.
type State struct {
	HeapBytes  int64 // heap objects, live ones and those not yet collected (runtime/metrics)
	StackBytes int64 // memory for goroutine stacks in use (runtime/metrics)
	RSSBytes   int64 // resident set (/proc/self/stat)
	FDs        int   // open descriptors (/proc/self/fd)
	Threads    int   // of the operating system
	Goroutines int
}

// ReadState takes the heavy reading. With collect it collects garbage first, so that HeapBytes counts live objects only: twice, since
// a sync.Pool gives up what it holds only in the second collection.
func ReadState(collect bool) (State, error) {
	if collect {
		runtime.GC()
		runtime.GC()
	}
	p, err := self()
	if err != nil {
		return State{}, fmt.Errorf("procstat: %w", err)
	}
	stat, err := p.Stat()
	if err != nil {
		return State{}, fmt.Errorf("procstat: %w", err)
	}
	fds, err := p.FileDescriptorsLen()
	if err != nil {
		return State{}, fmt.Errorf("procstat: %w", err)
	}
	heap, stack := goMemory()
	return State{
		HeapBytes:  heap,
		StackBytes: stack,
		RSSBytes:   int64(stat.ResidentMemory()),
		FDs:        fds,
		Threads:    stat.NumThreads,
		Goroutines: runtime.NumGoroutine(),
	}, nil
}

// InUseBytes is heap and stacks together: what a connection costs a Go server, apart from the kernel's share.
func (s State) InUseBytes() int64 { return s.HeapBytes + s.StackBytes }

// goMemory returns bytes of heap objects and of goroutine stacks.
func goMemory() (heap, stack int64) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64())
}

// HostStealNs is the CPU time that the hypervisor gave to others while this host wanted it, since boot, all CPUs together
// (/proc/stat; in steps of 10 ms).
func HostStealNs() (int64, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, fmt.Errorf("procstat: %w", err)
	}
	stat, err := fs.Stat()
	if err != nil {
		return 0, fmt.Errorf("procstat: %w", err)
	}
	return int64(stat.CPUTotal.Steal * 1e9), nil
}
