//go:build linux

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// defaultBuffers is what the kernel takes for a client that never reads, with the buffers it chooses itself.
type defaultBuffers struct {
	bytes int64
}

// jamAfter is when such a client would jam at this rate.
func (b defaultBuffers) jamAfter(size float64, interval time.Duration) time.Duration {
	return time.Duration(float64(b.bytes) / size * float64(interval))
}

// measureDefaultBuffers writes to a loopback connection that nobody reads until the kernel refuses. Autotuning lets both
// ends grow as long as bytes come, so the writes are of the run's own size.
func measureDefaultBuffers(size int) (defaultBuffers, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return defaultBuffers{}, err
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		return defaultBuffers{}, err
	}
	defer client.Close()
	server, err := ln.Accept()
	if err != nil {
		return defaultBuffers{}, err
	}
	defer server.Close()
	message := make([]byte, size)
	var total int64
	for {
		// Half a second without room: the window stays closed, the kernel takes no more.
		server.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
		n, err := server.Write(message)
		total += int64(n)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return defaultBuffers{bytes: total}, nil
		case err != nil:
			return defaultBuffers{}, fmt.Errorf("measuring the default buffers: %w", err)
		}
	}
}
