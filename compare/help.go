//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"wsfanout/engines"
	"wsfanout/internal/preflight"
	"wsfanout/strategies"
)

func runHelp(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	if len(args) == 0 {
		fmt.Fprint(stdout, `compare measures how a message reaches every WebSocket client of a server: when the last one has it, and at what cost.

usage: compare [verb] [flags]

`)
		for _, v := range verbs() {
			fmt.Fprintf(stdout, "  %-8s %s\n", v.name, v.summary)
		}
		fmt.Fprint(stdout, `
start here:
  compare -quick                                  a taste, under a minute
  compare -engines gorilla,nbio -strategies all   the whole matrix, about 12 minutes
  compare help run                                every flag with its default

exit status: 0 all measured; 1 a cell failed; 2 wrong usage or refused before the start; 3 a gate failed; 130 interrupted,
finished cells saved
`)
		return exitOK, nil
	}
	v, err := findVerb(args[0])
	if err != nil {
		return exitUsage, err
	}
	switch v.name {
	case "run":
		_, err := parseRun([]string{"-h"}, stdout)
		return exitOK, err
	case "tune":
		_, err := parseTune([]string{"-h"}, stdout)
		return exitOK, err
	case "hold":
		_, err := parseHold([]string{"-h"}, stdout)
		return exitOK, err
	case "block":
		_, err := parseBlock([]string{"-h"}, stdout)
		return exitOK, err
	case "echo":
		_, err := parseEcho([]string{"-h"}, stdout)
		return exitOK, err
	case "report":
		_, err := parseReport([]string{"-h"}, stdout)
		return exitOK, err
	case "diff":
		_, err := parseDiff([]string{"-h"}, stdout)
		return exitOK, err
	}
	fmt.Fprintf(stdout, "usage: compare %s\n%s\n", v.name, v.summary)
	return exitOK, nil
}

func runDoctor(_ context.Context, args []string, _ io.Reader, stdout, _ io.Writer) (int, error) {
	if err := noArguments("doctor", args); err != nil {
		return exitUsage, err
	}
	asked := preflight.Need{Clients: defaultClients, SizeBytes: defaultSize}
	return childStatus(preflight.Doctor(stdout, preflight.Read(), asked))
}

func runList(_ context.Context, args []string, _ io.Reader, stdout, _ io.Writer) (int, error) {
	if err := noArguments("list", args); err != nil {
		return exitUsage, err
	}
	fmt.Fprintln(stdout, "ENGINES        -engines name:option=value:...,...")
	for _, e := range engines.Describe() {
		fmt.Fprintf(stdout, "  %-12s %s\n", e.Name, e.Summary)
		for _, o := range e.Options {
			fmt.Fprintf(stdout, "    %-16s %s: %s (default: %s)\n", o.Name, o.Values, o.Summary, o.Default)
		}
	}
	fmt.Fprintf(stdout, "  %-12s %s\n", "NAME=exec:CMD", "a program that speaks the serve protocol (docs/protocol.md): your own server, or another build of this one,")
	fmt.Fprintf(stdout, "  %-12s %s\n", "", "as in old=exec:'./compare-old serve -engine nbio'; CMD goes to /bin/sh and holds no comma")
	fmt.Fprintln(stdout, "\nSTRATEGIES     -strategies name:count:option=value:...,... or all")
	for _, s := range strategies.All() {
		fmt.Fprintf(stdout, "  %-12s %s\n", s.Name, s.Summary)
		if s.Count != "" {
			fmt.Fprintf(stdout, "    %-16s %s\n", s.Name+":N", s.Count)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Options)) {
			fmt.Fprintf(stdout, "    %-16s %s\n", name, s.Options[name])
		}
	}
	return exitOK, nil
}
