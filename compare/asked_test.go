package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsfanout/compare/report"
	"wsfanout/compare/result"
)

// tiny is a run of a few hundred milliseconds a cell.
const tiny = "-clients 60 -interval 30ms -rounds 4 -warmup 1 -stuck 0 -write-timeout 300ms "

// patient is for cells that compress: gorilla's write deadline includes the time that takes, which is long in a race build.
const patient = "-write-timeout 10s "

func measuredCell(t *testing.T, args string) result.Trial {
	t.Helper()
	trial := cellOf(t, args, nil)
	if trial.Error != "" {
		t.Fatal(trial.Error)
	}
	if p := trial.Healthy; p.Received != p.Expected || p.Expected == 0 {
		t.Fatalf("received %d of %d", p.Received, p.Expected)
	}
	return trial
}

// Plain strategies and prepared ones put the same few bytes on the wire, on every engine.
func TestCompressedCells(t *testing.T) {
	for _, engine := range testedEngines() {
		for _, strategy := range []string{"seq", "seqprep", "chan"} {
			t.Run(engine+"/"+strategy, func(t *testing.T) {
				p := measuredCell(t, tiny+patient+"-compress -engines "+engine+":level=5 -strategies "+strategy).Healthy
				if wire := p.Fleet.WireBytesPerDelivery; wire < 100 || wire > 800 {
					t.Errorf("%.0f bytes on the wire for 1 KiB of text", wire)
				}
				if p.VsBare == nil || p.VsBare.Pairs+p.VsBare.Discarded != 4 { // a race build may be too slow for a pair of chan
					t.Errorf("vs bare: %+v", p.VsBare)
				}
			})
		}
	}
	if wire := measuredCell(t, tiny+"-engines gorilla -strategies seq").Healthy.Fleet.WireBytesPerDelivery; wire != 1028 {
		t.Errorf("%v bytes on the wire uncompressed, want 1024 and 4 of the frame's header", wire)
	}
}

func TestEncryptedCells(t *testing.T) {
	for _, engine := range testedEngines() {
		for _, strategy := range []string{"seqprep", "chan"} {
			t.Run(engine+"/"+strategy, func(t *testing.T) {
				p := measuredCell(t, tiny+patient+"-tls -compress -engines "+engine+" -strategies "+strategy).Healthy
				if p.VsBare != nil || len(p.RoundsDetail) != 4 {
					t.Errorf("vs bare %+v in %d rounds: want none in 4", p.VsBare, len(p.RoundsDetail))
				}
			})
		}
	}
}

// A jam under TLS is proven as any other.
func TestStuckUnderTLS(t *testing.T) {
	for _, engine := range testedEngines() {
		trial := measuredCell(t, strings.Replace(tiny, "-stuck 0", "-stuck 1", 1)+"-tls -rounds 8 -engines "+engine+" -strategies chan")
		if !trial.Stuck.Jam.Jammed || trial.Stuck.Jam.Clients[0].EvictedBy != "write timeout" {
			t.Errorf("%s: %+v", engine, trial.Stuck.Jam.Clients[0])
		}
	}
}

func TestInTime(t *testing.T) {
	p := measuredCell(t, tiny+"-slo 10s -engines gorilla -strategies seq").Healthy
	if p.SLO == nil || p.SLO.Share != 1 || p.SLO.Clients != 60 {
		t.Errorf("%+v: everything arrives within 10 s", p.SLO)
	}
	p = measuredCell(t, tiny+"-slo 1us -engines gorilla -strategies seq").Healthy
	if p.SLO == nil || p.SLO.Share != 0 || p.SLO.Clients != 0 {
		t.Errorf("%+v: nothing arrives within 1 us", p.SLO)
	}
}

func TestClientsSend(t *testing.T) {
	for _, engine := range testedEngines() {
		trial := measuredCell(t, strings.Replace(tiny, "-stuck 0", "-stuck 1", 1)+"-rounds 8 -inbound 2000 -inbound-size 200 -engines "+engine+" -strategies seq")
		for name, p := range map[string]*result.Phase{"healthy": trial.Healthy, "stuck": trial.Stuck} {
			// Eight pairs in 30 ms slots at 2000/s are 900 messages and more, eight rounds half of that.
			if in := p.Inbound; in == nil || in.Sent < 300 || in.Delivered < in.Sent*8/10 || in.Delivered > in.Sent {
				t.Errorf("%s, %s: %+v", engine, name, in)
			}
		}
		if slices.ContainsFunc(trial.Warnings, func(w string) bool { return strings.Contains(w, "clients sent") }) {
			t.Errorf("%s: %q", engine, trial.Warnings)
		}
	}
}

