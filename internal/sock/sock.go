// Package sock asks the kernel about one TCP socket, by descriptor. Linux only. Every call is one or few system calls and
// keeps nothing; the caller makes sure that the descriptor is still its own (engines.Conn.Control).
package sock

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Unacked is how many bytes the kernel took from the application that the peer's kernel has not acknowledged, sent or not
// (SIOCOUTQ, tcp(7)).
func Unacked(fd int) (int64, error) {
	n, err := unix.IoctlGetInt(fd, unix.SIOCOUTQ)
	return int64(n), os.NewSyscallError("ioctl SIOCOUTQ", err)
}

// Acked is how many bytes the peer's kernel has acknowledged since the connection was made (tcpi_bytes_acked of TCP_INFO).
func Acked(fd int) (int64, error) {
	info, err := info(fd)
	if err != nil {
		return 0, err
	}
	return int64(info.Bytes_acked), nil
}

// NotSent is how many bytes the kernel took but has not yet put on the wire (tcpi_notsent_bytes of TCP_INFO).
func NotSent(fd int) (int64, error) {
	info, err := info(fd)
	if err != nil {
		return 0, err
	}
	return int64(info.Notsent_bytes), nil
}

// Closed reports whether the kernel itself has ended the connection, by a reset or a timeout (tcpi_state is TCP_CLOSE). A
// peer's FIN leaves it open.
func Closed(fd int) (bool, error) {
	info, err := info(fd)
	if err != nil {
		return false, err
	}
	return info.State == unix.BPF_TCP_CLOSE, nil
}

// Taken is how many bytes the kernel has taken from the application since the connection was made: acknowledged ones plus
// those still in its buffer. Only differences of two calls mean anything.
func Taken(fd int) (int64, error) {
	// An acknowledgement between the two questions would be counted twice or not at all, so ask until none came. A socket
	// that is acknowledged without pause is not stuck, and there the error is at most what was acknowledged meanwhile.
	var taken int64
	for range 8 {
		before, err := Acked(fd)
		if err != nil {
			return 0, err
		}
		queued, err := Unacked(fd)
		if err != nil {
			return 0, err
		}
		after, err := Acked(fd)
		if err != nil {
			return 0, err
		}
		if taken = after + queued; before == after {
			break
		}
	}
	return taken, nil
}

// SendBuffer is SO_SNDBUF in bytes as the kernel keeps it: twice what was asked for (socket(7)).
func SendBuffer(fd int) (int, error) { return getBuffer(fd, unix.SO_SNDBUF, "SO_SNDBUF") }

// ReceiveBuffer is SO_RCVBUF in bytes as the kernel keeps it: twice what was asked for (socket(7)).
func ReceiveBuffer(fd int) (int, error) { return getBuffer(fd, unix.SO_RCVBUF, "SO_RCVBUF") }

// SetSendBuffer sets SO_SNDBUF to bytes and checks that the kernel keeps twice that much, or its own minimum when that is
// more. It fails when net.core.wmem_max does not allow it.
func SetSendBuffer(fd, bytes int) error { return setBuffer(fd, unix.SO_SNDBUF, "SO_SNDBUF", bytes) }

// SetReceiveBuffer sets SO_RCVBUF to bytes and checks as SetSendBuffer does (net.core.rmem_max).
func SetReceiveBuffer(fd, bytes int) error {
	return setBuffer(fd, unix.SO_RCVBUF, "SO_RCVBUF", bytes)
}

// SetUserTimeout sets TCP_USER_TIMEOUT, in whole milliseconds: how long sent data may stay unacknowledged, or a closed
// window stay closed, before the kernel ends the connection with ETIMEDOUT (tcp(7)). 0 is the kernel's own policy.
func SetUserTimeout(fd int, d time.Duration) error {
	err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(d.Milliseconds()))
	return os.NewSyscallError("setsockopt TCP_USER_TIMEOUT", err)
}

func info(fd int) (*unix.TCPInfo, error) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	return info, os.NewSyscallError("getsockopt TCP_INFO", err)
}

func getBuffer(fd, option int, name string) (int, error) {
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, option)
	return n, os.NewSyscallError("getsockopt "+name, err)
}

func setBuffer(fd, option int, name string, bytes int) error {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, option, bytes); err != nil {
		return os.NewSyscallError("setsockopt "+name, err)
	}
	kept, err := getBuffer(fd, option, name)
	if err != nil {
		return err
	}
	if kept < 2*bytes {
		return fmt.Errorf("%s: asked for %d bytes, the kernel allows %d (net.core.wmem_max, net.core.rmem_max)", name, bytes, kept/2)
	}
	return nil
}
