package engines

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"testing"
)

func TestDeflatedAtMost(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	for _, n := range []int{0, 1, 100, 1 << 14, 1<<14 + 1, 1 << 16, 1 << 20} {
		payload := make([]byte, n)
		_, _ = random.Read(payload)
		for level := 1; level <= 9; level++ {
			body, err := deflate(payload, level)
			if err != nil || len(body) > deflatedAtMost(n) {
				t.Errorf("%d bytes at level %d become %d, %v; want at most %d", n, level, len(body), err, deflatedAtMost(n))
			}
		}
	}
}

func TestCompressedFrameLevels(t *testing.T) {
	for _, level := range []int{-2, 0, 10} {
		if _, err := CompressedFrame(nil, level); err == nil {
			t.Errorf("level %d is accepted", level)
		}
	}
}

// TestFramesAreMarkedOnce: RSV1 belongs to a message's first frame only.
func TestFramesAreMarkedOnce(t *testing.T) {
	payload := make([]byte, 5000)
	_, _ = rand.NewChaCha8([32]byte{2}).Read(payload)
	f, err := prepareNbio(payload, &Options{Defaults: Defaults{Compress: true}, Level: 1, FramePayload: 4000})
	if err != nil {
		t.Fatal(err)
	}
	body, _ := deflate(payload, 1)
	want := append(appendFrame(nil, opBinary, false, body[:4000]), appendFrame(nil, opContinuation, true, body[4000:])...)
	want[0] |= rsv1
	if !bytes.Equal(f.wire(true), want) {
		t.Error("a compressed message is not split as nbio splits it")
	}
}

func TestNegotiation(t *testing.T) {
	for offer, want := range map[string]bool{
		"":                        false,
		"permessage-deflate":      true,
		"x-webkit-deflate-frame":  false,
		"permessage-deflate-more": false,
		"permessage-deflate; client_max_window_bits":                true,
		"foo; a=1, permessage-deflate;server_no_context_takeover ,": true,
	} {
		h := http.Header{extensions: {offer}}
		if got := negotiateDeflate(h, &Options{Defaults: Defaults{Compress: true}}); got != want || (h.Get(extensions) != "") != want {
			t.Errorf("%q: agreed %t, the library sees %q; want %t", offer, got, h.Get(extensions), want)
		}
	}
	if negotiateDeflate(http.Header{extensions: {"permessage-deflate"}}, &Options{}) {
		t.Error("agreed although compression is off")
	}
}
