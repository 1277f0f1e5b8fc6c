//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// carrier says how a child is reached: what starts it, or where it waits.
type carrier struct {
	command string // a shell command whose stdin and stdout lead to the child
	socket  string // a unix socket behind which a fresh child waits for each connection
	cpus    []int  // of a child of this program, which is what is meant where both are empty; nil: all

	patience time.Duration // for a socket that nobody listens on yet
}

// own says that the child is a process of this program on this machine.
func (c carrier) own() bool { return c.command == "" && c.socket == "" }

func (c carrier) String() string {
	switch {
	case c.command != "":
		return c.command
	case c.socket != "":
		return "unix:" + c.socket
	}
	return "this program"
}

// open reaches a child that shall do verb.
func (c carrier) open(ctx context.Context, verb string, log io.Writer) (link, error) {
	if c.socket != "" {
		return dialSocket(ctx, c.socket, max(c.patience, restart))
	}
	// Not the path of this program: whatever lies there now may have been built since.
	cmd := exec.Command("/proc/self/exe", verb)
	if c.command != "" {
		cmd = exec.Command("/bin/sh", "-c", c.command)
	}
	// A process group of its own: Ctrl-C is for the parent, which decides what happens to the running cell.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = log
	cmd.WaitDelay = killAfter // a grandchild may keep the log open
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if len(c.cpus) > 0 {
		cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", len(c.cpus)))
	}
	if err := onCPUs(c.cpus, cmd.Start); err != nil {
		return nil, err
	}
	return &process{cmd, stdin, stdout}, nil
}

// link is the way to one child. The child ends when Close ends its input.
type link interface {
	io.ReadWriteCloser
	kill()        // ends it at once, whatever it hangs in
	wait() string // waits for its end and says how it ended
}

// process is a child at the other ends of two pipes.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Reader
}

func (p *process) Read(b []byte) (int, error)  { return p.stdout.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.stdin.Write(b) }
func (p *process) Close() error                { return p.stdin.Close() }
func (p *process) kill()                       { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// wait leaves nothing of the group: a child may have children of its own, which nobody waits for.
func (p *process) wait() string {
	// While the child is not reaped yet its number, the group's, cannot be another's.
	for unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	p.kill()
	p.cmd.Wait()
	return p.cmd.ProcessState.String()
}

// remote is a child behind a socket.
type remote struct{ *net.UnixConn }

func (r remote) Close() error { return r.CloseWrite() }
func (r remote) kill()        { r.UnixConn.Close() }

func (r remote) wait() string {
	r.UnixConn.Close()
	return "the other end closed the socket; its log is where it runs"
}

const (
	dialPatience = 20 * time.Second // before a run: a container may still be starting
	restart      = time.Second      // later on: whoever is gone then fails its cells
)

func dialSocket(ctx context.Context, path string, patience time.Duration) (link, error) {
	for deadline := time.Now().Add(patience); ; {
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
		if err == nil {
			return remote{conn}, nil
		}
		if time.Now().After(deadline) || errors.Is(err, os.ErrPermission) || sleep(ctx, 50*time.Millisecond) != nil {
			return nil, err
		}
	}
}

// parseSocket reads "unix:/ctl/serve.sock".
func parseSocket(flagName, text string) (string, error) {
	path, ok := strings.CutPrefix(text, "unix:")
	if !ok || path == "" {
		return "", fmt.Errorf("%s %q: want unix: and a path, such as unix:/ctl/serve.sock", flagName, text)
	}
	if path[0] == '@' { // it would be in the abstract namespace, where no mode keeps anybody out
		return "", fmt.Errorf("%s %q: want the path of a file, which has a mode, such as unix:/ctl/serve.sock", flagName, text)
	}
	return path, nil
}
