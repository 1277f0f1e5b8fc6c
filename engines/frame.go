package engines

import "encoding/binary"

// frameBytes is how many bytes one unmasked frame with payload bytes of payload takes on the wire (RFC 6455, 5.2).
func frameBytes(payload int) int64 {
	switch {
	case payload < 126:
		return int64(payload) + 2
	case payload < 1<<16:
		return int64(payload) + 4
	default:
		return int64(payload) + 10
	}
}

// messageBytes is the same for a message that is split into frames of at most limit bytes of payload.
func messageBytes(payload, limit int) int64 {
	if payload <= limit {
		return frameBytes(payload)
	}
	full := int64(payload / limit)
	n := full * frameBytes(limit)
	if rest := payload % limit; rest > 0 {
		n += frameBytes(rest)
	}
	return n
}

// Frame is payload as one unmasked binary frame, the bytes that every engine here puts on the wire for it. The bare round
// writes them without any library.
func Frame(payload []byte) []byte {
	return appendFrame(make([]byte, 0, frameBytes(len(payload))), opBinary, true, payload)
}

// The opcodes of data frames.
const (
	opContinuation byte = 0
	opBinary       byte = 2
)

// appendFrame appends one unmasked frame.
func appendFrame(b []byte, opcode byte, final bool, payload []byte) []byte {
	if final {
		opcode |= 0x80
	}
	switch n := len(payload); {
	case n < 126:
		b = append(b, opcode, byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, opcode, 126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, opcode, 127), uint64(n))
	}
	return append(b, payload...)
}
