package engines

// Frame is payload as one unmasked binary frame, the bytes that every engine here puts on the wire for it. The bare round
// writes them without any library.
func Frame(payload []byte) []byte {
	const binary = 2 // opcode
	return appendFrame(make([]byte, 0, frameBytes(len(payload))), binary, true, payload)
}
