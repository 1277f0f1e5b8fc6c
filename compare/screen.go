//go:build linux

package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"wsfanout/compare/report"
)

// screen is the progress on stderr: a live line with the time left on a terminal, provisional tables anywhere, nothing at
// all with -progress=off. It draws only when a phase begins: drawing costs the measured processes a core.
type screen struct {
	w    io.Writer
	off  bool
	live bool
	bar  *progressbar.ProgressBar
}

func newScreen(w io.Writer, mode string) *screen {
	return &screen{w: w, off: mode == "off", live: mode != "off" && isTerminal(w)}
}

func (s *screen) begin(cells int) {
	if s.live {
		s.bar = progressbar.NewOptions(cells,
			progressbar.OptionSetWriter(s.w), progressbar.OptionSetPredictTime(true), progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(true))
	}
}

func (s *screen) phase(cell, phase string) {
	if s.bar != nil {
		s.bar.Describe(fmt.Sprintf("%-20s %-9s", cell, phase))
	}
}

func (s *screen) cellDone() {
	if s.bar != nil {
		s.bar.Add(1)
	}
}

func (s *screen) resize(cells int) {
	if s.bar != nil {
		s.bar.ChangeMax(cells)
	}
}

// print shows something above the live line.
func (s *screen) print(f func(io.Writer)) {
	if s.off {
		return
	}
	if s.bar != nil {
		s.bar.Clear()
	}
	f(s.w)
}

func (s *screen) end() {
	if s.bar != nil {
		s.bar.Clear()
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// textOptions are how a table looks on w: colour only on a terminal, and never with NO_COLOR.
func textOptions(w io.Writer, wide bool) report.Options {
	return report.Options{Width: 120, Wide: wide, Color: isTerminal(w) && os.Getenv("NO_COLOR") == ""}
}
