//go:build linux

// Command compare measures WebSocket fan-out: with 10,000 clients, when does the last one get the message, at what cost,
// on which engine and with which strategy.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"wsfanout/clientfleet"
	"wsfanout/serve"
)

// The exit statuses of the binary; `go run` turns every failure into 1.
const (
	exitOK          = 0
	exitFailed      = 1   // a cell failed, or its accounts do not add up
	exitUsage       = 2   // wrong usage, an unreadable file, or refused before the start
	exitGate        = 3   // a gate failed
	exitInterrupted = 130 // finished cells are saved
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once, whatever it hangs in
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// verb is one command of compare.
type verb struct {
	name    string
	summary string
	run     func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error)
}

// verbs is in the order of the help.
func verbs() []verb {
	return []verb{
		{"run", "the matrix: every engine x strategy (the default verb)", runMatrix},
		{"tune", "KeepaliveTime, pings, read and write timeouts: who is noticed, who is killed, and what to take", runTune},
		{"hold", "what a connection at rest costs, and a message to all that are held", runHold},
		{"block", "who else waits when a handler blocks, by the place where handlers run", runBlock},
		{"echo", "connections per second, and echoes at a fixed rate and in a closed loop", runEcho},
		{"report", "a results file again, in any format", runReport},
		{"diff", "what changed between two results files, and whether it is more than noise", runDiff},
		{"doctor", "the limits of this machine, what they allow, and how to raise them", runDoctor},
		{"list", "engines, strategies, and all their options", runList},
		{"help", "this text, or the flags of a verb: compare help run", runHelp},
		{"serve", "the server half, speaking JSON on stdin and stdout", runServe},
		{"fleet", "the client half, speaking JSON on stdin and stdout", runFleet},
	}
}

// run is the program: it prints an error once, on one line, and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	name := "run"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	v, err := findVerb(name)
	if err != nil {
		fmt.Fprintln(stderr, "compare:", err)
		return exitUsage
	}
	status, err := v.run(ctx, args, stdin, stdout, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "compare:", err)
	}
	return status
}

func findVerb(name string) (verb, error) {
	var names []string
	for _, v := range verbs() {
		if v.name == name {
			return v, nil
		}
		names = append(names, v.name)
	}
	return verb{}, fmt.Errorf("unknown verb %q: want %s", name, strings.Join(names, ", "))
}

func runServe(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	engine := ""
	socket, err := parseHalf("serve", args, stdout, func(fs *flag.FlagSet) {
		fs.StringVar(&engine, "engine", "", "engine `spec` to serve when the parent does not name one: it calls this program by name=exec:")
	})
	if err != nil {
		return exitUsage, err
	}
	if socket != "" {
		return childStatus(control(ctx, socket, []string{"serve", "-engine", engine}, stderr))
	}
	return childStatus(serve.Run(ctx, stdin, stdout, namedEngine, engine))
}

func runFleet(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	socket, err := parseHalf("fleet", args, stdout, func(*flag.FlagSet) {})
	if err != nil {
		return exitUsage, err
	}
	if socket != "" {
		return childStatus(control(ctx, socket, []string{"fleet"}, stderr))
	}
	return childStatus(clientfleet.Run(ctx, stdin, stdout))
}

func childStatus(err error) (int, error) {
	if err != nil {
		return exitFailed, err
	}
	return exitOK, nil
}

func noArguments(name string, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, got %q", name, args[0])
	}
	return nil
}
