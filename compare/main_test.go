package main

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"wsfanout/engines"
	"wsfanout/serve"
)

// TestMain lets the test binary be the program: its children, and the whole command for tests that signal it.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "mutated" {
		os.Exit(mutated(os.Args[2]))
	}
	if len(os.Args) > 1 && os.Args[1] == "own" { // as somebody's own engine is served
		os.Exit(serve.Main(engines.New))
	}
	if len(os.Args) > 1 && os.Args[1] == "serve" && os.Getenv(slowEnv) != "" {
		if serve.Run(context.Background(), os.Stdin, os.Stdout, slowed, "") != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// command runs the program in this process and returns its exit status and output.
func command(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

func TestBadInputIsOneLineAndStatus2(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct {
		args string
		want string // the error names the valid values
	}{
		{"frobnicate", "run, tune, hold, block, echo, report, diff, doctor, list, help"},
		{"tune -frobnicate", "-detect-within"},
		{"tune -engines gorila", "gorilla, nbio, gobwas"},
		{"tune -engines nbio:keepalive=1s", "itself"},
		{"tune -detect-within 1ms", "500ms to 1h"},
		{"tune -scale 0.5", "auto, or 1 to 60"},
		{"tune -scale NaN", "auto, or 1 to 60"},
		{"tune -detect-within 30", "such as 250ms or 30s"},
		{"tune -engines gorilla:refresh=any", "chooses refresh itself"},
		{"tune -all -ping K/NaN", "K/3 or 0.9K"},
		{"tune -all -ping 1e-12K", "K/3 or 0.9K"},
		{"tune -all -ping 1ns", "10ms to 1h"},
		{"tune -scale 1000", "1 to 60"},
		{"tune -quick -all", "choose one"},
		{"tune -keepalive 1s", "add -all"},
		{"tune -all -keepalive 1ms", "200ms to 1m"},
		{"tune -all -ping L/3", "K/3 or 0.9K"},
		{"tune -all -ping K/0", "K/3 or 0.9K"},
		{"tune -clients 0", "1 to 100"},
		{"tune -trials 0", "1 to 1000"},
		{"tune now", "unexpected argument"},
		{"hold -frobnicate", "-clients"},
		{"hold -clients 1000", "at least two"},
		{"hold -clients 0,10", "1 to 1000000"},
		{"hold -clients 10,60000", "ulimit -n"},
		{"hold -clients 9000,12000 -engines nbio:iomod=mixed", "first 10000"},
		{"echo -rate 10 -for 1s", "at least 100"},
		{"block -blocking 0,1000 -hold 10s", "at most 20s"},
		{"hold -engines gorila", "gorilla, nbio, gobwas"},
		{"hold -trials 0", "1 to 1000"},
		{"block -blocking 0,-1", "0 to 1000"},
		{"block -blocking many", "whole number"},
		{"block -hold 0s", "1ms to 10s"},
		{"block -fast 0", "1 to 10000"},
		{"block -stall 2h", "0 to 1m"},
		{"block -for 1ms", "100ms to 1m"},
		{"echo -rate fast", "30%"},
		{"echo -rate 200%", "30%"},
		{"echo -rate 0", "30%"},
		{"echo -size 10", "21 to 1MiB"},
		{"echo -size huge", "size"},
		{"echo -clients 10 -outstanding 11", "1 to the 10"},
		{"echo -o main_test.go", "no results file"},
		{"echo -format pdf", "gobench"},
		{"echo -cpus server=99", "may not be used"},
		{"-frobnicate", "-engines"},
		{"-engines gorila", "gorilla, nbio, gobwas"},
		{"-engines gorilla:iomod=blocking", "iomod"},
		{"-engines nbio:iomod=sideways", "nonblocking"},
		{"-engines nbio:npoller=0", "1 to 1024"},
		{"-engines nbio:npoller=99999999999", "1 to 1024"},
		{"-engines gorilla,gorilla", "named twice"},
		{"-engines nbio:npoller=1:iomod=mixed,nbio:iomod=mixed:npoller=1", "named twice"}, // the same set-up in another order
		{"-strategies seq,seq", "named twice"},
		{"-strategies shard,shard:2 -shards 2", "are the same"},
		{"-strategies chan,chan:64:full=drop", "are the same"},
		{"-engines nbio,nbio:iomod=nonblocking", "are the same"},
		{"-interval 2562047h", "at most 1h"},
		{"-write-timeout 70m", "at most 1h"},
		{"-stuck 0 -fail-if late_clients>0", "-stuck 1"},
		{"-o main_test.go", "no results file"}, // it would be overwritten
		{"-strategies sequential", "seq, seqprep, shard, shardprep, chan"},
		{"-strategies seq:3", "gate="},
		{"-strategies shard:0", "1 to 65536"},
		{"-strategies chan:full=maybe", "drop or evict"},
		{"-engines gorilla:pendingcap=1MiB", "pendingcap"},
		{"-engines nbio:pendingcap=100", "1028"}, // below one frame: 1024 B and 4 B of header
		{"-clients 0", "1 to"},
		{"-clients 1000,0", "1 to"},
		{"-clients 1000,many", "whole number"},
		{"-clients 1000,1000", "named twice"},
		{"-size 128,1KiB,128B", "named twice"},
		{"-size 128,20", "21 to"},
		{"-size 1KiB,", "size"},
		{"-clients 10,20,30,40 -size 100,200,300,400", "16 matrices, at most 12"},
		{"-clients 1000,60000", "ulimit -n"},
		{"-engines nbio:pendingcap=2KiB -size 128,16KiB", "pendingcap"}, // below a frame of the largest
		{"-engines gorilla:level=5", "level"},                           // of what? nothing is compressed
		{"-engines gorilla:level=0 -compress", "1 to 9"},
		{"-slo 0s", "such as 100ms"},
		{"-slo fast", "slo"},
		{"-project 50000", "-clients 1000,5000"},
		{"-project 0 -clients 100,200", "a number of clients"},
		{"-project 2001 -clients 100,200", "ten times the largest measured number, 2000"},
		{"-inbound 0", "at most 100 for each client"},
		{"-inbound 1000000 -clients 1000", "at most 100 for each client"},
		{"-inbound NaN", "messages per second"},
		{"-inbound-size 64", "-inbound RATE"},
		{"-inbound 10 -inbound-size 5", "6 to 65536"},
		{"-inbound 10 -inbound-size 1MiB", "6 to 65536"},
		{"-tls -resume 1500ms", "-jam natural"},
		{"-fail-if gorilla/seq@300:late_clients>0 -clients 100,200 -strategies seq", "gorilla/seq@200"},
		{"-fail-if gorilla/seq@100:late_clients>0 -clients 100 -strategies seq", "want gorilla/seq"},
		{"-clients -5", "1 to"},
		{"-rounds 0", "1 to"},
		{"-trials 0", "1 to"},
		{"-warmup -1", "0 to"},
		{"-shards 0", "1 to"},
		{"-interval 0s", "positive"},
		{"-interval soon", "interval"},
		{"-write-timeout -1s", "positive"},
		{"-size 20", "21 to"},
		{"-size 1GiB", "21 to"},
		{"-size huge", "size"},
		{"-order random", "fixed or map"},
		{"-progress maybe", "auto or off"},
		{"-stuck -1", "0 to 1000"},
		{"-stuck-at nowhere", "first or middle or last or random"},
		{"-stuck-buffers huge", "small or default"},
		{"-jam maybe", "fill or natural"},
		{"-slow-rate 1KiB", "-slow N"},
		{"-slow 1 -slow-rate 0", "1 to"},
		{"-resume 1s -stuck 0", "-stuck 1"},
		{"-resume 1h", "want less"},
		{"-resume 0s", "positive"},
		{"-engines nbio:keepalive=1s", "ping=333"},              // every client would be closed: they only receive
		{"-engines gorilla:keepalive=9s:ping=9s", "at most 3s"}, // a ping that never comes in time
		{"-quick -reference", "choose one"},
		{"-budget 1m -trials 3", "not both"},
		{"-budget 0s", "positive"},
		{"-clients 60000", "ulimit -n"}, // an explicit number above the limits
		{"-o " + dir, dir},
		{"-o /nonexistent/r.json", "/nonexistent/r.json"},
		{"-format html5", "text, markdown, csv, gobench"},
		{"-fail-if late_clients", "METRIC(>|<)[+-]N[%]"},
		{"-fail-if latency>1", "last_client, vs_bare"},
		{"-fail-if last_client>soon", "200ms"},
		{"-fail-if bytes_per_client>16KiBB", "16KiB"},
		{"-fail-if late_clients>1s", "want a number"},
		{"-fail-if last_client>10%", "last_client>+10%"},
		{"-fail-if nbio:late_clients>0", "nbio/shard"},
		{"-fail-if nbio/sharp:late_clients>0", "seq, seqprep, shard"},
		{"-fail-if nbio/chan:late_clients>0 -strategies seq", "want gorilla/seq, nbio/seq"},
		{"-fail-if last_client>+10%", "add -baseline FILE"},
		{"-fail-if last_client>+10% -baseline /nonexistent.json", "/nonexistent.json"},
		{"-fail-if reach<1 -baseline /nonexistent.json", "'vs_bare>+10%'"},
		{"-cpus server", "server=LIST,fleet=LIST"},
		{"-cpus server=0,server=0", "named twice"},
		{"-cpus client=0", "server=LIST,fleet=LIST"},
		{"-cpus server=1-0", "no list of CPUs"},
		{"-cpus server=4095", "CPU 4095 may not be used here"},
		{"-cpus server=", "such as server=0,fleet=1"},
		{"diff", "the old and the new one, got 0"},
		{"diff a.json", "got 1"},
		{"diff a.json /nonexistent.json", "a.json"},
		{"diff -frobnicate a b", "-force"},
		{"report -format nothing r.json", "text, markdown, csv, gobench"},
		{"report -fail-if x>0 r.json", "last_client, vs_bare"},
		{"gorilla", "want run"},
		{"-quick stray", "stray"},
		{"report", "which results file"},
		{"report /nonexistent.json", "/nonexistent.json"},
		{"report a.json b.json", "only -html"},
		{"help frobnicate", "run, tune"},
		{"doctor now", "no arguments"},
		{"list all", "no arguments"},
	} {
		t.Run(row.args, func(t *testing.T) {
			status, stdout, stderr := command(t, strings.Fields(row.args)...)
			if status != exitUsage {
				t.Errorf("status %d, want %d", status, exitUsage)
			}
			if stdout != "" {
				t.Errorf("stdout: %q, want nothing", stdout)
			}
			if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.want) {
				t.Errorf("stderr: %q, want one line with %q", stderr, row.want)
			}
		})
	}
}

func TestHelpListDoctor(t *testing.T) {
	for _, row := range []struct {
		args string
		want []string
	}{
		{"help", []string{"usage: compare", "doctor", "-quick"}},
		{"help run", []string{"-engines", "-write-timeout", "-budget"}},
		{"-h", []string{"-engines", "-strategies"}},
		{"help report", []string{"-wide", "-format", "-fail-if", "-baseline"}},
		{"help diff", []string{"-force", "OLD NEW"}},
		{"list", []string{"gorilla", "nbio", "pendingcap", "seqprep", "chan:N", "full=drop|evict"}},
		{"doctor", []string{"open files", "ports", "allows"}},
	} {
		status, stdout, stderr := command(t, strings.Fields(row.args)...)
		if status != exitOK || stderr != "" {
			t.Errorf("%s: status %d, stderr %q", row.args, status, stderr)
		}
		for _, want := range row.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in\n%s", row.args, want, stdout)
			}
		}
	}
}
