package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// significant writes v with three significant digits: 141, 97.3, 1.03.
func significant(v float64) string {
	decimals := 2
	for _, limit := range []float64{9.995, 99.95} { // what rounds to 10.0 has one decimal
		if math.Abs(v) >= limit {
			decimals--
		}
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// significantSmall is significant for a figure below 1: "0.031".
func significantSmall(v float64) string { return strconv.FormatFloat(v, 'g', 2, 64) }

// duration writes nanoseconds with three significant digits: "13.1 us", "141 ms", "1.03 s"; from 100 s on as long does.
func duration(ns float64) string {
	for _, unit := range []struct {
		name string
		ns   float64
	}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}} {
		if math.Abs(ns)/unit.ns < 999.5 {
			return significant(ns/unit.ns) + " " + unit.name
		}
	}
	if ns >= 100e9 {
		return long(int64(ns))
	}
	return significant(ns/1e9) + " s"
}

// exact is duration for a figure that was chosen, not measured: "250 ms", "1 s".
func exact(ns float64) string {
	number, unit, _ := strings.Cut(duration(ns), " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + " " + unit
}

// long writes nanoseconds of waiting: "48 s", "12m 04s", "1h 02m".
func long(ns int64) string {
	s := int64(time.Duration(ns).Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh %02dm", s/3600, s/60%60)
}

// size writes bytes: "100 B", "1 KiB", "11.9 KiB", "240 MiB".
func size(bytes float64) string {
	unit := "B"
	for _, next := range []string{"KiB", "MiB", "GiB"} {
		if math.Abs(bytes) < 1023.5 {
			break
		}
		bytes, unit = bytes/1024, next
	}
	if bytes == math.Trunc(bytes) {
		return fmt.Sprintf("%.0f %s", bytes, unit)
	}
	return significant(bytes) + " " + unit
}

// count writes a whole number with thousands apart: "10,004".
func count(v float64) string {
	digits := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if math.Round(v) < 0 {
		return "-" + digits
	}
	return digits
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(float64(n)) + " " + noun
}

// percent writes a share: "0.4 %", "6 %".
func percent(share float64) string {
	decimals := 0
	if share < 0.0195 {
		decimals = 1
	}
	return strconv.FormatFloat(100*share, 'f', decimals, 64) + " %"
}

// oneLine is text from elsewhere, fit for a table: an error may have brought line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// wrap breaks text at spaces into lines of at most width. The first line begins with head, the others are indented by its width.
func wrap(head, text string, width int) string {
	indent := utf8.RuneCountInString(head)
	var out strings.Builder
	out.WriteString(head)
	column := indent
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == indent:
		case column+1+n > width:
			out.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			out.WriteString(" ")
			column++
		}
		out.WriteString(word)
		column += n
	}
	return out.String() + "\n"
}
