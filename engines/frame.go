package engines

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
