package clientfleet

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// receiver reads bytes together with the kernel's stamp of their arrival. It is one msghdr for ever: unix.Recvmsg would
// allocate for every message.
type receiver struct {
	buf     [64 << 10]byte
	control [128]byte // one SCM_TIMESTAMPNS is 32 bytes
	vec     unix.Iovec
	msg     unix.Msghdr
}

func newReceiver() *receiver {
	r := new(receiver)
	r.vec.Base = &r.buf[0]
	r.vec.SetLen(len(r.buf))
	r.msg.Iov = &r.vec
	r.msg.Iovlen = 1
	r.msg.Control = &r.control[0]
	return r
}

// read is one recvmsg(2) on a non-blocking socket. wall is the stamp of the segment that holds the last byte read,
// CLOCK_REALTIME nanoseconds, 0 if there is none. It never blocks, so the scheduler need not know of it.
func (r *receiver) read(fd int) (n int, wall int64, errno unix.Errno) {
	r.msg.SetControllen(len(r.control))
	for {
		got, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.msg)), 0)
		switch errno {
		case 0:
			return int(got), r.stamp(), 0
		case unix.EINTR:
		default:
			return 0, 0, errno
		}
	}
}

// stamp finds the kernel's stamp among the control messages of the last read.
func (r *receiver) stamp() int64 {
	rest := r.control[:r.msg.Controllen]
	for len(rest) >= unix.SizeofCmsghdr {
		h := (*unix.Cmsghdr)(unsafe.Pointer(&rest[0]))
		if h.Len < unix.SizeofCmsghdr || uint64(h.Len) > uint64(len(rest)) {
			return 0
		}
		if h.Level == unix.SOL_SOCKET && h.Type == unix.SCM_TIMESTAMPNS {
			ts := (*unix.Timespec)(unsafe.Pointer(&rest[unix.CmsgLen(0)]))
			return ts.Nano()
		}
		rest = rest[min(unix.CmsgSpace(int(h.Len)-unix.SizeofCmsghdr), len(rest)):]
	}
	return 0
}
