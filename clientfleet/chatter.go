package clientfleet

import (
	"errors"

	"github.com/gobwas/ws"
)

// What the extras say. Most say it each Every. If there is no room, they miss their turn and say the same the next time.

var somethingSaid = []byte("here") // nothing that a server has a meaning for

func (r *reader) sayPing(c *client) error {
	_, err := r.sendShort(c, 0x80|byte(ws.OpPing), nil)
	return err
}

func (r *reader) sayText(c *client) error {
	_, err := r.sendShort(c, 0x80|byte(ws.OpText), somethingSaid)
	return err
}

// sayFragment begins a message, or goes on with it.
func (r *reader) sayFragment(c *client) error {
	first := byte(ws.OpText)
	if c.extra.said > 0 {
		first = byte(ws.OpContinuation)
	}
	sent, err := r.sendShort(c, first, somethingSaid[:1])
	if sent {
		c.extra.said++
	}
	return err
}

// dribbled is a text message of 500 bytes, which gorilla's example server, that takes 512, does not refuse at its header.
var dribbled = func() []byte {
	const size = 500
	b := append([]byte{0x81, 0x80 | 126, size >> 8, size & 0xff}, "mask"...)
	for i := range size {
		b = append(b, 'x'^"mask"[i%4])
	}
	return b
}()

// sayByte sends the next byte of the message, and then the message again: nobody is meant to see its end.
func (r *reader) sayByte(c *client) error {
	e := c.extra
	i := e.said % len(dribbled)
	sent, err := r.send(c, dribbled[i:i+1])
	if !sent {
		return err
	}
	e.said++
	e.account.Bytes++
	if i == len(dribbled)-1 {
		e.account.Frames++
	}
	return err
}

var errNoRoom = errors.New("no room for its next message")

// sayAgain is a blocker's next turn. The server has read the last one, so that there is room; if not, silence would look
// like a server that takes its time.
func (r *reader) sayAgain(c *client) error {
	sent, err := r.sendShort(c, 0x80|byte(ws.OpText), []byte(c.extra.Announce))
	if !sent && err == nil {
		err = errNoRoom
	}
	return err
}

// halved is a header that announces 100 bytes, and 50 of them.
var halved = append([]byte{0x81, 0x80 | 100, 'm', 'a', 's', 'k'}, dribbled[8:58]...)

// sayHalf sends it.
func (r *reader) sayHalf(c *client) error {
	sent, err := r.send(c, halved)
	if !sent && err == nil {
		err = errNoRoom
	}
	if err == nil {
		c.extra.account.Bytes += int64(len(halved))
	}
	return err
}
