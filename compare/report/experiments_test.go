package report

import (
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"wsfanout/compare/result"
)

// surveys are the experiments besides tune, with so many trials.
var surveys = map[string]func(trials int) *result.File{"hold": heldFile, "block": blockedFile, "echo": echoedFile}

func TestSurveyGoldens(t *testing.T) {
	for name, file := range surveys {
		for format, ending := range map[string]string{"text": "golden", "markdown": "md", "csv": "csv", "gobench": "bench", "svg": "svg"} {
			golden(t, name+"."+ending, []byte(rendered(t, format, file(3))))
		}
		golden(t, name+"six.golden", []byte(rendered(t, "text", file(6))))
	}
}

func TestSurveyTextFits(t *testing.T) {
	for name, file := range surveys {
		for _, trials := range []int{1, 3, 7} {
			for line := range strings.Lines(rendered(t, "text", file(trials))) {
				line = strings.TrimSuffix(line, "\n")
				if n := utf8.RuneCountInString(line); n > 120 {
					t.Errorf("%s: %d columns: %s", name, n, line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("%s: a space at the end of %q", name, line)
				}
			}
		}
	}
}

// What is there may be any part of a run, down to nothing.
func TestSurveysOfPartsOfARun(t *testing.T) {
	for name, file := range surveys {
		empty := file(3)
		empty.Complete, empty.Plan.ClientsList = false, nil
		for i := range empty.Hold {
			empty.Hold[i].Trials = nil
		}
		for i := range empty.Block {
			empty.Block[i].Trials = nil
		}
		for i := range empty.Echo {
			empty.Echo[i].Trials = nil
		}
		for _, format := range Formats() {
			if rendered(t, format, empty) == "" {
				t.Errorf("%s: no %s of nothing", name, format)
			}
		}
		htmlOf(t, empty)
		text := rendered(t, "text", empty)
		if strings.Contains(text, "ANSWER") || !strings.Contains(text, "INCOMPLETE: 0 of") || !strings.Contains(text, "not measured yet") && name != "hold" {
			t.Errorf("%s of nothing:\n%s", name, text)
		}
	}
}

func TestSurveySentences(t *testing.T) {
	for _, row := range []struct {
		file *result.File
		want []string
	}{
		{heldFile(6), []string{
			"gorilla 15.4 KiB [15.0, 15.7 KiB]", "one for each connection: gorilla, nbio:iomod=blocking", "flat, whatever the connections: nbio (at most 9)",
			"seq 12.3 us [12.0, 12.6 us] for each connection + 2.00 ms", "not everything is back: nbio goroutines +3 at 10,000", "nbio 2.34 KiB of 2.36 KiB a connection, 300 KiB once", "gorilla 40.0 B of 15.4 KiB a connection", "up to 100 times beyond",
			"failed: 1000 connections: the server ended", "1 of 6 trials failed: 10000 connections: the fleet ended early", "warning: steal of 12 %",
			"nbio seq with 5,000 connections reached 99 % of them only", "not the library's defaults, gorilla; nbio: no read deadline",
		}},
		{blockedFile(3), []string{
			"nbio, inline on 1 poller: 1 blocking leaves 1/5.0 of the echoes, p99 184 ms against 36.8 ms (4: 1/19, 16: 1/100)",
			"gobwas, a pool of 4: nothing is left from 4 blocking on, 500 echoes unanswered (1: 95 %)", "not judged with 16 (3 of 16 blockers were closed meanwhile)",
			"4 of 16 held", "126 of 500 starve",
			"gorilla, the connection's goroutine: no fall shown with up to 1 blocking, 101 % left, p99 36.2 ms against 36.8 ms, not judged with 4 (failed: the server ended: too many open files), not judged with 16 (not measured yet)", "not measured yet", "failed: the server ended", "saturated x4", "25 %",
			"\"block 50ms\" of client 515", "0.33 %",
		}},
		{blockedFile(6), []string{"inline on 16 pollers: 16 blocking leave 1/10 of the echoes, p99 362 ms against 36.2 ms (1: 95 %, 4: 70 % and 128 of 500 starve)", "nbio, a pool of 2048"}},
		{echoedFile(3), []string{
			"but only 89 % of the rate came", "gorilla p50 153 us (152-154 us)", "latency restates the rate", "8,902 of 10,000", "fleet's share", "38 %",
		}},
	} {
		text := strings.Join(strings.Fields(rendered(t, "text", row.file)), " ")
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", row.file.Plan.Scenario, want)
			}
		}
	}
}

// A line is not followed from a few connections to a million.
func TestProjectionIsRefusedFromAfar(t *testing.T) {
	f := heldFile(3)
	for i := range f.Hold {
		for j := range f.Hold[i].Trials {
			for k := range f.Hold[i].Trials[j].Points {
				f.Hold[i].Trials[j].Points[k].Connections /= 10
			}
		}
	}
	text := rendered(t, "text", f)
	if !strings.Contains(text, "refused: 1,000 times beyond") || strings.Contains(text, "GiB") {
		t.Errorf("a projection from 1,000 connections:\n%s", text)
	}
}

func TestSurveyTablesOfOtherProgramsAreReadBack(t *testing.T) {
	for name, file := range surveys {
		rows, err := csv.NewReader(strings.NewReader(rendered(t, "csv", file(3)))).ReadAll()
		if err != nil || len(rows) < 5 {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
		reader := benchfmt.NewReader(strings.NewReader(rendered(t, "gobench", file(3))), name)
		lines := 0
		for reader.Scan() {
			switch r := reader.Result().(type) {
			case *benchfmt.SyntaxError:
				t.Error(r)
			case *benchfmt.Result:
				lines++
			}
		}
		if reader.Err() != nil || lines < 10 {
			t.Errorf("%s: %d lines, %v", name, lines, reader.Err())
		}
	}
}
