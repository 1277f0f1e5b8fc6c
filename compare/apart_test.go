package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/compare/result"
)

// halfCommand is a shell command that leads to a half, with before in front of it.
func halfCommand(t *testing.T, before, verb string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return before + exe + " " + verb
}

// marker puts a mark into the environment of every process that this test starts from here on, and checks at the end that none is
// left, grandchildren included.
func marker(t *testing.T) (marked func(verb string) []int) {
	t.Helper()
	mark := fmt.Sprintf("WSFANOUT_MARK=%s-%d", t.Name(), os.Getpid())
	t.Setenv("WSFANOUT_MARK", strings.TrimPrefix(mark, "WSFANOUT_MARK="))
	marked = func(verb string) (pids []int) {
		paths, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range paths {
			env, _ := os.ReadFile(path)
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			if strings.Contains(string(env), mark) && strings.Contains(string(line), verb) {
				var pid int
				fmt.Sscan(filepath.Base(filepath.Dir(path)), &pid)
				pids = append(pids, pid)
			}
		}
		return pids
	}
	t.Cleanup(func() {
		deadline := time.Now().Add(10 * time.Second) // one that was not this process's child is reaped by another
		for len(marked("")) > 0 && time.Now().Before(deadline) {
			time.Sleep(20 * time.Millisecond)
		}
		if left := marked(""); len(left) > 0 {
			t.Errorf("processes left behind: %v", left)
		}
	})
	return marked
}

// apartCell measures one cell; more are flags, which may hold spaces.
func apartCell(t *testing.T, say func(string), more ...string) result.Trial {
	t.Helper()
	c, err := parseRun(append(strings.Fields(small), more...), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if say == nil {
		say = func(string) {}
	}
	return runTrial(t.Context(), c, cell{engine: c.engines[0], strategy: c.strategies[0]}, 1, say)
}

// TestTwoFleetsShareTheClients by commands: the samples are those of one fleet.
func TestTwoFleetsShareTheClients(t *testing.T) {
	marker(t)
	fleet := halfCommand(t, "exec ", "fleet")
	trial := apartCell(t, nil, "-engines", "gorilla", "-strategies", "seq",
		"-server-cmd", halfCommand(t, "true && ", "serve"), "-fleet-cmd", fleet, "-fleet-cmd", fleet)
	if trial.Error != "" {
		t.Fatal(trial.Error)
	}
	checkHealthy(t, trial)
	checkEveryClient(t, trial, 200)
}

// The certificate is for the address that the fleets see, whichever it is.
func TestTLSAtAnotherAddress(t *testing.T) {
	trial := apartCell(t, nil, "-engines", "gorilla", "-strategies", "seq", "-tls", "-listen", "127.0.0.2:0")
	if trial.Error != "" || trial.Healthy.Received != trial.Healthy.Expected {
		t.Errorf("%q", trial.Error)
	}
}

// checkEveryClient wants one point for each number.
func checkEveryClient(t *testing.T, trial result.Trial, clients int) {
	t.Helper()
	seen := map[int]bool{}
	for _, p := range trial.Healthy.Positions {
		seen[int(p[0])] = true
	}
	if len(seen) != clients || !seen[0] || !seen[clients-1] {
		t.Errorf("%d clients with a latency, want the numbers 0 to %d", len(seen), clients-1)
	}
}

func TestShareCoversEveryClientOnce(t *testing.T) {
	plan := clientfleet.Plan{
		Numbers: []clientfleet.Range{{From: 0, To: 5}, {From: 7, To: 20}}, Extras: []clientfleet.Extra{{Number: 5}, {Number: 6}},
		Inbound: &clientfleet.Inbound{PerSecond: 90},
	}
	for _, n := range []int{1, 2, 3, 7, 40} {
		times, rate, extras := map[int]int{}, 0.0, 0
		for i := range n {
			p := share(plan, i, n)
			for _, r := range p.Numbers {
				for number := r.From; number < r.To; number++ {
					times[number]++
				}
			}
			rate += p.Inbound.PerSecond
			extras += len(p.Extras)
		}
		for number := range 20 {
			want := 1
			if number == 5 || number == 6 {
				want = 0
			}
			if times[number] != want {
				t.Errorf("%d fleets: client %d is connected %d times", n, number, times[number])
			}
		}
		if rate < 89.9 || rate > 90.1 || extras != 2 {
			t.Errorf("%d fleets: %v messages a second, %d extras, want 90 and 2", n, rate, extras)
		}
	}
}

// startControl starts a half that waits on a socket, and stops it at the end.
func startControl(t *testing.T, verb, path string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, verb, "-control", "unix:"+path)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s -control: %v", verb, err)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is left behind", path)
		}
	})
	l, err := dialSocket(t.Context(), path, dialPatience) // a half that is asked nothing ends with its input
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	l.wait()
}

