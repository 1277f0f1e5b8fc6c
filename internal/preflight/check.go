package preflight

import "fmt"

// Need is what a run asks of the system.
type Need struct {
	Clients   int // healthy ones
	Extras    int // stuck and other misbehaving ones, on top
	Dialing   int // handshakes at a time; 0: 32
	SizeBytes int // of a message
}

// A Finding is one limit beside the need.
type Finding struct {
	Limit   string // what is limited
	Have    string // with its unit
	Needs   string // with its unit
	Short   bool   // Have is less than Needs
	Clients int    // healthy clients that it allows, the extras on top; Unlimited if it does not bound them
	Raise   string // the command or advice that raises it
}

// What one process holds open besides its clients: standard files, pollers, listener, runtime; generously.
const ownDescriptors = 128

const defaultDialing = 32

// Threads of server, fleet and parent besides one for each CPU: garbage collection, files, system calls; generously.
const ownThreads = 64

// Memory of server, fleet and kernel together. An estimate: the reference experiment's resident sets come to 24 to 30 KiB of
// server memory for a client; 2 in the fleet and 8 for the two sockets are assumed, the rest is reserve. A message on its way
// stands on the server's side (queue or send buffer) and on the client's.
const (
	baseBytes      = 128 << 20
	clientBytes    = 48 << 10
	copiesOnTheWay = 2
)

// Check compares the need with every limit, those that suffice included, in a fixed order.
func Check(l Limits, n Need) []Finding {
	if n.Dialing == 0 {
		n.Dialing = defaultDialing
	}
	return []Finding{descriptors(l, n), hostFiles(l, n), ports(l, n), backlog(l, n), memory(l, n), threads(l)}
}

// perProcess is how many descriptors server and fleet each need. A handshake under way may hold two on the server, because an engine
// may duplicate the socket before it closes the original.
func perProcess(n Need) int { return n.Clients + n.Extras + n.Dialing + ownDescriptors }

func descriptors(l Limits, n Need) Finding {
	need := perProcess(n)
	return Finding{
		Limit:   "open files of a process",
		Have:    amount(l.NoFileHard),
		Needs:   fmt.Sprint(need),
		Short:   l.NoFileHard < need,
		Clients: room(l.NoFileHard, need-n.Clients, 1),
		Raise:   raiseNoFile(l, need),
	}
}

func raiseNoFile(l Limits, need int) string {
	first := ""
	if need > l.NoFileCeiling {
		first = fmt.Sprintf("sysctl -w fs.nr_open=%d; ", need)
	}
	if l.Host.Container {
		return first + fmt.Sprintf("docker run --ulimit nofile=%d:%d (or, as root in the container, ulimit -n %d)", need, need, need)
	}
	return first + fmt.Sprintf("ulimit -n %d (as root; for a service LimitNOFILE=%d)", need, need)
}

func hostFiles(l Limits, n Need) Finding {
	need := l.FilesOpen + 2*perProcess(n)
	return Finding{
		Limit:   "open files of the host",
		Have:    amount(l.FilesMax),
		Needs:   fmt.Sprintf("%d for both processes and others", need),
		Short:   l.FilesMax < need,
		Clients: room(l.FilesMax, need-2*n.Clients, 2),
		Raise:   fmt.Sprintf("sysctl -w fs.file-max=%d", need),
	}
}

// ports leaves a fifth of each source's ports to other programs and to connections still in TIME_WAIT, as the fleet does.
func ports(l Limits, n Need) Finding {
	have, words := Unlimited, amount(Unlimited)
	if l.Ports != Unlimited {
		have = l.Ports * 4 / 5 * l.Sources
		words = fmt.Sprintf("%d (4/5 of %d x %d sources)", have, l.Ports, l.Sources)
	}
	need := n.Clients + n.Extras
	return Finding{
		Limit:   "ports for clients",
		Have:    words,
		Needs:   fmt.Sprint(need),
		Short:   have < need,
		Clients: room(have, n.Extras, 1),
		Raise:   `sysctl -w net.ipv4.ip_local_port_range="10000 65535"`,
	}
}

// backlog bounds the handshakes at a time, not the clients: beyond it the kernel drops a SYN and the client tries again after 1 s.
func backlog(l Limits, n Need) Finding {
	return Finding{
		Limit:   "accept queue (somaxconn)",
		Have:    fmt.Sprint(l.Host.SoMaxConn),
		Needs:   fmt.Sprintf("%d handshakes at a time", n.Dialing),
		Short:   l.Host.SoMaxConn < n.Dialing,
		Clients: Unlimited,
		Raise:   fmt.Sprintf("sysctl -w net.core.somaxconn=%d", max(n.Dialing, 4096)),
	}
}

func memory(l Limits, n Need) Finding {
	have, each := min(l.MemAvailableBytes, l.CgroupRoomBytes), clientBytes+copiesOnTheWay*n.SizeBytes
	need := baseBytes + (n.Clients+n.Extras)*each
	raise := "free memory, or ask for fewer clients"
	if l.CgroupRoomBytes < l.MemAvailableBytes {
		raise = fmt.Sprintf("raise the container's limit by %s (docker run --memory), or ask for fewer clients", mib(max(0, need-have)))
	}
	return Finding{
		Limit:   "memory (estimate)",
		Have:    mib(have),
		Needs:   mib(need),
		Short:   have < need,
		Clients: room(have, baseBytes+n.Extras*each, each),
		Raise:   raise,
	}
}

// threads are no matter of the clients: without them the runtime of Go dies.
func threads(l Limits) Finding {
	need := ownThreads + 3*l.Host.CPUs
	allows := Unlimited
	if l.CgroupRoomThreads < need {
		allows = 0
	}
	return Finding{
		Limit:   "threads (pids.max)",
		Have:    amount(l.CgroupRoomThreads),
		Needs:   fmt.Sprintf("%d for all processes", need),
		Short:   l.CgroupRoomThreads < need,
		Clients: allows,
		Raise:   fmt.Sprintf("docker run --pids-limit %d", 2*need),
	}
}

// room is how many clients of each units fit into have beside the fixed units.
func room(have, fixed, each int) int {
	if have == Unlimited {
		return Unlimited
	}
	return max(0, (have-fixed)/each)
}

func amount(n int) string {
	if n == Unlimited {
		return "unlimited"
	}
	return fmt.Sprint(n)
}

func mib(bytes int) string {
	if bytes == Unlimited {
		return "unlimited"
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
