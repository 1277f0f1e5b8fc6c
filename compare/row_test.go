package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wsfanout/compare/result"
)

// rowsOf measures one cell for each row and returns the cells by engine.
func rowsOf(t *testing.T, want int, rows string, args ...string) map[string]*result.Cell {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.json")
	all := append(strings.Fields("-clients 60 -interval 25ms -rounds 4 -warmup 1 -trials 1 -strategies seq -write-timeout 300ms -progress off -o "+path), "-engines", rows)
	status, _, stderr := command(t, append(all, args...)...)
	if status != want {
		t.Fatalf("status %d, want %d: %s", status, want, stderr)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("processes left behind: %v", left)
	}
	f, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string]*result.Cell{}
	for i := range f.Cells {
		cells[f.Cells[i].Engine] = &f.Cells[i]
	}
	return cells
}

// wantMeasured checks a cell's one trial: everything arrived, and the accounts add up.
func wantMeasured(t *testing.T, c *result.Cell) *result.Trial {
	t.Helper()
	trial := &c.Trials[0]
	if trial.Error != "" {
		t.Fatalf("%s: %s", c.Engine, trial.Error)
	}
	p := trial.Healthy
	if err := p.Check(); err != nil || p.Received != 240 || p.Server.CPUNsPerDelivery <= 0 || p.Server.BytesPerClient <= 0 {
		t.Errorf("%s: received %d of 240, %v, costs %+v", c.Engine, p.Received, err, p.Server)
	}
	if !trial.Clock.Shared {
		t.Errorf("%s: the clock of a program of this host is held for another", c.Engine)
	}
	return trial
}

// Two versions of this program in one run: the other is a program like any.
func TestAnotherVersionIsARow(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := binary + " serve -engine gorilla"
	cells := rowsOf(t, exitOK, "gorilla,old=exec:"+command, "-stuck", "1", "-fail-if", "old/seq: reach<1")
	for _, c := range cells {
		if trial := wantMeasured(t, c); trial.Healthy.VsBare == nil || !trial.Stuck.Jam.Jammed {
			t.Errorf("%s: pairs %v, jam %+v", c.Engine, trial.Healthy.VsBare, trial.Stuck.Jam)
		}
	}
	old, own := cells["old"], cells["gorilla"]
	if old.Options["exec"] != command || !strings.Contains(old.Footnotes[0], command) {
		t.Errorf("options %v, footnotes %q", old.Options, old.Footnotes)
	}
	if len(old.Footnotes) != 1+len(own.Footnotes) {
		t.Errorf("footnotes %q, want what gorilla says behind the command", old.Footnotes)
	}
}

func TestProgramsThatFailFailTheirCells(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cells := rowsOf(t, exitFailed, "gorilla,which=exec:"+binary+" serve,absent=exec:/nonexistent/server,garbage=exec:echo hello; cat >/dev/null,gone=exec:exit 3,"+
		`mute=exec:read line; echo '{"reply":"start"}'; cat >/dev/null`, "-stuck", "0")
	wantMeasured(t, cells["gorilla"])
	for engine, want := range map[string]string{
		"absent": "/nonexistent/server", "garbage": "not a message", "gone": "exit status 3", "mute": "listens on", "which": "serve -engine gorilla",
	} {
		c := cells[engine]
		if trial := c.Trials[0]; !strings.Contains(trial.Error, want) || trial.Healthy != nil {
			t.Errorf("%s: %q, want an error with %q and no figures", engine, trial.Error, want)
		}
	}
}

func TestBadRowsAreOneLineAndStatus2(t *testing.T) {
	for _, row := range []struct {
		args string
		want string
	}{
		{"-engines gorilla=exec:./x", "another name"},
		{"-engines a/b=exec:./x", "letters, digits and dashes"},
		{"-engines =exec:./x", "letters, digits and dashes"},
		{"-engines a=exec:", "such as a=exec:./my-server"},
		{"-engines a=exec:./x,b", "a comma ends a command"},
		{"-engines a=exec:./x,a=exec:./y", "named twice"},
		{"-engines a=exec:./x -server-cmd ./y", "leave one of them out"},
		{"-engines a=exec:./x -fail-if b/seq:reach<1 -strategies seq", "want a/seq"},
		{"tune -engines a=exec:./x", "compare run"},
	} {
		status, stdout, stderr := command(t, strings.Fields(row.args)...)
		if status != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.want) {
			t.Errorf("%s: status %d, %q, want one line with %q", row.args, status, stderr, row.want)
		}
	}
}