// TestHalvesBehindSockets is what containers that share a volume do.
func TestHalvesBehindSockets(t *testing.T) {
	marker(t)
	dir := t.TempDir()
	server, fleet := filepath.Join(dir, "serve.sock"), filepath.Join(dir, "fleet.sock")
	old, err := net.ListenUnix("unix", &net.UnixAddr{Name: server, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	old.SetUnlinkOnClose(false)
	old.Close() // a container that was killed leaves its socket
	startControl(t, "serve", server)
	startControl(t, "fleet", fleet)
	for _, path := range []string{server, fleet} {
		if info, err := os.Stat(path); err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, want mode 0600", path, info.Mode())
		}
	}
	status, _, stderr := command(t, "serve", "-control", "unix:"+server)
	if status == exitOK || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "somebody listens") {
		t.Errorf("a busy socket: status %d, %q", status, stderr)
	}
	trial := apartCell(t, nil, "-engines", "gorilla", "-strategies", "seq", "-server", "unix:"+server, "-fleet", "unix:"+fleet)
	if trial.Error != "" {
		t.Fatal(trial.Error)
	}
	checkHealthy(t, trial)
}

// A file that is no socket is somebody's: it stays.
func TestControlReplacesOnlySockets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := command(t, "fleet", "-control", "unix:"+path); status == exitOK {
		t.Error("a file in the way was no error")
	}
	if text, _ := os.ReadFile(path); string(text) != "mine" {
		t.Errorf("the file is %q now", text)
	}
}

// TestADeadCarrierFailsItsCellByName in the middle of a cell; the next one is measured.
func TestADeadCarrierFailsItsCellByName(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "serve.sock")
	for _, row := range []struct {
		why, verb string
		flags     []string
		want      string
	}{
		{"the server's command", "serve", []string{"-server-cmd", halfCommand(t, "exec ", "serve")}, "the server (exec "},
		{"a fleet's command", "fleet", []string{"-fleet-cmd", halfCommand(t, "exec ", "fleet"), "-fleet-cmd", halfCommand(t, "exec ", "fleet")}, "the fleet "},
		{"the server behind a socket", "serve\x00-engine", []string{"-server", "unix:" + socket}, "the server (unix:" + socket},
	} {
		t.Run(row.why, func(t *testing.T) {
			marked := marker(t)
			if row.verb == "serve\x00-engine" {
				startControl(t, "serve", socket)
			}
			file := runWithHook(t, func(cell, phase string) {
				if cell == "gorilla/seq" && phase == "healthy" {
					syscall.Kill(marked(row.verb)[0], syscall.SIGKILL)
				}
			}, row.flags...)
			if err := file.Cells[0].Trials[0].Error; !strings.Contains(err, row.want) {
				t.Errorf("the first cell: %q, want %q", err, row.want)
			}
			if second := file.Cells[1].Trials[0]; second.Error != "" || second.Healthy.Received != second.Healthy.Expected {
				t.Errorf("the second cell: %q", second.Error)
			}
		})
	}
}

// runWithHook is a whole run of which one cell fails; the hook hears every phase of every cell.
func runWithHook(t *testing.T, hook func(cell, phase string), flags ...string) *result.File {
	t.Helper()
	c, err := parseRun(append(strings.Fields("-clients 100 -interval 20ms -rounds 3 -warmup 0 -stuck 0 -engines gorilla -strategies seq,chan -trials 1"),
		flags...), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	x := newExperiment(c, result.Host{}, newScreen(io.Discard, "off"))
	x.measure = func(ctx context.Context, k cell, trial int) result.Trial {
		return runTrial(ctx, c, k, trial, func(phase string) { hook(k.String(), phase) })
	}
	err = x.run(t.Context())
	if status, err := x.status(err); status != exitFailed {
		t.Errorf("status %d (%v), want %d", status, err, exitFailed)
	}
	return x.file
}

// TestDefaultsFollowTheServersCPUs wherever it is.
func TestDefaultsFollowTheServersCPUs(t *testing.T) {
	marker(t)
	own := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(own)
	out := filepath.Join(t.TempDir(), "r.json")
	status, _, stderr := command(t, "-clients", "10", "-interval", "20ms", "-rounds", "2", "-warmup", "0", "-stuck", "0", "-engines", "gobwas,gorilla",
		"-strategies", "shard", "-trials", "1", "-o", out, "-server-cmd", halfCommand(t, "GOMAXPROCS=5 exec ", "serve"))
	if status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	file, err := result.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if file.Plan.Shards != 5 || file.Plan.GOMAXPROCS != 5 || file.Host.CPUs == 0 {
		t.Errorf("shards %d, GOMAXPROCS %d, %d CPUs: want 5, 5 and the server's", file.Plan.Shards, file.Plan.GOMAXPROCS, file.Host.CPUs)
	}
}

// TestACarrierThatLeadsNowhere is found out before the run, with what it said.
func TestACarrierThatLeadsNowhere(t *testing.T) {
	marker(t)
	for _, row := range []struct{ flag, carrier, want string }{
		{"-server-cmd", "echo no such host >&2; exit 255", "its log ends: no such host"},
		{"-server-cmd", "echo hello", "not a message"},
		{"-server-cmd", halfCommand(t, "exec ", "fleet"), "is it `compare serve`?"},
		{"-fleet-cmd", "echo no such host >&2; exit 255", "its log ends: no such host"},
		{"-fleet-cmd", halfCommand(t, "exec ", "serve"), "is it `compare fleet`?"},
	} {
		status, stdout, stderr := command(t, "-clients", "10", row.flag, row.carrier)
		if status != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.want) {
			t.Errorf("%s %s: status %d, %q, want %d and one line with %q", row.flag, row.carrier, status, stderr, exitUsage, row.want)
		}
	}
}

