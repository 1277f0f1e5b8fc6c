package report

import (
	"regexp"
	"strings"
)

var (
	micro = regexp.MustCompile(`(\d) us\b`)
	times = regexp.MustCompile(`(\w) x (\w)`)
	fold  = regexp.MustCompile(`\bx(\d)`)
)

// pretty is text of the terminal's report in the characters that a page or a picture has.
func pretty(text string) string {
	text = strings.ReplaceAll(text, "+-", "±")
	text = micro.ReplaceAllString(text, "$1 µs")
	text = fold.ReplaceAllString(text, "×$1")
	return times.ReplaceAllString(text, "$1 × $2")
}
