package clientfleet

import (
	"io"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawConn is a non-blocking socket during its handshake. The runtime's poller waits for it, but its system calls are
// raw: the scheduler would start a thread beside each that takes long, as connect on loopback does, and a hundred
// threads for ever are more memory than ten thousand clients.
type rawConn struct {
	*os.File
	raw syscall.RawConn
}

// newRawConn takes over fd.
func newRawConn(fd int) (rawConn, error) {
	f := os.NewFile(uintptr(fd), "client")
	raw, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return rawConn{}, err
	}
	return rawConn{File: f, raw: raw}, nil
}

// connect waits until the connection stands. On loopback it does at once.
func (c rawConn) connect(sa *unix.RawSockaddrAny, size uintptr) error {
	var errno unix.Errno
	begun := false
	err := c.raw.Write(func(fd uintptr) bool {
		if !begun {
			begun = true
			_, _, errno = unix.RawSyscall(unix.SYS_CONNECT, fd, uintptr(unsafe.Pointer(sa)), size)
			return errno != unix.EINPROGRESS && errno != unix.EINTR
		}
		errno = 0
		if failed, _ := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR); failed != 0 {
			errno = unix.Errno(failed)
			return true
		}
		_, err := unix.Getpeername(int(fd))
		return err == nil // ENOTCONN: not yet
	})
	if err == nil && errno != 0 {
		return errno
	}
	return err
}

// Read is one read(2) that got something.
func (c rawConn) Read(b []byte) (int, error) {
	n, err := c.call(c.raw.Read, unix.SYS_READ, b)
	if n == 0 && err == nil && len(b) > 0 {
		return 0, io.EOF
	}
	return n, err
}

// Write writes all of b.
func (c rawConn) Write(b []byte) (int, error) {
	for n := 0; ; {
		k, err := c.call(c.raw.Write, unix.SYS_WRITE, b[n:])
		n += k
		if err != nil || n == len(b) {
			return n, err
		}
	}
}

// call makes one system call on b, again when it was interrupted, and after waiting when it would have blocked.
func (c rawConn) call(wait func(func(uintptr) bool) error, trap uintptr, b []byte) (int, error) {
	var n uintptr
	var errno unix.Errno
	err := wait(func(fd uintptr) bool {
		for {
			n, _, errno = unix.RawSyscall(trap, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
			if errno != unix.EINTR {
				return errno != unix.EAGAIN
			}
		}
	})
	switch {
	case err != nil:
		return 0, err
	case errno != 0:
		return 0, errno
	}
	return int(n), nil
}
