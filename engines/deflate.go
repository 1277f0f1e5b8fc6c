package engines

import (
	"bytes"
	"compress/flate"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// defaultLevel is the level of deflate at which both libraries compress unless they are told otherwise.
const defaultLevel = 1

// rsv1 marks the first frame of a message that is compressed (RFC 7692, 6).
const rsv1 byte = 0x40

// deflaters are pooled per level, as both libraries do: making one costs more than many a message.
var deflaters [flate.BestCompression + 1]sync.Pool

// CompressedFrame is payload as one unmasked binary frame compressed by permessage-deflate, without context takeover, at a
// level from 1 to 9. It is what nbio's prepared messages and both libraries' own put on the wire for it, for the bare
// round; gorilla alone splits what is larger than its write buffer (a prepared message: than 4 KiB) into frames.
func CompressedFrame(payload []byte, level int) ([]byte, error) {
	body, err := deflate(payload, level)
	if err != nil {
		return nil, err
	}
	frame := Frame(body)
	frame[0] |= rsv1
	return frame, nil
}

// deflate compresses a whole message: one flush, less the four bytes that every flush ends with (RFC 7692, 7.2.1).
func deflate(payload []byte, level int) ([]byte, error) {
	if level < flate.BestSpeed || level > flate.BestCompression {
		return nil, fmt.Errorf("level %d of deflate: it is 1 to 9", level)
	}
	var b bytes.Buffer
	w, _ := deflaters[level].Get().(*flate.Writer)
	if w == nil {
		w, _ = flate.NewWriter(&b, level) // fails only on a bad level
	} else {
		w.Reset(&b)
	}
	defer deflaters[level].Put(w)
	_, _ = w.Write(payload) // to memory
	_ = w.Flush()
	return b.Bytes()[:b.Len()-len("\x00\x00\xff\xff")], nil
}

// deflatedAtMost bounds what deflate makes of n bytes that do not compress: they are stored, with five bytes before each
// block of at least 16 Ki, and the flush.
func deflatedAtMost(n int) int { return n + 5*(n>>14+2) }

const extensions = "Sec-Websocket-Extensions"

// negotiateDeflate decides whether a client gets permessage-deflate, and reduces its offer to that decision. It is for a
// library that does not tell how it decided.
func negotiateDeflate(h http.Header, o *Options) bool {
	agreed := o.Compress && offersDeflate(h)
	h.Del(extensions)
	if agreed {
		h.Set(extensions, "permessage-deflate")
	}
	return agreed
}

// offersDeflate ignores the parameters of an offer, as both libraries do: they answer every one with no context takeover.
func offersDeflate(h http.Header) bool {
	for _, line := range h.Values(extensions) {
		for offer := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(offer, ";")
			if strings.TrimSpace(name) == "permessage-deflate" {
				return true
			}
		}
	}
	return false
}
