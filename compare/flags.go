//go:build linux

package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"wsfanout/engines"
	"wsfanout/internal/stamp"
	"wsfanout/internal/units"
	"wsfanout/strategies"
)

// config is what the flags of `compare run` ask for.
type config struct {
	engines    []row
	strategies []strategies.Spec

	clients      int   // the largest of clientCounts, or the cell's own
	size         int   // the largest of sizes, or the cell's own
	clientCounts []int // ascending; several: a matrix for each
	sizes        []int
	rounds       int
	warmup       int
	interval     time.Duration
	trials       int
	seed         uint64
	writeTimeout time.Duration
	shards       int
	order        string
	sndbuf       int
	behave       misbehaviour
	budget       time.Duration

	out      string
	progress string
	cpus     pinning
	output
	asked
	apart

	told     func(k cell, footnotes []string) // nil: nobody keeps what a program says of itself
	absorb   defaultBuffers                   // measured once, before the first trial
	warnings []string                         // for the results file
	explicit map[string]bool                  // flags the user set
}

// The headline run; doctor answers for it.
const (
	defaultClients = 10_000
	defaultSize    = 1024
)

// limits of what is asked for: a value outside is a typo.
const (
	maxSize   = 16 << 20
	maxTrials = 1000
	maxRounds = 100_000
	maxExtras = 1000

	maxDuration = time.Hour
)

// parseRun reads the flags of `compare run`. Errors are one line and name the valid values.
func parseRun(args []string, usage io.Writer) (*config, error) {
	c := &config{explicit: map[string]bool{}, clients: defaultClients}
	fs := flag.NewFlagSet("compare run", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	engineList := fs.String("engines", "gorilla,nbio", "engine specs, separated by commas: see compare list; NAME=exec:COMMAND is a program of yours that speaks docs/protocol.md")
	strategyList := fs.String("strategies", "all", "strategy specs, separated by commas, or all: see compare list")
	size := fs.String("size", "1KiB", "payload bytes of a message; a list such as 128,1KiB,16KiB: a matrix for each, with 1,000 clients unless told otherwise")
	clients := fs.String("clients", strconv.Itoa(defaultClients), "healthy clients; a list such as 1000,5000: a matrix for each, and how the figures grow")
	sndbuf := fs.String("sndbuf", "0", "SO_SNDBUF of every server connection in bytes; 0: the kernel's choice")
	fs.IntVar(&c.rounds, "rounds", 8, "measured rounds of a phase")
	fs.IntVar(&c.warmup, "warmup", 2, "rounds before them that are thrown away")
	fs.DurationVar(&c.interval, "interval", 250*time.Millisecond, "time from one round to the next")
	fs.IntVar(&c.trials, "trials", 6, "passes over all cells in fresh processes; intervals exist from 6 on")
	fs.DurationVar(&c.budget, "budget", 0, "time for the whole run: chooses -trials")
	fs.Uint64Var(&c.seed, "seed", 1, "seed of the order of the cells and of the payloads")
	fs.DurationVar(&c.writeTimeout, "write-timeout", time.Second, "how long a byte may be owed before its client is closed; 0: for ever")
	fs.IntVar(&c.shards, "shards", runtime.GOMAXPROCS(0), "workers of shard and shardprep")
	fs.StringVar(&c.order, "order", "fixed", "fixed: clients in the order of their numbers; map: Go map order, as most hubs")
	fs.IntVar(&c.behave.stuck, "stuck", 1, "clients that stop reading after the healthy phase, on top of -clients; 0: no such phase")
	fs.StringVar(&c.behave.at, "stuck-at", "first", "their places in the list: first, middle, last or random")
	fs.StringVar(&c.behave.buffers, "stuck-buffers", "small", "small: buffers of a few KiB, so that they jam at all; default: the kernel's choice")
	fs.StringVar(&c.behave.jam, "jam", "fill", "fill: their buffers are filled first, so that every cell jams in its first rounds; natural: the rounds do it")
	fs.IntVar(&c.behave.slow, "slow", 0, "clients that are alive but read only -slow-rate; closing one is a false kill")
	slowRate := fs.String("slow-rate", "64KiB", "bytes per second that each -slow client reads")
	fs.DurationVar(&c.behave.resume, "resume", 0, "the -stuck clients read again after this; 0: never")
	fs.IntVar(&c.behave.vanish, "vanish", 0, "clients that vanish without FIN or RST: their kernel drops every segment (a socket filter)")
	fs.StringVar(&c.out, "o", "", "results `file` (JSON), rewritten after every cell")
	c.output.flags(fs)
	c.asked.flags(fs)
	c.apart.flags(fs)
	cpus := fs.String("cpus", "", "pin the two processes, which sets their GOMAXPROCS, too: server=0,fleet=1; empty: all CPUs for both")
	fs.StringVar(&c.progress, "progress", "auto", "auto: a live line on a terminal; off: none")
	quick := fs.Bool("quick", false, "a taste in under a minute: 1,000 clients, 50ms, 250ms timeout, 1 trial")
	reference := fs.Bool("reference", false, "the published experiment: 40 rounds, 500ms, natural jam, map order, 1 trial")

	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fs.SetOutput(usage)
			fmt.Fprintln(usage, "usage: compare [run] [flags]")
			fs.PrintDefaults()
			return nil, err
		}
		return nil, flagError(fs, err)
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: flags only, such as -engines gorilla,nbio", fs.Arg(0))
	}
	fs.Visit(func(f *flag.Flag) { c.explicit[f.Name] = true })
	if *quick && *reference {
		return nil, errors.New("-quick and -reference exclude each other: choose one")
	}
	c.preset(*quick, *reference)
	err := cmp.Or(c.parseLists(*clients, *size), c.parseValues(*engineList, *strategyList, *sndbuf, *slowRate, *cpus), c.asked.secure(c.listen))
	if err != nil {
		return nil, err
	}
	return c, c.validate()
}

