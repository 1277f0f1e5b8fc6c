package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"wsfanout/compare/result"
)

// gateFile is a run of two cells: last clients around 100 ms times slow, late late clients in the last trial.
func gateFile(trials int, slow float64, late int) *result.File {
	f := &result.File{
		Schema: result.Schema, Complete: true, Plan: result.Plan{Clients: 1000, Trials: trials, Stuck: 1},
		Host: result.Host{CPUModel: "some CPU", CPUs: 2},
	}
	for _, engine := range []string{"gorilla", "nbio"} {
		c := result.Cell{Engine: engine, Strategy: "shard", Clients: 1000}
		for i := range trials {
			n := 0
			if i == trials-1 {
				n = late
			}
			ms := int64(slow * float64(98+i) * 1e6)
			c.Trials = append(c.Trials, result.Trial{
				Trial: i + 1,
				Healthy: &result.Phase{
					Expected: 1000, Received: 1000, LastClient: &result.Last{Median: ms, Worst: ms},
					VsBare: &result.VsBare{Median: slow * (1 + float64(i)/100), Pairs: 8},
					Server: result.Server{BytesPerClient: 12 * 1024},
				},
				Stuck: &result.Phase{Expected: 1000, Received: 1000 - int64(n)/2, Owed: int64(n) / 2, Jam: &result.Jam{Jammed: true},
					Blast: &result.Blast{LateClients: &n, Resolvable: true}},
			})
		}
		f.Cells = append(f.Cells, c)
	}
	f.Summarize()
	return f
}

func judged(t *testing.T, text string, f, base *result.File) string {
	t.Helper()
	g, err := parseGate(text)
	if err != nil {
		t.Fatal(err)
	}
	o := output{gates: []gate{g}, base: base}
	if err := o.admit(f); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var out bytes.Buffer
	o.judge(f, &out)
	return out.String()
}

func TestEachFormOfGate(t *testing.T) {
	for _, row := range []struct {
		why, gate  string
		slow, base float64
		late       int
		want       []string // in the message; nil: the gate passes
	}{
		{"a count, every cell", "late_clients>0", 1, 0, 2, []string{"gorilla/shard", "nbio/shard", "late_clients", "the worst of 6 trials 2, bound 0"}},
		{"a count that is not reached", "late_clients>2", 1, 0, 2, nil},
		{"one cell", "nbio/shard: late_clients>0", 1, 0, 2, []string{"nbio/shard: late_clients"}},
		{"reach: the worst trial, not the median", "reach<1", 1, 0, 2, []string{"the worst of 6 trials 0.9995, bound 1"}},
		{"reach in percent", "reach<99%", 1, 0, 2, nil},
		{"false kills", "false_kills>0", 1, 0, 2, nil},
		{"a duration", "last_client>90ms", 1, 0, 0, []string{"the median of 6 trials 100 ms, bound 90.0 ms"}},
		{"nanoseconds, the file's unit", "last_client>200000000", 1, 0, 0, nil},
		{"a size", "bytes_per_client>11KiB", 1, 0, 0, []string{"12 KiB", "11 KiB"}},
		{"relative, beyond the bound", "last_client>+10%", 1.2, 1, 0, []string{"changed by at least +14.2 %, bound +10.0 %", "median 121 ms, baseline 100 ms"}},
		{"relative, the near bound of the interval is within", "last_client>+15%", 1.2, 1, 0, nil},
		{"relative, downwards", "vs_bare<-10%", 0.8, 1, 0, []string{"changed by at least -16.0 %, bound -10.0 %"}},
		{"relative, faster is no failure", "vs_bare>+10%", 0.8, 1, 0, nil},
		{"an absolute difference to the baseline", "last_client>+5ms", 1.2, 1, 0, []string{"changed by at least 14.6 ms, bound 5.00 ms"}},
		{"a count against the baseline", "late_clients>+0", 1, 1, 3, []string{"the worst of 6 trials 3, bound 0, baseline 0"}},
		{"spaces", "  nbio/shard :  vs_bare  >  2 ", 1, 0, 0, nil},
	} {
		var base *result.File
		if row.base != 0 {
			base = gateFile(6, row.base, 0)
		}
		got := judged(t, row.gate, gateFile(6, row.slow, row.late), base)
		if row.want == nil && got != "" {
			t.Errorf("%s: %s: %s", row.why, row.gate, got)
		}
		for _, want := range row.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s: no %q in %q", row.why, row.gate, want, got)
			}
		}
		if strings.Contains(row.gate, "nbio") && strings.Contains(got, "gorilla") {
			t.Errorf("%s: another cell: %s", row.why, got)
		}
	}
}

