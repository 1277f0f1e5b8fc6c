//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"wsfanout/compare/report"
	"wsfanout/compare/result"
)

// diffRequest is what the flags of `compare diff` ask for.
type diffRequest struct {
	paths []string
	force bool
}

func parseDiff(args []string, usage io.Writer) (*diffRequest, error) {
	var q diffRequest
	fs := flag.NewFlagSet("compare diff", flag.ContinueOnError)
	fs.BoolVar(&q.force, "force", false, "compare runs of different plans or hosts, too")
	var err error
	if q.paths, err = parseFiles(fs, args, "[flags] OLD NEW", usage); err != nil {
		return nil, err
	}
	if len(q.paths) != 2 {
		return nil, fmt.Errorf("diff: want two results files, the old and the new one, got %d", len(q.paths))
	}
	return &q, nil
}

// parseFiles reads flags that may stand on either side of file names.
func parseFiles(fs *flag.FlagSet, args []string, form string, usage io.Writer) (files []string, err error) {
	fs.SetOutput(io.Discard)
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				fs.SetOutput(usage)
				fmt.Fprintf(usage, "usage: %s %s\n", fs.Name(), form)
				fs.PrintDefaults()
				return nil, err
			}
			return nil, flagError(fs, err)
		}
		if args = fs.Args(); len(args) > 0 {
			files, args = append(files, args[0]), args[1:]
		}
	}
	return files, nil
}

// readFiles reads results files, up to the first that cannot be read.
func readFiles(paths []string) ([]*result.File, error) {
	var files []*result.File
	for _, path := range paths {
		f, err := result.Read(path)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// runDiff is `compare diff`. What changed is no failure: gates are for that.
func runDiff(_ context.Context, args []string, _ io.Reader, stdout, _ io.Writer) (int, error) {
	q, err := parseDiff(args, stdout)
	if err != nil {
		return exitUsage, err
	}
	files, err := readFiles(q.paths)
	if err != nil {
		return exitUsage, fmt.Errorf("diff: %w", err)
	}
	for i, f := range files {
		if len(f.Cells) == 0 {
			return exitUsage, fmt.Errorf("diff: %s holds no cells of the matrix but %q: only those are compared", q.paths[i], f.Plan.Scenario)
		}
	}
	d := result.DiffOf(files[0], files[1])
	if differs := unlike(d); len(differs) > 0 && !q.force {
		return exitUsage, fmt.Errorf("diff: the runs differ by more than the code: %s; -force compares them all the same", strings.Join(differs, ", "))
	}
	return childStatus(report.Diff(stdout, d, textOptions(stdout, false)))
}

func unlike(d *result.Diff) []string {
	differs := append(result.PlanChanges(d.Old.Plan, d.New.Plan), result.HostChanges(d.Old.Host, d.New.Host)...)
	for _, c := range d.Cells { // what a row's name stands for is no part of the plan
		if was, is := c.Old.Options["exec"], c.New.Options["exec"]; was != is {
			differs = append(differs, fmt.Sprintf("program of %s %s -> %s", c.New.Name(), cmp.Or(was, "none"), cmp.Or(is, "none")))
		}
	}
	return differs
}
