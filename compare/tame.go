//go:build linux

package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tamedRunes bounds one text of a child.
const tamedRunes = 500

// tame is a text that another program wrote, fit for a terminal, a report and a results file: printable, and not too long.
func tame(text string) string {
	text = printable(text)
	if utf8.RuneCountInString(text) > tamedRunes {
		text = string([]rune(text)[:tamedRunes]) + "..."
	}
	return text
}

// printable replaces what moves a cursor or turns the direction of writing.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029':
			return utf8.RuneError
		}
		return r
	}, text)
}