// What is not measured does not pass.
func TestAGateOnWhatWasNotMeasuredFails(t *testing.T) {
	for _, row := range []struct {
		gate, want string
		change     func(*result.Trial)
	}{
		{"late_clients>5", "not measured in 1 of 6 trials: late clients are not resolvable", func(t *result.Trial) {
			t.Stuck.Blast.LateClients, t.Stuck.Blast.Resolvable = nil, false
		}},
		{"late_clients>5", "not measured in 1 of 6 trials: the stuck client never jammed", func(t *result.Trial) { t.Stuck.Jam.Jammed = false }},
		{"reach<0.5", "not measured in 1 of 6 trials: a trial failed", func(t *result.Trial) { t.Error = "ended" }},
	} {
		f := gateFile(6, 1, 0)
		row.change(&f.Cells[0].Trials[3])
		if got := judged(t, row.gate, f, nil); !strings.Contains(got, row.want) || strings.Contains(got, "nbio") {
			t.Errorf("%s: %q, want %q", row.gate, got, row.want)
		}
	}
	f := gateFile(6, 1, 0)
	for i := range f.Cells[0].Trials {
		f.Cells[0].Trials[i].Healthy.VsBare = nil
	}
	if got := judged(t, "vs_bare>9", f, nil); !strings.Contains(got, "gorilla/shard: vs_bare: not measured") {
		t.Errorf("%q", got)
	}
	if got := judged(t, "vs_bare>+900%", f, gateFile(6, 1, 0)); !strings.Contains(got, "not measured") {
		t.Errorf("%q", got)
	}
}

func TestAGateThatCannotJudgeIsRefused(t *testing.T) {
	for _, row := range []struct {
		gate, want string
		base       *result.File
		change     func(base *result.File)
	}{
		{"vs_bare>+10%", "another plan: clients 10 -> 1000", gateFile(6, 1, 0), func(f *result.File) { f.Plan.Clients = 10 }},
		{"last_client>+10%", "another host (cpus 8 -> 2)", gateFile(6, 1, 0), func(f *result.File) { f.Host.CPUs = 8 }},
		{"vs_bare>+10%", "", gateFile(6, 1, 0), func(f *result.File) { f.Host.CPUs = 8 }}, // what vs_bare is for
		{"vs_bare>+10%", "want 6 or more", gateFile(5, 1, 0), nil},
		{"nbio/shard:vs_bare>+10%", "no cell nbio/shard", gateFile(6, 1, 0), func(f *result.File) { f.Cells = f.Cells[:1] }},
		{"gorilla/shard:vs_bare>+10%", "", gateFile(6, 1, 0), func(f *result.File) { f.Cells = f.Cells[:1] }},
	} {
		g, err := parseGate(row.gate)
		if err != nil {
			t.Fatal(err)
		}
		if row.change != nil {
			row.change(row.base)
		}
		o := output{gates: []gate{g}, base: row.base}
		err = o.admit(gateFile(6, 1, 0))
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.gate, err, row.want)
		}
	}
}

