//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// reportRequest is what the flags of `compare report` ask for.
type reportRequest struct {
	paths []string
	output
}

func parseReport(args []string, usage io.Writer) (*reportRequest, error) {
	var q reportRequest
	fs := flag.NewFlagSet("compare report", flag.ContinueOnError)
	q.output.flags(fs)
	paths, err := parseFiles(fs, args, "[flags] FILE...", usage)
	switch {
	case err != nil:
		return nil, err
	case len(paths) == 0:
		return nil, errors.New("report: which results file? usage: compare report [flags] FILE [FILE]")
	case len(paths) > 1 && q.html == "":
		return nil, fmt.Errorf("report: only -html lays several results files over each other: want one, not %d", len(paths))
	case len(paths) > 1 && len(q.gates) > 0:
		return nil, fmt.Errorf("report: gates judge one results file, not %d", len(paths))
	}
	q.paths = paths
	return &q, q.open()
}

// runReport is `compare report`: the same results once more, under the same gates.
func runReport(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) (int, error) {
	q, err := parseReport(args, stdout)
	if err != nil {
		return exitUsage, err
	}
	files, err := readFiles(q.paths)
	if err != nil {
		return exitUsage, fmt.Errorf("report: %w", err)
	}
	f := files[0]
	if err := q.admit(f); err != nil {
		return exitUsage, err
	}
	if q.html != "" {
		if err := q.writeHTML(files...); err != nil {
			return exitFailed, err
		}
		fmt.Fprintf(stderr, "written: %s\n", q.html)
	} else if err := q.show(stdout, f, textOptions(stdout, q.wide)); err != nil {
		return exitFailed, err
	}
	return q.gated(f, stderr, exitOK, nil)
}
