// Package stamp is the head of every payload: when its round started, which round it is, when it was due, and what kind.
package stamp

import (
	"encoding/binary"
	"math/rand/v2"
)

// Size is the length of a stamp in bytes, and so the smallest payload.
const Size = 21

// Kind says what a message is for.
type Kind byte

// The kinds of messages. Only Strategy and Bare rounds of a healthy or stuck phase are counted.
const (
	Strategy Kind = iota // sent by the strategy under test
	Bare                 // sent by the bare loop, the paired control
	WarmUp               // a strategy or bare round that is thrown away
	Filler               // fills the buffers of a client that stopped reading
	Clock                // answers a client that asked for the server's clock: Start is what it shows, Round the question's number
)

// Stamp is the decoded head of a payload. Start and Due are CLOCK_MONOTONIC nanoseconds.
type Stamp struct {
	Start int64
	Round uint32
	Due   int64
	Kind  Kind
}

// Put writes s into the first Size bytes of b, little endian.
func Put(b []byte, s Stamp) {
	_ = b[Size-1]
	binary.LittleEndian.PutUint64(b, uint64(s.Start))
	binary.LittleEndian.PutUint32(b[8:], s.Round)
	binary.LittleEndian.PutUint64(b[12:], uint64(s.Due))
	b[20] = byte(s.Kind)
}

// Get reads the stamp at the head of b, which must hold at least Size bytes.
func Get(b []byte) Stamp {
	_ = b[Size-1]
	return Stamp{
		Start: int64(binary.LittleEndian.Uint64(b)),
		Round: binary.LittleEndian.Uint32(b[8:]),
		Due:   int64(binary.LittleEndian.Uint64(b[12:])),
		Kind:  Kind(b[20]),
	}
}

// Filling returns size bytes that do not compress, the same for the same seed: the body of a payload. Text is the other kind.
func Filling(size int, seed uint64) []byte {
	b := make([]byte, size)
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	rand.NewChaCha8(key).Read(b)
	return b
}

// New returns a fresh payload: the stamp, then the rest of filling. Each round has its own, never touched again.
func New(s Stamp, filling []byte) []byte {
	b := make([]byte, len(filling))
	copy(b, filling)
	Put(b, s)
	return b
}