// A bound within what the clocks leave open was not measured well enough, whichever side the value is on.
func TestAGateWithinTheDoubtOfTheClocksFails(t *testing.T) {
	f := gateFile(6, 1, 0) // medians of 100.5 ms
	for i := range f.Cells[0].Trials {
		f.Cells[0].Trials[i].Clock = &result.Clock{UncertaintyNs: 2e6}
	}
	for gate, want := range map[string]string{
		"last_client>102ms": "not measured well enough", "last_client<99ms": "not measured well enough", "last_client>104ms": "", "reach<1": "",
		"last_client>90ms": "bound 90.0 ms",
	} {
		got := judged(t, "gorilla/shard: "+gate, f, nil)
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", gate, got, want)
		}
	}
}

func write(t *testing.T, name string, f *result.File) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := result.Write(path, f); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestGateStatusOfReport(t *testing.T) {
	base, late := write(t, "base.json", gateFile(6, 1, 0)), write(t, "late.json", gateFile(6, 1.2, 4))
	for _, row := range []struct {
		args   []string
		status int
		stderr string
	}{
		{[]string{late, "-fail-if", "nbio/shard: late_clients>0"}, exitGate, "compare: 1 of 1 gates failed"},
		{[]string{"-fail-if", "late_clients>4", "-fail-if", "vs_bare>+5%", "-baseline", base, late}, exitGate, "compare: 1 of 2 gates failed"},
		{[]string{"-fail-if", "late_clients>4", late}, exitOK, ""},
		{[]string{"-fail-if", "gorilla/seq: late_clients>4", late}, exitUsage, "want gorilla/shard, nbio/shard"},
	} {
		status, stdout, stderr := command(t, append([]string{"report"}, row.args...)...)
		if status != row.status || !strings.Contains(stderr, row.stderr) {
			t.Errorf("%v: status %d, %q", row.args, status, stderr)
		}
		if (stdout == "") != (status == exitUsage) {
			t.Errorf("%v: status %d with stdout %q", row.args, status, stdout)
		}
	}
}

func TestDiffVerb(t *testing.T) {
	other := gateFile(6, 1.2, 0)
	other.Plan.Clients, other.Host.CPUs = 500, 8
	paths := []string{write(t, "a.json", gateFile(6, 1, 0)), write(t, "b.json", gateFile(6, 1.2, 0)), write(t, "c.json", other)}
	status, stdout, stderr := command(t, "diff", paths[0], paths[1])
	if status != exitOK || stderr != "" || !strings.Contains(stdout, "gorilla shard is slower: vs bare loop 1.02 -> 1.23, +20 %") {
		t.Errorf("status %d %q\n%s", status, stderr, stdout)
	}
	status, stdout, stderr = command(t, "diff", paths[0], paths[2])
	if status != exitUsage || stdout != "" || !strings.Contains(stderr, "clients 1000 -> 500, cpus 2 -> 8; -force") {
		t.Errorf("status %d %q\n%s", status, stderr, stdout)
	}
	status, stdout, _ = command(t, "diff", paths[0], paths[2], "-force")
	if status != exitOK || !strings.Contains(stdout, "other plans: clients 1000 -> 500") || !strings.Contains(stdout, "other hosts: cpus 2 -> 8") {
		t.Errorf("status %d\n%s", status, stdout)
	}
}

// A name may stand for another program in each run.
func TestDiffOfOtherPrograms(t *testing.T) {
	before, after := gateFile(6, 1, 0), gateFile(6, 1, 0)
	before.Cells[1].Options, after.Cells[1].Options = map[string]string{"exec": "./a"}, map[string]string{"exec": "./b"}
	status, _, stderr := command(t, "diff", write(t, "a.json", before), write(t, "b.json", after))
	if status != exitUsage || !strings.Contains(stderr, "program of nbio/shard ./a -> ./b") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

func TestGobenchFormatOfReport(t *testing.T) {
	path := write(t, "a.json", gateFile(6, 1, 0))
	status, stdout, stderr := command(t, "report", "-format", "gobench", path)
	if status != exitOK || stderr != "" || strings.Count(stdout, "\nBenchmarkFanout/engine=nbio/strategy=shard/clients=1000-") != 6 {
		t.Errorf("status %d %q\n%s", status, stderr, stdout)
	}
}
