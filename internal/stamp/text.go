package stamp

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// words are the vocabulary of chat lines in Text: short and common, so that a line costs what English costs.
var words = strings.Fields("the a to and of in is it you that for on with have not be this are will can at we your all " +
	"there was just like time know up out do get so what now if but or price order update server match team game point")

// Text returns size bytes of JSON-like text, the same for the same seed: a body that compresses as real traffic does, two
// to four times with deflate at levels 1 to 6 from 1 KiB on. Half of a record is names and words that come again, the
// other half numbers and identifiers that do not.
func Text(size int, seed uint64) []byte {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	rnd := rand.New(rand.NewChaCha8(key))
	b := make([]byte, 0, size+256)
	for len(b) < size {
		b = record(b, rnd)
	}
	return b[:size:size]
}

// record appends one event of a feed.
func record(b []byte, rnd *rand.Rand) []byte {
	b = fmt.Appendf(b, `{"id":"%012x","seq":%d,"user":"user%d","price":%d.%02d,"text":"`,
		rnd.Uint64()>>16, rnd.IntN(1_000_000), rnd.IntN(10_000), rnd.IntN(1000), rnd.IntN(100))
	for i := range 4 + rnd.IntN(6) {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, words[rnd.IntN(len(words))]...)
	}
	return append(b, "\"}\n"...)
}
