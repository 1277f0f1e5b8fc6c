package engines

import "encoding/binary"

// nbioFrame is a prepared message: the bytes on the wire.
type nbioFrame struct {
	wire    []byte
	payload []byte // for a queue that takes only payloads
}

// prepareNbio compiles the frames that nbio itself would write; it has no prepared messages.
func prepareNbio(payload []byte, o *Options) (*nbioFrame, error) {
	f := &nbioFrame{wire: make([]byte, 0, messageBytes(len(payload), o.FramePayload)), payload: payload}
	opcode := opBinary
	for rest := payload; ; opcode = opContinuation {
		piece := rest[:min(len(rest), o.FramePayload)]
		rest = rest[len(piece):]
		f.wire = appendFrame(f.wire, opcode, len(rest) == 0, piece)
		if len(rest) == 0 {
			return f, nil
		}
	}
}

// closePayload is the body of a close frame. 1005 stands for "none".
func closePayload(code int, reason string) []byte {
	if code == 1005 {
		return nil
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(code)), reason...)
}
