// Package preflight says which limits of the system a run would meet, before it meets them: how many clients each allows, and the
// command that raises it.
package preflight

import (
	"io/fs"
	"math"
	"net"
	"runtime"
	"strings"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Unlimited is a limit that does not bound what it is compared with.
const Unlimited = math.MaxInt

// Host is the machine, as it is written into the results.
type Host struct {
	CPUModel  string  `json:"cpu_model"`
	CPUs      int     `json:"cpus"`
	MemBytes  int64   `json:"mem_bytes"`
	Kernel    string  `json:"kernel"`
	NoFile    int     `json:"nofile"` // descriptors that a process may open
	SoMaxConn int     `json:"somaxconn"`
	TCPWmem   string  `json:"tcp_wmem"` // net.ipv4.tcp_wmem: min, default, max bytes
	TCPRmem   string  `json:"tcp_rmem"`
	PortRange string  `json:"port_range"` // net.ipv4.ip_local_port_range
	Container bool    `json:"container"`
	CPUQuota  float64 `json:"cpu_quota"` // CPUs that the container may use; 0: no limit
}

// Limits are what the system allows. Tests fill it by hand, Read from the running system.
type Limits struct {
	Host Host
	// The runtime of Go raises the soft limit to the hard one at start, in the children too: the hard one counts.
	NoFileSoft, NoFileHard int
	NoFileCeiling          int // fs.nr_open: what the hard limit can be raised to
	FilesOpen, FilesMax    int // of the whole host (fs.file-nr)
	Ports                  int // ephemeral ports of one source address
	Sources                int // loopback addresses a client can come from
	MemAvailableBytes      int // of the host
	CgroupRoomBytes        int // until the container's limit; Unlimited without one
	CgroupRoomThreads      int // processes and threads until the container's limit; Unlimited without one
}

// Read asks the running system. What cannot be read counts as unlimited or stays empty: a limit that hides is no reason to refuse.
func Read() Limits {
	l := Limits{
		Host:              Host{CPUs: runtime.NumCPU(), CPUModel: cpuModel(root), Kernel: kernel(), Container: inContainer(root)},
		FilesMax:          Unlimited,
		NoFileCeiling:     Unlimited,
		Sources:           loopbackSources(),
		Ports:             Unlimited,
		MemAvailableBytes: Unlimited,
	}
	group := cgroupLimits(root)
	l.CgroupRoomBytes, l.CgroupRoomThreads, l.Host.CPUQuota = group.roomBytes, group.roomThreads, group.cpus
	l.NoFileSoft, l.NoFileHard = noFile()
	l.Host.NoFile = l.NoFileHard
	if proc, err := procfs.NewDefaultFS(); err == nil {
		readProc(proc, &l)
	}
	return l
}

// cpuModel is the name in /proc/cpuinfo, or the architecture where there is none (ARM). procfs reads it on Linux only, and this
// package must build elsewhere.
func cpuModel(sys fs.FS) string {
	content, _ := fs.ReadFile(sys, "proc/cpuinfo")
	for line := range strings.Lines(string(content)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// noFile returns RLIMIT_NOFILE; both are Unlimited if it cannot be read.
func noFile() (soft, hard int) {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return Unlimited, Unlimited
	}
	return clamp(uint64(r.Cur)), clamp(uint64(r.Max))
}

// clamp turns RLIM_INFINITY and its kin into Unlimited.
func clamp(v uint64) int {
	if v >= math.MaxInt {
		return Unlimited
	}
	return int(v)
}

// sourcesUsed is how many addresses of 127.0.0.0/24 a fleet connects from at most.
const sourcesUsed = 250

// loopbackSources is sourcesUsed where the whole of 127.0.0.0/8 is the host itself, as on Linux, else 1.
func loopbackSources() int {
	ln, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		return 1
	}
	ln.Close()
	return sourcesUsed
}

// readProc fills in what /proc knows.
func readProc(proc procfs.FS, l *Limits) {
	if mem, err := proc.Meminfo(); err == nil {
		l.Host.MemBytes = int64(deref(mem.MemTotalBytes, 0))
		l.MemAvailableBytes = clamp(deref(mem.MemAvailableBytes, math.MaxUint64))
	}
	l.Host.TCPWmem = text(proc, "net.ipv4.tcp_wmem")
	l.Host.TCPRmem = text(proc, "net.ipv4.tcp_rmem")
	l.Host.PortRange = text(proc, "net.ipv4.ip_local_port_range")
	if v := numbers(proc, "net.core.somaxconn"); len(v) == 1 {
		l.Host.SoMaxConn = v[0]
	}
	if v := numbers(proc, "net.ipv4.ip_local_port_range"); len(v) == 2 {
		l.Ports = v[1] - v[0] + 1
	}
	if v := numbers(proc, "fs.file-nr"); len(v) == 3 {
		l.FilesOpen, l.FilesMax = v[0], v[2]
	}
	if v := numbers(proc, "fs.nr_open"); len(v) == 1 {
		l.NoFileCeiling = v[0]
	}
}

func deref(p *uint64, otherwise uint64) uint64 {
	if p == nil {
		return otherwise
	}
	return *p
}
