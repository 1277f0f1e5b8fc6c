package engines

import "encoding/binary"

// nbioFrame is a prepared message: the bytes on the wire.
type nbioFrame struct {
	plain      []byte
	compressed []byte // with Compress
	payload    []byte // for a queue that takes only payloads
}

// wire is what a client gets.
func (f *nbioFrame) wire(deflates bool) []byte {
	if deflates {
		return f.compressed
	}
	return f.plain
}

// prepareNbio compiles the frames that nbio itself would write; it has no prepared messages. The compressed ones are made
// once, and the plain ones are for clients that have not agreed to compression.
func prepareNbio(payload []byte, o *Options) (*nbioFrame, error) {
	f := &nbioFrame{plain: frames(payload, o.FramePayload), payload: payload}
	if o.Compress {
		body, err := deflate(payload, o.Level)
		if err != nil {
			return nil, err
		}
		f.compressed = frames(body, o.FramePayload)
		f.compressed[0] |= rsv1
	}
	return f, nil
}

// frames is a message as nbio splits it, in frames of at most limit bytes of payload.
func frames(message []byte, limit int) []byte {
	wire := make([]byte, 0, messageBytes(len(message), limit))
	opcode := opBinary
	for rest := message; ; opcode = opContinuation {
		piece := rest[:min(len(rest), limit)]
		rest = rest[len(piece):]
		wire = appendFrame(wire, opcode, len(rest) == 0, piece)
		if len(rest) == 0 {
			return wire
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
