package report

import (
	"testing"
)

func TestFormats(t *testing.T) {
	for _, row := range []struct {
		why, got, want string
	}{
		{"milliseconds with three digits", duration(90912345), "90.9 ms"},
		{"what rounds up to three digits before the point has none behind it", duration(99.96e6), "100 ms"},
		{"what rounds up to the next unit is in it", duration(999.7e6), "1.00 s"},
		{"a stuck second", duration(1.03e9), "1.03 s"},
		{"microseconds", duration(13100), "13.1 us"},
		{"nanoseconds", duration(250), "250 ns"},
		{"minutes", duration(900e9), "15m 00s"},
		{"nothing", duration(0), "0.00 ns"},
		{"a chosen interval", exact(250e6), "250 ms"},
		{"a chosen interval without its zeros", exact(50e6), "50 ms"},
		{"a chosen timeout", exact(1e9), "1 s"},
		{"a chosen fraction", exact(1.5e9), "1.5 s"},
		{"zeros before the point stay", exact(100e6), "100 ms"},
		{"a run below a minute", long(48e9), "48 s"},
		{"a run of minutes", long(724e9), "12m 04s"},
		{"a run of hours", long(3720e9), "1h 02m"},
		{"a message", size(1024), "1 KiB"},
		{"a small message", size(100), "100 B"},
		{"memory", size(436_207_616), "416 MiB"},
		{"what rounds up to the next unit is in it", size(1023.9 * 1024), "1.00 MiB"},
		{"thousands", count(10004), "10,004"},
		{"millions", count(1_000_000), "1,000,000"},
		{"no separator below a thousand", count(999), "999"},
		{"below zero", count(-1234), "-1,234"},
		{"what rounds to nothing has no sign", count(-0.2), "0"},
		{"one is no plural", plural(1, "trial"), "1 trial"},
		{"a small share", percent(0.0042), "0.4 %"},
		{"a share", percent(0.0612), "6 %"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %q, want %q", row.why, row.got, row.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, row := range []struct {
		why, head, text string
		want            string
	}{
		{"what fits stays on one line", " 1  ", "aaaa bb", " 1  aaaa bb\n"},
		{"the rest is indented like the text", " 1  ", "aaaa bbbb cc", " 1  aaaa\n    bbbb cc\n"},
		{"a word longer than the line stands alone", " 1  ", "a bbbbbbbbbbbbbbb c", " 1  a\n    bbbbbbbbbbbbbbb\n    c\n"},
		{"no text", " 1  ", "", " 1  \n"},
	} {
		if got := wrap(row.head, row.text, 12); got != row.want {
			t.Errorf("%s: %q, want %q", row.why, got, row.want)
		}
	}
}
