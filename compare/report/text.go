// Package report shows a results file. Everything in it is a pure function of a writer and a file: no clock, no environment.
package report

import (
	"io"
	"strings"

	"wsfanout/compare/result"
)

// Options are how a report looks.
type Options struct {
	Width int  // columns of the terminal; 0: 120. The wide table may exceed it
	Wide  bool // more columns
	Color bool // ANSI colours
}

// A section is one part of the text report; "" when the file has nothing for it.
type section func(*page) string

// sections are in the order of the page. A new part of the report is a function here and a file of its own.
var sections = []section{heading, experimental, tables, findings, growth, capacity, footnotes}

// page is what the sections share.
type page struct {
	*result.File
	opt   Options
	title string // of the matrix, where a run has several
	notes []note // numbered from 1 in this order
}

// Text writes the report for a terminal. It shows what is measured so far: an incomplete file is marked as provisional.
func Text(w io.Writer, f *result.File, opt Options) error {
	if opt.Width == 0 {
		opt.Width = 120
	}
	p := &page{File: f, opt: opt, notes: collectNotes(f)}
	var parts []string
	for _, s := range sections {
		if text := s(p); text != "" {
			parts = append(parts, text)
		}
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n"))
	return err
}

// The colours that are used; each ends with a reset.
const (
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

func (o Options) paint(color, text string) string {
	if !o.Color || color == "" {
		return text
	}
	return color + text + reset
}
