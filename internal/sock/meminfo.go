package sock

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The fields of SO_MEMINFO, 32 bits each (linux/sock_diag.h).
const (
	memReceived  = 0 // bytes in the receive queue, with their overhead
	memForward   = 4 // bytes reserved for the socket and not used
	memQueued    = 5 // bytes in the send queue, with their overhead
	memOptions   = 6
	memInfoWords = 9
)

// Memory is how many bytes the kernel's accounts charge to the socket: its queues and what it has reserved (SO_MEMINFO).
// The socket's own structures are not in it.
func Memory(fd int) (int64, error) {
	var info [memInfoWords]uint32
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return 0, os.NewSyscallError("getsockopt SO_MEMINFO", errno)
	}
	return int64(info[memReceived]) + int64(info[memForward]) + int64(info[memQueued]) + int64(info[memOptions]), nil
}
