package engines

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"wsfanout/internal/sock"
)

// tune sets SO_SNDBUF on the listener, from which Linux hands it down to every accepted connection: no system call per
// client, and a refusal before the first one.
func tune(ln net.Listener, o *Options) error {
	if o.SendBuffer == 0 {
		return nil
	}
	tunable, ok := ln.(syscall.Conn)
	if !ok {
		return fmt.Errorf("SO_SNDBUF needs a TCP listener, not %T", ln)
	}
	raw, err := tunable.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = sock.SetSendBuffer(int(fd), o.SendBuffer) })
	return errors.Join(err, failed)
}

// tuned is the part of a Conn that tuneConn needs.
type tuned interface {
	Control(func(fd uintptr)) error
	Evict(cause error)
}

// tuneConn sets TCP_USER_TIMEOUT and TCP keepalive on a connection. Go's listeners speak multipath TCP, whose sockets do
// not know the options, and set their own keepalive after the accept.
func tuneConn(c tuned, o *Options) {
	if !o.kernelEnds() && !o.TCPKeepalive.Off {
		return
	}
	var failed error
	_ = c.Control(func(fd uintptr) { failed = tuneSocket(int(fd), o) }) // closed already: its end is reported
	if failed != nil {
		c.Evict(failed)
	}
}

func tuneSocket(fd int, o *Options) error {
	if o.UserTimeout > 0 {
		if err := sock.SetUserTimeout(fd, o.UserTimeout); err != nil {
			return err
		}
	}
	return o.TCPKeepalive.apply(fd)
}
