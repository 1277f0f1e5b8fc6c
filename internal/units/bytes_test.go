package units

import (
	"fmt"
	"testing"
)

func TestParseBytes(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "128": 128, "128B": 128, "1KiB": 1024, "64 KiB": 65536, "1MiB": 1 << 20, "2GiB": 2 << 30, " 7 ": 7,
	} {
		if got, err := ParseBytes(in); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "KiB", "-1", "1.5KiB", "1KB", "1 k", "9999999999GiB"} {
		if got, err := ParseBytes(in); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", in, got)
		}
	}
}

func TestCompactBytesIsReadBack(t *testing.T) {
	for _, n := range []int64{0, 1, 1023, 1024, 1500, 65536, 1 << 20, 3 << 29, 1 << 30} {
		if got, err := ParseBytes(CompactBytes(n)); err != nil || got != n {
			t.Errorf("%d written as %q is read as %d, %v", n, CompactBytes(n), got, err)
		}
	}
}

func ExampleFormatBytes() {
	for _, n := range []int64{0, 21, 1000, 1024, 4112, 12186, 65536, 1 << 20, 9856614, 3 << 29} {
		fmt.Println(FormatBytes(n))
	}
	// Output:
	// 0 B
	// 21 B
	// 1,000 B
	// 1 KiB
	// 4,112 B
	// 11.9 KiB
	// 64 KiB
	// 1 MiB
	// 9.4 MiB
	// 1.5 GiB
}
