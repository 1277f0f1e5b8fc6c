package engines

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"wsfanout/internal/sock"
)

// tune sets socket options on the listener, from which Linux hands them down to every accepted connection: one place for
// all engines, no system call per client, and a refusal before the first one.
func tune(ln net.Listener, o *Options) error {
	if o.SendBuffer == 0 && o.UserTimeout == 0 {
		return nil
	}
	tunable, ok := ln.(syscall.Conn)
	if !ok {
		return fmt.Errorf("socket options need a TCP listener, not %T", ln)
	}
	raw, err := tunable.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		if o.SendBuffer > 0 {
			failed = sock.SetSendBuffer(int(fd), o.SendBuffer)
		}
		if o.UserTimeout > 0 {
			failed = errors.Join(failed, sock.SetUserTimeout(int(fd), o.UserTimeout))
		}
	})
	return errors.Join(err, failed)
}
