package stamp

import (
	"bytes"
	"compress/flate"
	"testing"
)

func TestStampSurvivesThePayload(t *testing.T) {
	want := Stamp{Start: 1 << 40, Round: 70_000, Due: 1<<40 - 5, Kind: Bare}
	for _, filling := range [][]byte{Filling(100, 1), Text(100, 1)} {
		b := New(want, filling)
		if got := Get(b); got != want || !bytes.Equal(b[Size:], filling[Size:]) {
			t.Errorf("%+v", got)
		}
	}
}

// deflated is how many bytes a payload becomes.
func deflated(t *testing.T, b []byte, level int) int {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(b)
	w.Flush()
	return out.Len()
}

func TestTextCompressesLikeTraffic(t *testing.T) {
	for _, size := range []int{1 << 10, 16 << 10, 256 << 10} {
		for level := 1; level <= 6; level++ {
			for seed := range uint64(5) {
				ratio := float64(size) / float64(deflated(t, New(Stamp{Start: 1e15}, Text(size, seed)), level))
				if seed == 0 && level%5 == 1 {
					t.Logf("%d bytes, level %d: %.2f times", size, level, ratio)
				}
				if ratio < 2 || ratio > 4 {
					t.Errorf("%d bytes, level %d, seed %d: %.2f times, want 2 to 4", size, level, seed, ratio)
				}
			}
		}
	}
}

func TestFillingDoesNotCompress(t *testing.T) {
	if n := deflated(t, Filling(10_000, 1), 6); n < 10_000 {
		t.Errorf("10,000 bytes became %d", n)
	}
}

func TestFillingsDependOnSizeAndSeedOnly(t *testing.T) {
	for name, f := range map[string]func(int, uint64) []byte{"filling": Filling, "text": Text} {
		for _, size := range []int{0, 1, Size, 128, 5000} {
			if b := f(size, 7); len(b) != size || !bytes.Equal(b, f(size, 7)) {
				t.Errorf("%s of %d: %d bytes, or not the same twice", name, size, len(b))
			}
		}
		if bytes.Equal(f(100, 1), f(100, 2)) || !bytes.Equal(f(100, 1), f(200, 1)[:100]) {
			t.Errorf("%s: another seed gives the same, or another size something else", name)
		}
	}
}