// preset applies -quick or -reference where the user set nothing else.
func (c *config) preset(quick, reference bool) {
	set := func(name string, apply func()) {
		if !c.explicit[name] {
			apply()
		}
	}
	switch {
	case quick:
		set("clients", func() { c.clients = 1000 })
		set("interval", func() { c.interval = 50 * time.Millisecond })
		set("write-timeout", func() { c.writeTimeout = 250 * time.Millisecond })
		set("trials", func() { c.trials = 1 })
	case reference:
		set("rounds", func() { c.rounds = 40 })
		set("interval", func() { c.interval = 500 * time.Millisecond })
		set("order", func() { c.order = "map" })
		set("jam", func() { c.behave.jam = "natural" })
		set("trials", func() { c.trials = 1 })
	}
}

func (c *config) parseValues(engineList, strategyList, sndbuf, slowRate, cpus string) error {
	bytes, err := units.ParseBytes(sndbuf)
	if err != nil {
		return fmt.Errorf("-sndbuf: %w", err)
	}
	c.sndbuf = int(bytes)
	if c.behave.slowRate, err = units.ParseBytes(slowRate); err != nil {
		return fmt.Errorf("-slow-rate: %w", err)
	}
	if err = c.parseCPUs(cpus); err != nil {
		return err
	}
	if c.engines, err = parseRows(engineList); err != nil {
		return err
	}
	c.strategies, err = parseSpecs("-strategies", strategyList, strategies.Names(), strategies.Parse)
	return err
}

// parseCPUs sets what follows from the CPUs of the server, too.
func (c *config) parseCPUs(text string) (err error) {
	if text == "" && !c.explicit["cpus"] {
		return nil
	}
	if c.cpus, err = parsePinning(text); err != nil {
		return err
	}
	if !c.explicit["shards"] {
		c.shards = c.cpus.serverProcs()
	}
	return nil
}

