//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"wsfanout/engines"
)

// surveyFlags are the flags that all experiments but the matrix have in common.
type surveyFlags struct {
	display
	engines  []engines.Spec
	trials   int
	seed     uint64
	out      string
	progress string
	quick    bool
	cpus     pinning
	explicit map[string]bool

	verb       string
	fs         *flag.FlagSet
	engineList string
	cpuList    string
}

// newSurveyFlags defines the common flags of a verb; more may be defined on fs before parse.
func newSurveyFlags(verb, engineList string, trials int, quick string) *surveyFlags {
	q := &surveyFlags{verb: verb, fs: flag.NewFlagSet("compare "+verb, flag.ContinueOnError), explicit: map[string]bool{}}
	q.fs.SetOutput(io.Discard)
	q.fs.StringVar(&q.engineList, "engines", engineList, "engine specs, separated by commas: see compare list")
	q.fs.IntVar(&q.trials, "trials", trials, "passes over everything in fresh processes; intervals exist from 6 on")
	q.fs.Uint64Var(&q.seed, "seed", 1, "seed of everything that is random")
	q.fs.StringVar(&q.out, "o", "", "results `file` (JSON), rewritten after every set-up")
	q.fs.StringVar(&q.progress, "progress", "auto", "auto: a live line on a terminal; off: none")
	q.fs.StringVar(&q.cpuList, "cpus", "", "pin the processes, which sets their GOMAXPROCS, too: server=0,fleet=1; empty: all CPUs for both")
	q.fs.BoolVar(&q.quick, "quick", false, quick)
	q.display.flags(q.fs)
	return q
}

// parse reads the arguments and what all experiments check alike. Errors are one line and name the valid values.
func (q *surveyFlags) parse(args []string, usage io.Writer) error {
	if err := q.fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			q.fs.SetOutput(usage)
			fmt.Fprintf(usage, "usage: compare %s [flags]\n", q.verb)
			q.fs.PrintDefaults()
			return err
		}
		return flagError(q.fs, err)
	}
	if q.fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: flags only, such as -engines gorilla,nbio", q.fs.Arg(0))
	}
	q.fs.Visit(func(f *flag.Flag) { q.explicit[f.Name] = true })
	if err := refuseExec(q.verb, q.engineList); err != nil {
		return err
	}
	var err error
	if q.engines, err = parseSpecs("-engines", q.engineList, engines.Names(), engines.Parse); err != nil {
		return err
	}
	if q.explicit["cpus"] {
		if q.cpus, err = parsePinning(q.cpuList); err != nil {
			return err
		}
	}
	if q.trials < 1 || q.trials > maxTrials {
		return fmt.Errorf("-trials %d: want 1 to %d", q.trials, maxTrials)
	}
	if !slices.Contains([]string{"auto", "off"}, q.progress) {
		return fmt.Errorf("-progress %q: want auto or off", q.progress)
	}
	return q.display.open()
}

// unless applies a preset where the user has not set the flag.
func (q *surveyFlags) unless(flagName string, apply func()) {
	if !q.explicit[flagName] {
		apply()
	}
}

func (q *surveyFlags) engineNames() []string {
	var names []string
	for _, e := range q.engines {
		names = append(names, e.String())
	}
	return names
}

// resolvable refuses an engine spec whose options cannot work together, before anything starts.
func (q *surveyFlags) resolvable(size int) error {
	for _, e := range q.engines {
		if _, err := e.Resolve(engines.Defaults{MaxPayload: size, MaxClients: 1}); err != nil {
			return fmt.Errorf("-engines: %w", err)
		}
	}
	return nil
}

// notesOf are the differences of a set-up from its library's defaults.
func notesOf(e engines.Spec, size int) []string {
	o, err := e.Resolve(engines.Defaults{MaxPayload: size, MaxClients: 1})
	if err != nil {
		return nil // refused before
	}
	return engines.Notes(o)
}
