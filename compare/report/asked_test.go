package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"wsfanout/compare/result"
)

// askedFile is a run of trials with both prepared and plain cells at several numbers of clients: 2 ms and 10 us for each client,
// prepared frames at three tenths of the CPU.
func askedFile(trials int, clients ...int) *result.File {
	f := &result.File{Complete: true, Host: result.Host{CPUs: 2}, Plan: result.Plan{
		Clients: clients[len(clients)-1], SizeBytes: 1024, IntervalNs: 250e6, Rounds: 8, Trials: trials,
		Compress: true, SLONs: 100e6, InboundPerSecond: 500, InboundSizeBytes: 64,
	}}
	if len(clients) > 1 {
		f.Plan.ClientsList = clients
	}
	for _, n := range clients {
		group := ""
		if len(clients) > 1 {
			group = fmt.Sprint(n)
		}
		for strategy, cost := range map[string]float64{"seq": 1, "seqprep": 0.3} {
			c := result.Cell{Engine: "gorilla", Strategy: strategy, Clients: n, SizeBytes: 1024, Group: group}
			for i := range trials {
				noise := 1 + float64(i)/100
				last := int64((2e6 + 10e3*float64(n)) * noise)
				expected := int64(8 * n)
				c.Trials = append(c.Trials, result.Trial{Trial: i + 1, Healthy: &result.Phase{
					Rounds: 8, Expected: expected, Received: expected, LastClient: &result.Last{Median: last, Worst: last},
					Server:  result.Server{CPUNsPerDelivery: 40e3 * cost * noise, CPUNsPerRound: 40e3 * cost * noise * float64(n), BytesPerClient: 12 << 10},
					Fleet:   result.Fleet{WireBytesPerDelivery: 300},
					SLO:     &result.SLO{Ns: 100e6, Share: 0.99999, Clients: n - 1},
					Inbound: &result.Inbound{Sent: 1000, Delivered: 998, Skipped: 2},
				}})
			}
			f.Cells = append(f.Cells, c)
		}
	}
	slices.SortStableFunc(f.Cells, func(a, b result.Cell) int { return cmp.Or(a.Clients-b.Clients, cmp.Compare(a.Strategy, b.Strategy)) })
	f.Summarize()
	f.Verdict = Verdict(f)
	return f
}

func shown(t *testing.T, f *result.File) string {
	t.Helper()
	var out bytes.Buffer
	if err := Text(&out, f, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > 121 {
			t.Errorf("too wide: %s", line)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

func TestAskedFigures(t *testing.T) {
	for why, row := range map[string]struct {
		file *result.File
		want []string
		not  []string
	}{
		"six trials have intervals": {askedFile(6, 1000), []string{
			"prepared gorilla, server CPU per delivery: seqprep costs 0.30x of seq (0.29..0.32)", "wire B", ">99.9 % (999)",
			"give a list such as -clients 200,1000", "sent, delivered, turns skipped: gorilla seq (6,000, 5,988, 12)",
		}, []string{"GROWTH", "CAPACITY"}},
		"one trial claims nothing": {askedFile(1, 1000), []string{"0.30x of seq (a ratio without an interval, no claim)"}, nil},
		"a list has lines": {askedFile(6, 1000, 5000), []string{
			"1,000 and 5,000 clients, 1 KiB compressed", "5,000 clients each", "last client 10.2 us [10.0 us, 10.5 us] 2.05 ms [2.00 ms, 2.10 ms]",
			"memory 12 KiB [12 KiB, 12 KiB]", "9,556 [9,324, 9,800]", "not measured: the lines through 1,000 and 5,000 clients",
			"2 matrices are 2 families",
		}, []string{"give a list"}},
	} {
		text := shown(t, row.file)
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", why, want, text)
			}
		}
		for _, not := range row.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q in\n%s", why, not, text)
			}
		}
	}
}

func TestProjection(t *testing.T) {
	f := askedFile(6, 1000, 5000)
	f.Plan.ProjectClients = 50000
	text := shown(t, f)
	for _, want := range []string{"last client at 50,000", "515 ms [502 ms, 527 ms]", "so that rounds fall behind, with gorilla seq, gorilla seqprep"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	f.Plan.SLONs = 10e9
	if text := shown(t, f); !strings.Contains(text, "above 50,000") {
		t.Errorf("a line followed for ever:\n%s", text)
	}
}

func TestTLSSaysWhy(t *testing.T) {
	f := askedFile(6, 1000)
	f.Plan.TLS = true
	text := shown(t, f)
	if !strings.Contains(text, "vs bare loop is missing with TLS") || !strings.Contains(text, "cannot share ciphertext") || strings.Contains(text, "no pair of") {
		t.Error(text)
	}
}

func TestAskedInEveryFormat(t *testing.T) {
	f := askedFile(6, 1000, 5000)
	f.Plan.ProjectClients = 50000
	var markdown, page, bench bytes.Buffer
	if err := Markdown(&markdown, f, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := HTML(&page, []*result.File{f}); err != nil {
		t.Fatal(err)
	}
	if err := Gobench(&bench, f, Options{}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{markdown.String(): "### Capacity", page.String(): "seqprep@5000", bench.String(): "clients=5000"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %.200s", want, text)
		}
	}
}
