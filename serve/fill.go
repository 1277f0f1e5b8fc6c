package serve

import (
	"cmp"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"wsfanout/engines"
	"wsfanout/internal/stamp"
)

// fillerSize is the payload of a filler: small, so that little room is left when the kernel is about to refuse.
const fillerSize = 64

// fill writes whole filler frames into the buffers of a client that has stopped reading until the kernel is about to
// refuse, so that every cell jams in its first rounds. Of a client that never reads again even half a frame more fits: then small
// messages jam in the first round, too. An acknowledgement makes room again, and the client's kernel may
// delay one by 40 ms: the buffers are full when they stayed full for longer.
func fill(c engines.Conn, filling []byte, forever bool) (filled int64, err error) {
	frame := engines.Frame(stamp.New(stamp.Stamp{Kind: stamp.Filler}, filling[:min(fillerSize, len(filling))]))
	deadline := time.Now().Add(5 * time.Second)
	for full := 0; full < 4; full++ {
		var wrote int64
		closed := c.Control(func(fd uintptr) { wrote, err = fillOnce(int(fd), frame, forever) })
		if closed != nil || err != nil {
			return filled, fmt.Errorf("filling the buffers of client %d: %w", c.Number(), cmp.Or(err, closed))
		}
		if filled += wrote; wrote > 0 {
			full = 0
		}
		if time.Now().After(deadline) {
			return filled, fmt.Errorf("client %d took %d bytes of filler and is still not full: is it reading?", c.Number(), filled)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return filled, nil
}

// fillBurst bounds the frames written in one go: Control must not be held long.
const fillBurst = 1000

func fillOnce(fd int, frame []byte, forever bool) (wrote int64, err error) {
	for range fillBurst {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		if n, err := unix.Poll(ready, 0); !forever && (err != nil || n == 0) {
			return wrote, nil
		}
		n, err := unix.SendmsgN(fd, frame, nil, nil, unix.MSG_DONTWAIT)
		if err == unix.EAGAIN {
			return wrote, nil
		}
		if err != nil {
			return wrote, err
		}
		wrote += int64(n)
		if n < len(frame) && !forever {
			return wrote, fmt.Errorf("half a filler frame (%d of %d bytes) would break the stream", n, len(frame))
		}
	}
	return wrote, nil
}
