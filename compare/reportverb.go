package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"wsfanout/compare/result"
)

// reportRequest is what the flags of `compare report` ask for.
type reportRequest struct {
	path string
	output
}

func parseReport(args []string, usage io.Writer) (*reportRequest, error) {
	var q reportRequest
	fs := flag.NewFlagSet("compare report", flag.ContinueOnError)
	q.output.flags(fs)
	paths, err := parseFiles(fs, args, "[flags] FILE", usage)
	switch {
	case err != nil:
		return nil, err
	case len(paths) == 0:
		return nil, errors.New("report: which results file? usage: compare report [flags] FILE")
	case len(paths) > 1:
		return nil, fmt.Errorf("report: one results file, not %s and %s", paths[0], paths[1])
	}
	q.path = paths[0]
	return &q, q.open()
}

// runReport is `compare report`: the same results once more, under the same gates.
func runReport(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) (int, error) {
	q, err := parseReport(args, stdout)
	if err != nil {
		return exitUsage, err
	}
	f, err := result.Read(q.path)
	if err != nil {
		return exitUsage, fmt.Errorf("report: %w", err)
	}
	if err := q.admit(f); err != nil {
		return exitUsage, err
	}
	if err := q.show(stdout, f, textOptions(stdout, q.wide)); err != nil {
		return exitFailed, err
	}
	return q.gated(f, stderr, exitOK, nil)
}