// A run with both lists, on real connections: identities, order and the tables that follow.
func TestListsMakeMatrices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	args := "-clients 20,60 -size 1KiB,128 -interval 20ms -rounds 3 -warmup 0 -stuck 0 -trials 1 -engines gorilla -strategies seq -slo 50ms -project 600 -progress off -o " + path
	status, stdout, stderr := command(t, strings.Fields(args)...)
	if status != exitOK || !strings.Contains(stderr, "x 4 matrices = 4 cells") {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{"20 clients, 128 B each", "60 clients, 1 KiB each", "GROWTH WITH CLIENTS", "GROWTH WITH SIZE", "CAPACITY", "last client at 600"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	f, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range f.Cells {
		names = append(names, c.Name())
		if p := c.Trials[0].Healthy; p == nil || p.Expected != int64(3*c.Clients) || p.Fleet.WireBytesPerDelivery < float64(c.SizeBytes) {
			t.Errorf("%s: %+v", c.Name(), p)
		}
	}
	if got := strings.Join(names, " "); got != "gorilla/seq@20x128B gorilla/seq@20x1KiB gorilla/seq@60x128B gorilla/seq@60x1KiB" {
		t.Error(got)
	}
	for _, format := range report.Formats() {
		if status, _, stderr := command(t, "report", "-format", format, path); status != exitOK {
			t.Errorf("%s: %s", format, stderr)
		}
	}
	if status, stdout, _ := command(t, "diff", path, path); status != exitOK || !strings.Contains(stdout, "1 trial of 4 cells") {
		t.Errorf("diff with itself: %s", stdout)
	}
}

// Every matrix has its A/A control and its own verdict, and a list of sizes runs at 1,000 clients.
func TestListsPlanned(t *testing.T) {
	x := planOnly(t, "-size 128,1KiB -engines gorilla,nbio -strategies seq -trials 6", func(_ context.Context, _ cell, trial int) result.Trial { return measuredTrial(trial) })
	if len(x.cells) != 6 || x.clients != 1000 || x.cells[0].clients != 1000 || x.cells[5].size != 1024 || !x.cells[5].control {
		t.Fatalf("%d clients, %v", x.clients, x.cells)
	}
	var said bytes.Buffer
	x.announce(&said)
	if want := "= 4 cells and gorilla/seq@128B once more as the A/A control, as in each matrix"; !strings.Contains(said.String(), want) {
		t.Errorf("%q, want %q", said.String(), want)
	}
	if err := x.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, group := range []string{"128B", "1KiB"} {
		repeated, control := x.file.Only(group).Control()
		if repeated == nil || control == nil {
			t.Errorf("%s has no control", group)
		}
		if !slices.ContainsFunc(x.file.Verdict, func(c result.Claim) bool { return slices.Contains(c.Cells, "gorilla/seq@"+group) }) {
			t.Errorf("no claim about gorilla/seq@%s: %+v", group, x.file.Verdict)
		}
	}
	c, err := parseRun([]string{"-size", "128,1KiB", "-clients", "30"}, io.Discard)
	if err != nil || c.clients != 30 {
		t.Errorf("%d clients, %v: an explicit number counts", c.clients, err)
	}
}

// The estimate counts every matrix at its own size, and the largest is what must fit.
func TestListsAreEstimated(t *testing.T) {
	time10k := planned(planOnly(t, "-clients 10000 -trials 1", nil).config, 10)
	x := planOnly(t, "-clients 100,10000 -trials 1", nil)
	if both := planned(x.config, len(x.cells)); both <= time10k || both >= 2*time10k || both < time10k+10*time.Second {
		t.Errorf("100 and 10,000 clients: %v; 10,000 alone: %v", both, time10k)
	}
}

// A gate without a group holds for all of them.
func TestGateOfAllGroups(t *testing.T) {
	f := gateFile(6, 1, 0)
	for i := range f.Cells {
		f.Cells[i].Group = "1000"
	}
	for gate, want := range map[string]bool{
		"nbio/shard: last_client>1ms": true, "nbio/shard@1000: last_client>1ms": true, "nbio/shard@1000: last_client<1ms": false,
	} {
		if got := judged(t, gate, f, nil); (got != "") != want {
			t.Errorf("%s: %q", gate, got)
		}
	}
}

// A message that is not what the hub sent fails the cell.
func TestCorruptContentFails(t *testing.T) {
	m := &measured{}
	m.seen.Corrupt, m.seen.Checked = 2, 40
	if err := m.corrupt(); err == nil || !strings.Contains(err.Error(), "2 messages were not what the hub sent") {
		t.Error(err)
	}
}
