package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"wsfanout/compare/result"
)

func rendered(t *testing.T, name string, f *result.File) string {
	t.Helper()
	write, err := FindFormat(name)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(&out, f, Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTuneGoldens(t *testing.T) {
	for name, file := range map[string]string{
		"text": "tune.golden", "markdown": "tune.md", "csv": "tune.csv", "gobench": "tune.bench", "svg": "tune.svg",
	} {
		golden(t, file, []byte(rendered(t, name, tunedFile())))
	}
}

func TestTuneTextFits(t *testing.T) {
	for line := range strings.Lines(rendered(t, "text", tunedFile())) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > 120 {
			t.Errorf("%d columns: %s", n, line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("a space at the end of %q", line)
		}
	}
}

// A file without cells must not look like a matrix of which nothing is measured.
func TestExperimentAloneHasNoMatrix(t *testing.T) {
	for _, text := range []string{rendered(t, "text", tunedFile()), rendered(t, "markdown", tunedFile()), htmlOf(t, tunedFile())} {
		for _, never := range []string{"HEALTHY", "verdict:", ">Verdict<", ">Matrix<", "last client", "othing is measured", "\n0 clients"} {
			if strings.Contains(text, never) {
				t.Errorf("%q in a report of an experiment: %s", never, text[:60])
			}
		}
	}
}

// The recommendation is in real times, which are those of the file times the scale.
func TestTuneRecommendsRealTimes(t *testing.T) {
	text := rendered(t, "text", tunedFile())
	for _, want := range []string{
		"KeepaliveTime 27 s, ping interval 9 s", "pong wait 27 s, ping period 9 s", "18 s (K-P)", "9 s (K-2P)", "target 1 s",
		"u.KeepaliveTime = 27 * time.Second", "time.Tick(9 * time.Second)", "pongWait   = 27 * time.Second", "at 1/30 of the real times",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestTuneSaysWhatWasMissed(t *testing.T) {
	f := tunedFile()
	f.Tune[0].Trials[1].Groups[0].AfterNs.Max = 1200 * msNs
	f.Tune[1].Trials = nil
	text := rendered(t, "text", f)
	for _, want := range []string{"MISSED", "gorilla not measured yet"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// What is there may be any part of a run: nothing measured yet, or no recommendation.
func TestTuneOfPartsOfARun(t *testing.T) {
	empty, grid, write := tunedFile(), tunedFile(), tunedFile()
	empty.Complete = false
	for i := range empty.Tune {
		empty.Tune[i].Trials = nil
	}
	grid.Tune, grid.Plan = tunedPeriods()[2:9], result.Plan{Scenario: "tune", Trials: 2}
	write.Tune = tunedWrites()
	for why, f := range map[string]*result.File{"nothing measured yet": empty, "a grid": grid, "write timeouts": write} {
		for _, name := range Formats() {
			if rendered(t, name, f) == "" {
				t.Errorf("%s: no %s", why, name)
			}
		}
		htmlOf(t, f)
		if strings.Contains(rendered(t, "text", f), "ANSWER") != (why == "nothing measured yet") {
			t.Errorf("%s: an answer without a recommendation, or none with one", why)
		}
	}
	if text := rendered(t, "text", empty); !strings.Contains(text, "INCOMPLETE: 0 of 50") {
		t.Errorf("what is missing is not said:\n%s", text)
	}
}

func TestTuneCSVHasARowForEachTrialAndGroup(t *testing.T) {
	f := tunedFile()
	rows, err := csv.NewReader(strings.NewReader(rendered(t, "csv", f))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := 1
	for _, s := range f.Tune {
		want += max(1, len(s.Trials)) // one that was not measured has a row of its own
		for _, trial := range s.Trials {
			want += max(len(trial.Groups)-1, 0)
		}
	}
	if len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
}

func TestTuneGobenchIsReadBack(t *testing.T) {
	reader := benchfmt.NewReader(strings.NewReader(rendered(t, "gobench", tunedFile())), "test")
	lines, found := 0, false
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(r)
		case *benchfmt.Result:
			lines++
			if r.Name.String() == "Tune/part=reference/engine=gorilla:tcpkeepalive=5s|2s|3/name=TCP-keepalive-5s|2s|3-2" {
				v, ok := r.Value("detect-median-sec")
				found = ok && math.Abs(v-11.1) < 1e-9
			}
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	if lines != 45 || !found { // 25 set-ups of two trials, less a failed trial, a set-up of one failed trial, one not measured
		t.Errorf("%d lines, want 45; the TCP keepalive: %v", lines, found)
	}
}

func TestMarkdownTablesOfTuneAreStraight(t *testing.T) {
	width := 0
	for line := range strings.Lines(rendered(t, "markdown", tunedFile())) {
		bars := strings.Count(line, "|")
		if !strings.HasPrefix(line, "|") {
			bars = 0
		}
		if bars != 0 && width != 0 && bars != width {
			t.Errorf("%d bars, want %d: %s", bars, width, line)
		}
		width = bars
	}
}
