// Package units reads and writes byte sizes as people write them: 1KiB, 64KiB, 1MiB, 128.
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Powers of 1024 only: KB and kB mean two things, so they are refused rather than guessed.
var suffixes = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// ParseBytes reads a size in bytes: a whole number, alone or followed by B, KiB, MiB or GiB ("128", "1KiB", "64 KiB").
func ParseBytes(s string) (int64, error) {
	number, factor := strings.TrimSpace(s), int64(1)
	for _, suffix := range suffixes {
		if rest, ok := strings.CutSuffix(number, suffix.name); ok {
			number, factor = strings.TrimSpace(rest), suffix.size
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("size %q: want a whole number of bytes, alone or with B, KiB, MiB or GiB", s)
	}
	return n * factor, nil
}

// CompactBytes writes a size so that ParseBytes gives it back: "64KiB", "1500".
func CompactBytes(n int64) string {
	for _, suffix := range suffixes[:3] {
		if n != 0 && n%suffix.size == 0 {
			return strconv.FormatInt(n/suffix.size, 10) + suffix.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// FormatBytes writes a size for a reader: "1 KiB", "64 KiB", "1,000 B", "9.4 MiB". Sizes from 10 KiB are rounded to a tenth.
func FormatBytes(n int64) string {
	if n < 0 {
		return "-" + FormatBytes(-n)
	}
	for _, suffix := range suffixes[:3] {
		whole := n >= suffix.size && n%suffix.size == 0
		if whole || n >= suffix.size && n >= 10<<10 {
			tenths := strconv.FormatFloat(float64(n)/float64(suffix.size), 'f', 1, 64)
			return strings.TrimSuffix(tenths, ".0") + " " + suffix.name
		}
	}
	return commas(n) + " B"
}

func commas(n int64) string {
	s := strconv.FormatInt(n, 10)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
