package engines

import (
	"encoding/binary"

	"github.com/lesismal/nbio/nbhttp/websocket"
)

// nbioFrame is a prepared message: the bytes on the wire.
type nbioFrame struct {
	wire    []byte
	payload []byte // for a queue that takes only payloads
}

// prepareNbio compiles the frames that nbio itself would write; it has no prepared messages.
func prepareNbio(payload []byte, o *Options) (*nbioFrame, error) {
	f := &nbioFrame{wire: make([]byte, 0, messageBytes(len(payload), o.FramePayload)), payload: payload}
	kind := byte(websocket.BinaryMessage)
	for rest := payload; ; kind = byte(websocket.FragmentMessage) {
		piece := rest[:min(len(rest), o.FramePayload)]
		rest = rest[len(piece):]
		f.wire = appendFrame(f.wire, kind, len(rest) == 0, piece)
		if len(rest) == 0 {
			return f, nil
		}
	}
}

// appendFrame appends one unmasked frame (RFC 6455, 5.2).
func appendFrame(b []byte, kind byte, final bool, payload []byte) []byte {
	if final {
		kind |= 0x80
	}
	switch n := len(payload); {
	case n < 126:
		b = append(b, kind, byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, kind, 126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, kind, 127), uint64(n))
	}
	return append(b, payload...)
}

// closePayload is the body of a close frame. 1005 stands for "none".
func closePayload(code int, reason string) []byte {
	if code == 1005 {
		return nil
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(code)), reason...)
}
