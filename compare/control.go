//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// parseHalf reads the flags of `compare serve` and `compare fleet`.
func parseHalf(verb string, args []string, usage io.Writer, more func(*flag.FlagSet)) (socket string, err error) {
	fs := flag.NewFlagSet("compare "+verb, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Func("control", "unix:`path` of a socket to wait on, readable and writable by this user alone; each connection gets a process of its own. "+
		"Without it: JSON on stdin and stdout", func(text string) error {
		socket, err = parseSocket("-control", text)
		return err
	})
	more(fs)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fs.SetOutput(usage)
			fmt.Fprintf(usage, "usage: compare %s [flags]\n", verb)
			fs.PrintDefaults()
			return "", err
		}
		return "", flagError(fs, err)
	}
	if fs.NArg() > 0 {
		return "", fmt.Errorf("%s takes no arguments, got %q", verb, fs.Arg(0))
	}
	return socket, nil
}

// control waits on a socket and starts this program once more, with args, for every connection: a fresh process for every cell.
// It ends with ctx and takes its children with it.
func control(ctx context.Context, path string, args []string, log io.Writer) error {
	ln, err := listenControl(path)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	defer ln.Close()
	var children sync.WaitGroup
	defer children.Wait()
	for {
		conn, err := ln.AcceptUnix()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		children.Go(func() {
			if err := answerControl(ctx, conn, args, log); err != nil {
				fmt.Fprintln(log, "control:", err)
			}
		})
	}
}

// listenControl makes the socket with mode 0600. A socket that nobody listens on any more is replaced.
func listenControl(path string) (*net.UnixListener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket {
		if conn, err := net.Dial("unix", path); err == nil {
			conn.Close()
			return nil, fmt.Errorf("-control: somebody listens on %s already", path)
		}
		os.Remove(path)
	}
	// The mode must be right from the first instant: a chmod afterwards would leave a gap.
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

// answerControl lets a child speak for itself on the connection until either side ends.
func answerControl(ctx context.Context, conn *net.UnixConn, args []string, log io.Writer) error {
	file, err := conn.File()
	conn.Close() // the child has a copy
	if err != nil {
		return err
	}
	defer file.Close()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = file, file, log
	return cmd.Run()
}
