package clientfleet

import (
	"encoding/binary"
	"errors"

	"github.com/gobwas/ws"

	"wsfanout/internal/stamp"
)

// What a client may find wrong with a server's bytes. Its connection ends with it.
var (
	errMasked      = errors.New("protocol: masked frame from the server")
	errReserved    = errors.New("protocol: reserved bits set")
	errOpCode      = errors.New("protocol: unknown opcode")
	errControl     = errors.New("protocol: control frame fragmented or above 125 bytes")
	errContinue    = errors.New("protocol: continuation of nothing")
	errInterrupted = errors.New("protocol: new message inside a fragmented one")
	errLength      = errors.New("protocol: length above 2^63-1")
)

// opPiece is an event that ends nothing: bytes of a message of which the parser was asked to show all. No frame has it.
const opPiece ws.OpCode = 3

// event is the end of something in the stream, or a piece of it. An op of 0 is none. The payload is that of a control
// frame or a piece, and at the end of a message its last piece: the whole of it if it came in one frame and in one b. It
// is valid until the next call.
type event struct {
	op      ws.OpCode
	payload []byte
}

// parser cuts one connection's bytes into messages and control frames, wherever they were split. It keeps of a message
// only its sizes and its first bytes; who wants more gets it in pieces. There is one per client: its size is most of what a client costs.
type parser struct {
	left    int64                                // payload bytes of the current frame still to come
	size    int64                                // payload bytes of the current message so far
	part    *[ws.MaxControlFramePayloadSize]byte // of a control frame that came in pieces, nil otherwise
	first   [stamp.Size]byte                     // the first bytes of the current message
	head    [10]byte                             // header of the current frame: the longest without a mask
	headLen uint8
	heads   int32 // bytes of the headers of the current message so far
	partLen uint8
	deflate bool      // permessage-deflate was negotiated
	packed  bool      // the current message is compressed: it comes in pieces
	pieces  bool      // so does every other message, to be compared
	op      ws.OpCode // of the current frame
	fin     bool      // of the current frame
	inBody  bool      // the header is complete
	open    bool      // a fragmented message waits for its next frame
}

// next takes bytes from b up to the end of the first message or control frame, and says how many it took. Without an
// event it took all of them. After an error the stream cannot be understood any more.
func (p *parser) next(b []byte) (int, event, error) {
	n := 0
	for {
		if !p.inBody {
			k, err := p.header(b[n:])
			n += k
			if err != nil || !p.inBody {
				return n, event{}, err
			}
		}
		k, ev := p.body(b[n:])
		n += k
		if p.left > 0 {
			return n, ev, nil
		}
		p.inBody = false
		if ev.op != 0 {
			return n, ev, nil
		}
	}
}

// header gathers the bytes of a header, which may come one at a time.
func (p *parser) header(b []byte) (int, error) {
	for n := range b {
		p.head[p.headLen] = b[n]
		p.headLen++
		if p.headLen == headerSize(p.head[1]) && p.headLen > 1 {
			p.headLen = 0
			p.inBody = true
			return n + 1, p.begin()
		}
	}
	return len(b), nil
}

// headerSize is the size of an unmasked header by its second byte. Before that byte is there it is a stale one: harmless,
// because no header is shorter than two bytes.
func headerSize(second byte) uint8 {
	switch second & 0x7f {
	case 126:
		return 4
	case 127:
		return 10
	}
	return 2
}

// begin judges a complete header and prepares for its payload.
func (p *parser) begin() error {
	p.op, p.fin = ws.OpCode(p.head[0]&0x0f), p.head[0]&0x80 != 0
	switch p.head[1] & 0x7f {
	case 126:
		p.left = int64(binary.BigEndian.Uint16(p.head[2:]))
	case 127:
		p.left = int64(binary.BigEndian.Uint64(p.head[2:]))
	default:
		p.left = int64(p.head[1] & 0x7f)
	}
	switch {
	case p.head[1]&0x80 != 0:
		return errMasked
	case p.head[0]&0x70 != 0 && !p.compressed():
		return errReserved
	case p.left < 0:
		return errLength
	case p.op.IsReserved():
		return errOpCode
	case p.op.IsControl():
		if !p.fin || p.left > ws.MaxControlFramePayloadSize {
			return errControl
		}
		return nil
	case p.op == ws.OpContinuation && !p.open:
		return errContinue
	case p.op != ws.OpContinuation && p.open:
		return errInterrupted
	}
	if p.op != ws.OpContinuation {
		p.size, p.heads = 0, 0
		p.packed = p.compressed()
	}
	p.heads += int32(headerSize(p.head[1]))
	p.open = !p.fin
	return nil
}

// compressed says whether a header begins a compressed message, as far as that was negotiated: RSV1 and no other reserved
// bit, and never on a continuation or a control frame.
func (p *parser) compressed() bool {
	return p.deflate && p.head[0]&0x70 == 0x40 && (p.op == ws.OpBinary || p.op == ws.OpText)
}

// body takes payload bytes of the current frame; an event is set when the frame ended and was the last of its message.
func (p *parser) body(b []byte) (int, event) {
	if p.op.IsControl() {
		return p.control(b)
	}
	n := int(min(p.left, int64(len(b))))
	if p.size < stamp.Size {
		copy(p.first[p.size:], b[:n])
	}
	p.size += int64(n)
	p.left -= int64(n)
	if p.left == 0 && p.fin {
		return n, event{op: ws.OpBinary, payload: b[:n]} // text counts like binary
	}
	if n > 0 && (p.packed || p.pieces) {
		return n, event{op: opPiece, payload: b[:n]}
	}
	return n, event{}
}

// control takes the payload of a control frame. Only one that is split costs memory.
func (p *parser) control(b []byte) (int, event) {
	n := int(min(p.left, int64(len(b))))
	p.left -= int64(n)
	if p.part == nil && p.left == 0 {
		return n, event{op: p.op, payload: b[:n]}
	}
	if p.part == nil {
		p.part = new([ws.MaxControlFramePayloadSize]byte)
	}
	p.partLen += uint8(copy(p.part[p.partLen:], b[:n]))
	if p.left > 0 {
		return n, event{}
	}
	payload := p.part[:p.partLen]
	p.part, p.partLen = nil, 0
	return n, event{op: p.op, payload: payload}
}