// parseSpecs reads a comma-separated list; all stands for every name there is.
func parseSpecs[S fmt.Stringer](flagName, list string, all []string, parse func(string) (S, error)) ([]S, error) {
	texts := strings.Split(list, ",")
	if list == "all" {
		texts = all
	}
	var specs []S
	seen := map[string]bool{}
	for _, text := range texts {
		spec, err := parse(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flagName, err)
		}
		if seen[spec.String()] {
			return nil, fmt.Errorf("%s: %s is named twice: each may stand once", flagName, spec)
		}
		seen[spec.String()] = true
		specs = append(specs, spec)
	}
	return specs, nil
}

func (c *config) validate() error {
	inRange := func(name string, v, least, most int) error {
		if v < least || v > most {
			return fmt.Errorf("-%s %d: want %d to %d", name, v, least, most)
		}
		return nil
	}
	positive := func(name string, d time.Duration, zeroToo bool) error {
		if d < 0 || d == 0 && !zeroToo {
			return fmt.Errorf("-%s %v: want a positive duration such as 250ms", name, d)
		}
		return nil
	}
	atMost := func(name string, d time.Duration) error {
		if d > maxDuration {
			return fmt.Errorf("-%s %v: want at most %v", name, d, maxDuration)
		}
		return nil
	}
	oneOf := func(name, v string, valid ...string) error {
		if !slices.Contains(valid, v) {
			return fmt.Errorf("-%s %q: want %s", name, v, strings.Join(valid, " or "))
		}
		return nil
	}
	sndbufLeast := 0
	if c.sndbuf != 0 {
		sndbufLeast = 2048
	}
	return cmp.Or(
		each(c.clientCounts, func(n int) error { return inRange("clients", n, 1, 1_000_000) }),
		each(c.sizes, func(n int) error { return inRange("size", n, stamp.Size, maxSize) }),
		inRange("rounds", c.rounds, 1, maxRounds),
		inRange("warmup", c.warmup, 0, maxRounds),
		inRange("trials", c.trials, 1, maxTrials),
		inRange("shards", c.shards, 1, 1<<16),
		inRange("sndbuf", c.sndbuf, sndbufLeast, 1<<30),
		atMost("interval", c.interval), atMost("write-timeout", c.writeTimeout), atMost("resume", c.behave.resume),
		positive("interval", c.interval, false),
		positive("write-timeout", c.writeTimeout, true),
		positive("budget", c.budget, !c.explicit["budget"]),
		inRange("stuck", c.behave.stuck, 0, maxExtras),
		inRange("slow", c.behave.slow, 0, maxExtras),
		inRange("vanish", c.behave.vanish, 0, maxExtras),
		inRange("slow-rate", int(c.behave.slowRate), 1, 1<<30),
		positive("resume", c.behave.resume, !c.explicit["resume"]),
		oneOf("order", c.order, "fixed", "map"),
		oneOf("stuck-at", c.behave.at, "first", "middle", "last", "random"),
		oneOf("stuck-buffers", c.behave.buffers, "small", "default"),
		oneOf("jam", c.behave.jam, "fill", "natural"),
		oneOf("progress", c.progress, "auto", "off"),
		c.validateAsked(),
		c.apart.check(c.cpus),
		c.validateTogether(),
		c.output.open(),
	)
}

func (c *config) validateTogether() error {
	if c.explicit["budget"] && c.explicit["trials"] {
		return errors.New("-budget chooses the trials: give -budget or -trials, not both")
	}
	if c.explicit["slow-rate"] && c.behave.slow == 0 {
		return errors.New("-slow-rate needs -slow N")
	}
	if c.behave.resume > 0 && c.behave.stuck == 0 {
		return errors.New("-resume needs -stuck 1 or more: it is they who read again")
	}
	return cmp.Or(c.refusePlaces(), c.refuse())
}

// engineDefaults are what an engine spec falls back to where it says nothing.
func (c *config) engineDefaults() engines.Defaults {
	return engines.Defaults{
		WriteTimeout: c.writeTimeout, SendBuffer: c.sndbuf, MaxPayload: c.size, MaxClients: c.clients + c.behave.extras(),
		Compress: c.compress, CertPEM: c.certPEM, KeyPEM: c.keyPEM,
	}
}
