package clientfleet

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gobwas/ws"
	"golang.org/x/sys/unix"
)

// answer sends a short masked frame, unless there is no room for it: a server that does not read gets none.
func (r *reader) answer(c *client, op ws.OpCode, payload []byte) error {
	if _, err := r.sendShort(c, 0x80|byte(op), payload); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return nil
}

// sendShort is send for a masked frame with this first byte and at most 125 bytes of payload.
func (r *reader) sendShort(c *client, first byte, payload []byte) (bool, error) {
	out := r.out[:6+len(payload)]
	out[0], out[1] = first, 0x80|byte(len(payload))
	copy(out[6:], payload)
	r.mask(out[2:6], out[6:])
	sent, err := r.send(c, out)
	if sent && c.extra != nil {
		c.extra.sent(ws.OpCode(first&0x0f), len(out))
	}
	return sent, err
}

// mask masks a payload and writes the mask into its place in the header.
func (r *reader) mask(mask, payload []byte) {
	r.masks = r.masks*1664525 + 1013904223
	binary.LittleEndian.PutUint32(mask, r.masks)
	ws.Cipher(payload, [4]byte(mask), 0)
}

// send sends a whole frame or nothing; false: there was no room. If the kernel takes a part, the rest goes as soon as
// there is room, and no other frame before it.
func (r *reader) send(c *client, frame []byte) (bool, error) {
	switch {
	case c.unsent != nil:
		return false, nil
	case c.secure != nil:
		return r.sendSealed(c, frame)
	}
	n, err := write(int(c.fd), frame)
	if n == 0 || err != nil {
		return false, err
	}
	r.keep(c, frame[n:])
	return true, nil
}

// sendSealed sends a frame over TLS. A record cannot be taken back, so that the socket is asked for room before.
func (r *reader) sendSealed(c *client, frame []byte) (bool, error) {
	room := []unix.PollFd{{Fd: c.fd, Events: unix.POLLOUT}}
	if n, _ := unix.Poll(room, 0); n == 0 || room[0].Revents&unix.POLLOUT == 0 {
		return false, nil
	}
	c.secure.out = r.sealed[:0]
	if _, err := c.secure.plain.Write(frame); err != nil {
		return false, err
	}
	return true, r.sendRecords(c)
}

// sendRecords sends what TLS has to say to the server, all of it, now or later.
func (r *reader) sendRecords(c *client) error {
	b := c.secure.out
	r.sealed, c.secure.out = b, nil
	n := 0
	if c.unsent == nil {
		var err error
		if n, err = write(int(c.fd), b); err != nil {
			return err
		}
	}
	r.keep(c, b[n:])
	return nil
}

// keep keeps the rest of something that must be sent.
func (r *reader) keep(c *client, rest []byte) {
	switch {
	case len(rest) == 0:
	case c.unsent != nil:
		*c.unsent = append(*c.unsent, rest...)
	default:
		kept := slices.Clone(rest)
		c.unsent = &kept
		r.interest(c)
	}
}

// flush sends what was kept, as far as there is room.
func (r *reader) flush(c *client) error {
	n, err := write(int(c.fd), *c.unsent)
	*c.unsent = (*c.unsent)[n:]
	if len(*c.unsent) == 0 {
		c.unsent = nil
		r.interest(c)
	}
	return err
}

// interest tells epoll what a client waits for. A frozen extra is not there: its turns do the same.
func (r *reader) interest(c *client) {
	events := uint32(unix.EPOLLIN)
	if c.unsent != nil {
		events |= unix.EPOLLOUT
	}
	unix.EpollCtl(r.epoll, unix.EPOLL_CTL_MOD, int(c.fd), &unix.EpollEvent{Events: events, Fd: c.column})
}

// write is one write(2) on a non-blocking socket; no room is 0 bytes and no error.
func write(fd int, b []byte) (int, error) {
	for {
		n, err := unix.Write(fd, b)
		switch err {
		case nil:
			return n, nil
		case unix.EINTR:
		case unix.EAGAIN:
			return 0, nil
		default:
			return 0, err
		}
	}
}