// A program that does not say what it runs on can be measured all the same: the results then name this machine, and say so.
func TestAServerThatDoesNotTellItsHost(t *testing.T) {
	marker(t)
	c, err := parseRun([]string{"-server-cmd", `read request; echo '{"error":"unknown request"}'`}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	host, err := c.serverHost(t.Context())
	if err != nil || host.CPUs != runtime.NumCPU() || len(c.warnings) != 1 || !strings.Contains(c.warnings[0], "unknown request") {
		t.Errorf("%+v, %v, warnings %q", host, err, c.warnings)
	}
	c.apart.server.command, c.warnings = `read request; echo '{"reply":"host","body":{"gomaxprocs":1}}'; cat >/dev/null`, nil
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	if host, err := c.serverHost(t.Context()); err != nil || host.CPUs != runtime.NumCPU() || len(c.warnings) != 1 {
		t.Errorf("without a machine: %+v, %v, warnings %q", host, err, c.warnings)
	}
}

// A carrier that takes nothing from its pipe must not hold the run: a request has a time limit from its first byte.
func TestARequestThatNobodyTakesHasALimit(t *testing.T) {
	marker(t)
	c, err := startChild("server", "serve", carrier{command: "exec sleep 60"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errSlow)
	defer cancel()
	if _, err := c.ask(ctx, "start", strings.Repeat("x", 1<<20), nil); err == nil || !strings.Contains(err.Error(), errSlow.Error()) {
		t.Errorf("%v, want %v", err, errSlow)
	}
	c.link.kill()
	c.end()
}

func TestBadCarriersAreOneLineAndStatus2(t *testing.T) {
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"-server", "tcp:10.0.0.5:80"}, "want unix: and a path"},
		{[]string{"-fleet", "unix:"}, "want unix: and a path"},
		{[]string{"-fleet", "unix:@fleet"}, "which has a mode"},
		{[]string{"serve", "-control", "unix:@serve"}, "which has a mode"},
		{[]string{"-server-cmd", " "}, "want a command"},
		{[]string{"-fleet-cmd", ""}, "want a command"},
		{[]string{"-server", "unix:/x", "-server-cmd", "y"}, "give one"},
		{[]string{"-listen", "0.0.0.0:0"}, "as the fleets see it"},
		{[]string{"-listen", "[::]:0"}, "as the fleets see it"},
		{[]string{"-listen", ":80"}, "as the fleets see it"},
		{[]string{"-listen", "10.0.0.5"}, "such as 10.0.0.5:0"},
		{[]string{"-listen", "10.0.0.5:70000"}, "such as 10.0.0.5:0"},
		{[]string{"-cpus", "server=0", "-server-cmd", "y"}, "cannot reach"},
		{[]string{"-cpus", "fleet=0", "-fleet", "unix:/x"}, "cannot reach"},
		{[]string{"serve", "-control", "/ctl/serve.sock"}, "such as unix:/ctl/serve.sock"},
		{[]string{"fleet", "-control"}, "needs an argument"},
		{[]string{"fleet", "-engine", "gorilla"}, "-control"},
		{[]string{"serve", "now"}, "no arguments"},
	} {
		status, stdout, stderr := command(t, row.args...)
		if status != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.want) {
			t.Errorf("%q: status %d, stdout %q, stderr %q: want %d and one line with %q", row.args, status, stdout, stderr, exitUsage, row.want)
		}
	}
}
