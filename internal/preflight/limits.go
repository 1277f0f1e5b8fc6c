// Package preflight says which limits of the system a run would meet, before it meets them: how many clients each allows, and the
// command that raises it.
package preflight

import (
	"math"
	"net"
	"runtime"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Unlimited is a limit that does not bound what it is compared with.
const Unlimited = math.MaxInt

// Host is the machine, as it is written into the results.
type Host struct {
	CPUModel  string
	CPUs      int
	MemBytes  int64
	Kernel    string
	NoFile    int // descriptors that a process may open
	SoMaxConn int
	TCPWmem   string // net.ipv4.tcp_wmem: min, default, max bytes
	TCPRmem   string
	PortRange string // net.ipv4.ip_local_port_range
	Container bool
	CPUQuota  float64 // CPUs that the container may use; 0: no limit
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
}

// Read asks the running system. What cannot be read counts as unlimited or stays empty: a limit that hides is no reason to refuse.
func Read() Limits {
	l := Limits{
		Host:              Host{CPUs: runtime.NumCPU(), CPUModel: runtime.GOARCH, Kernel: kernel(), Container: inContainer(root)},
		FilesMax:          Unlimited,
		NoFileCeiling:     Unlimited,
		Sources:           loopbackSources(),
		Ports:             Unlimited,
		MemAvailableBytes: Unlimited,
	}
	l.CgroupRoomBytes, l.Host.CPUQuota = cgroupLimits(root)
	l.NoFileSoft, l.NoFileHard = noFile()
	l.Host.NoFile = l.NoFileHard
	if proc, err := procfs.NewDefaultFS(); err == nil {
		readProc(proc, &l)
	}
	return l
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

// loopbackSources is 254 where all of 127.0.0.0/24 is the host itself, as on Linux, else 1.
func loopbackSources() int {
	ln, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		return 1
	}
	ln.Close()
	return 254
}

// readProc fills in what /proc knows.
func readProc(proc procfs.FS, l *Limits) {
	if mem, err := proc.Meminfo(); err == nil {
		l.Host.MemBytes = int64(deref(mem.MemTotalBytes, 0))
		l.MemAvailableBytes = clamp(deref(mem.MemAvailableBytes, math.MaxUint64))
	}
	if cpus, err := proc.CPUInfo(); err == nil && len(cpus) > 0 && cpus[0].ModelName != "" {
		l.Host.CPUModel = cpus[0].ModelName
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
