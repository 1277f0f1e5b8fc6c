package engines

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// kernelTimeout reports whether err is ETIMEDOUT: the kernel gave up, not a deadline. It goes by the text because
// gorilla replaces every temporary error by one that keeps only the text.
func kernelTimeout(err error) bool {
	return strings.HasSuffix(err.Error(), syscall.ETIMEDOUT.Error())
}

func deadlinePassed(err error) bool {
	var timeout net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// transportCause names a failure of the connection itself, or returns nil when err is not one.
func transportCause(err error, o *Options) error {
	var op *net.OpError
	var number syscall.Errno
	switch {
	case kernelTimeout(err) && o.UserTimeout > 0:
		return fmt.Errorf("%w: nothing acknowledged for %v", ErrUserTimeout, o.UserTimeout)
	case kernelTimeout(err) && o.TCPKeepalive.probes():
		// Or it gave up sending again, which takes it a quarter of an hour; the error is the same.
		return fmt.Errorf("%w: no sign of life for %v", ErrTCPKeepalive, o.TCPKeepalive.limit())
	case kernelTimeout(err), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &op), errors.As(err, &number):
		return fmt.Errorf("%w: %w", ErrPeerClosed, err)
	}
	return nil
}

// blockedWriteCause names why a blocking write failed.
func blockedWriteCause(err error, o *Options) error {
	if deadlinePassed(err) && !kernelTimeout(err) {
		return writeTimeout(o.WriteTimeout)
	}
	if cause := transportCause(err, o); cause != nil {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrPeerClosed, err)
}

func writeTimeout(d time.Duration) error {
	return fmt.Errorf("%w: a byte was owed for %v", ErrWriteTimeout, d)
}

func readTimeout(d time.Duration) error {
	return fmt.Errorf("%w: nothing read for %v", ErrReadTimeout, d)
}

// isCause reports whether err is one of the causes that OnClose reports, or wraps one.
func isCause(err error) bool {
	for _, cause := range []error{ErrWriteTimeout, ErrWriteOverflow, ErrQueueFull, ErrUserTimeout, ErrTCPKeepalive, ErrReadTimeout, ErrPeerClosed, ErrProtocol, ErrStopped, ErrClosed} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}