// The hint about commas stands where a comma may be the reason.
func TestHintAboutCommas(t *testing.T) {
	for _, list := range []string{"a=exec:", "gorila,a=exec:./x", "a=exec:./x,a=exec:./y"} {
		if _, err := parseRows(list); err == nil || strings.Contains(err.Error(), "a comma ends") {
			t.Errorf("%s: %v", list, err)
		}
	}
}

func TestListAndHelpNameThem(t *testing.T) {
	for _, args := range []string{"list", "help run"} {
		if _, stdout, _ := command(t, strings.Fields(args)...); !strings.Contains(stdout, "NAME=exec:") || !strings.Contains(stdout, "docs/protocol.md") {
			t.Errorf("%s does not mention programs as rows", args)
		}
	}
}

func TestTheGoExampleIsARow(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "gws")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "wsfanout/examples/gws").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := rowsOf(t, exitOK, "gws=exec:"+binary, "-stuck", "1")["gws"]
	trial := wantMeasured(t, c)
	if trial.Healthy.VsBare == nil || !trial.Stuck.Jam.Jammed || trial.Stuck.Jam.Clients[0].EvictedBy != "write timeout" {
		t.Errorf("pairs %v, jam %+v", trial.Healthy.VsBare, trial.Stuck.Jam)
	}
	if len(c.Footnotes) < 2 || !strings.Contains(c.Footnotes[1], "lxzan/gws") {
		t.Errorf("footnotes %q", c.Footnotes)
	}
}

// The server in another language knows nothing but docs/protocol.md.
func TestTheNodeExampleIsARow(t *testing.T) {
	const path = "/usr/share/nodejs" // Debian's
	check := exec.Command("node", "-e", `require("ws")`)
	check.Env = append(os.Environ(), "NODE_PATH="+path)
	if err := check.Run(); err != nil {
		t.Skipf("no Node with ws here (apt-get install nodejs node-ws): %v", err)
	}
	c := rowsOf(t, exitOK, fmt.Sprintf("node=exec:NODE_PATH=%s exec node ../examples/node/server.js", path), "-stuck", "1")["node"]
	trial := wantMeasured(t, c)
	if trial.Healthy.VsBare != nil && trial.Healthy.VsBare.Pairs > 0 || len(trial.Warnings) != 1 || !strings.Contains(trial.Warnings[0], "Node has no way") {
		t.Errorf("pairs %+v, warnings %q; want bare rounds declined, and no other complaint", trial.Healthy.VsBare, trial.Warnings)
	}
	if jam := trial.Stuck.Jam; !jam.Jammed || jam.Clients[0].EvictedBy != "write timeout" {
		t.Errorf("jam %+v", jam)
	}
	if r := trial.Recovery; r == nil || *r != (result.Recovery{}) {
		t.Errorf("recovery %+v", r)
	}
}

// It tells its clock to clients that have another.
func TestTheNodeExampleElsewhere(t *testing.T) {
	other := inOtherTime(t)
	if err := exec.Command("node", "-e", "").Run(); err != nil {
		t.Skip("no Node here")
	}
	c := rowsOf(t, exitOK, "node=exec:NODE_PATH=/usr/share/nodejs exec "+other+"node ../examples/node/server.js", "-stuck", "1")["node"]
	if trial := c.Trials[0]; trial.Error != "" || trial.Clock.Shared || trial.Clock.Exchanges == 0 || trial.Connected != 61 {
		t.Errorf("%q, clock %+v, %d connected", trial.Error, trial.Clock, trial.Connected)
	}
}
