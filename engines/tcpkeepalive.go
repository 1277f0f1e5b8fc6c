package engines

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// TCPKeepalive is how the kernel probes a connection on which nothing is under way. The zero value leaves what Go's
// listeners set on every connection: 15s/15s/9.
type TCPKeepalive struct {
	Off            bool
	Idle, Interval time.Duration // whole seconds: silence before the first probe, and between two
	Count          int           // probes without an answer before the kernel ends the connection
}

// The kernel's own bounds (MAX_TCP_KEEPIDLE, MAX_TCP_KEEPINTVL, MAX_TCP_KEEPCNT).
const (
	maxKeepaliveTime  = 32767 * time.Second
	maxKeepaliveCount = 127
)

const keepaliveValues = "default, off or IDLE/INTERVAL/COUNT like 5s/2s/3, in whole seconds"

// String is the canonical form: default, off or 5s/2s/3.
func (k TCPKeepalive) String() string {
	switch {
	case k.Off:
		return "off"
	case k == TCPKeepalive{}:
		return "default"
	}
	return fmt.Sprintf("%s/%s/%d", shortDuration(k.Idle), shortDuration(k.Interval), k.Count)
}

// probes reports whether the spec itself asks for probes.
func (k TCPKeepalive) probes() bool { return k.Idle > 0 }

// limit is how long a peer may be silent before the kernel ends its connection.
func (k TCPKeepalive) limit() time.Duration { return k.Idle + time.Duration(k.Count)*k.Interval }

func parseKeepalive(s string) (TCPKeepalive, error) {
	switch s {
	case "default":
		return TCPKeepalive{}, nil
	case "off":
		return TCPKeepalive{Off: true}, nil
	}
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return TCPKeepalive{}, errValue
	}
	idle, ok := wholeSeconds(parts[0])
	interval, also := wholeSeconds(parts[1])
	count, err := strconv.Atoi(parts[2])
	if !ok || !also || err != nil || count < 1 || count > maxKeepaliveCount {
		return TCPKeepalive{}, errValue
	}
	return TCPKeepalive{Idle: idle, Interval: interval, Count: count}, nil
}

func wholeSeconds(s string) (d time.Duration, ok bool) {
	d, err := time.ParseDuration(s)
	return d, err == nil && d > 0 && d <= maxKeepaliveTime && d%time.Second == 0
}

func tcpKeepalive(name, summary string, field func(*Options) *TCPKeepalive) option {
	return option{
		name: name, values: keepaliveValues, fallback: "default", summary: summary,
		set: func(o *Options, s string) error {
			k, err := parseKeepalive(s)
			if err == nil {
				*field(o) = k
			}
			return err
		},
		get: func(o *Options) string { return field(o).String() },
	}
}

// apply sets the options of one connection's socket.
func (k TCPKeepalive) apply(fd int) error {
	if k == (TCPKeepalive{}) {
		return nil
	}
	on := 1
	if k.Off {
		on = 0
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, on); err != nil || k.Off {
		return os.NewSyscallError("setsockopt SO_KEEPALIVE", err)
	}
	for _, o := range []struct {
		name          string
		option, value int
	}{
		{"TCP_KEEPIDLE", unix.TCP_KEEPIDLE, int(k.Idle / time.Second)},
		{"TCP_KEEPINTVL", unix.TCP_KEEPINTVL, int(k.Interval / time.Second)},
		{"TCP_KEEPCNT", unix.TCP_KEEPCNT, k.Count},
	} {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, o.option, o.value); err != nil {
			return os.NewSyscallError("setsockopt "+o.name, err)
		}
	}
	return nil
}
