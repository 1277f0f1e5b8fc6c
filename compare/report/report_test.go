package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"wsfanout/compare/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestText(t *testing.T) {
	for _, row := range []struct {
		why, file, golden string
		opt               Options
	}{
		{"variants of the stuck half: every reason why a figure is missing or needs a note", "variants.json", "variants.golden", Options{}},
		{"all columns of the stuck half", "variants.json", "variantswide.golden", Options{Wide: true}},
		{"six trials of the whole matrix: medians with intervals", "complete.json", "complete.golden", Options{}},
		{"one trial: no interval, and a note that says why", "onetrial.json", "onetrial.golden", Options{Width: 120}},
		{"interrupted, failed cells, doubts of every kind, specs too long for the table", "troubled.json", "troubled.golden", Options{Width: 120}},
		{"the wide table may exceed the width, its notes may not", "complete.json", "wide.golden", Options{Width: 120, Wide: true}},
		{"on a terminal", "troubled.json", "color.golden", Options{Width: 120, Color: true}},
	} {
		t.Run(row.golden, func(t *testing.T) {
			var out bytes.Buffer
			if err := Text(&out, load(t, row.file), row.opt); err != nil {
				t.Fatal(err)
			}
			golden(t, row.golden, out.Bytes())
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				if n := utf8.RuneCountInString(line); n > 120 && !row.opt.Wide && !row.opt.Color {
					t.Errorf("%s: %d columns: %s", row.why, n, line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("%s: a space at the end of %q", row.why, line)
				}
			}
		})
	}
}

// A report of a run that was interrupted in its first cell must not explain figures that are not there.
func TestNothingMeasuredYet(t *testing.T) {
	f := load(t, "onetrial.json")
	f.Complete = false
	for i := range f.Cells {
		f.Cells[i].Trials, f.Cells[i].Summary, f.Cells[i].Footnotes = nil, nil, nil
	}
	var out strings.Builder
	if err := Text(&out, f, Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "INCOMPLETE: 0 of 10") || !strings.Contains(out.String(), "not measured yet") {
		t.Errorf("the report does not say that nothing is measured:\n%s", out.String())
	}
	if strings.Contains(out.String(), "footnotes") {
		t.Errorf("footnotes without figures:\n%s", out.String())
	}
}

func TestEmptyFile(t *testing.T) {
	if err := Text(&strings.Builder{}, &result.File{}, Options{}); err != nil {
		t.Error(err)
	}
}

func TestWidthOfTheTerminalBoundsFootnotes(t *testing.T) {
	var out strings.Builder
	if err := Text(&out, load(t, "troubled.json"), Options{Width: 90}); err != nil {
		t.Fatal(err)
	}
	_, notes, _ := strings.Cut(out.String(), "footnotes\n")
	for line := range strings.Lines(notes) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 90 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func load(t *testing.T, name string) *result.File {
	t.Helper()
	f, err := result.Read(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f.Summarize()
	f.Verdict = Verdict(f)
	if err := checked(f); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// checked keeps the fixtures honest: their accounts add up.
func checked(f *result.File) error {
	for _, c := range f.Cells {
		for _, trial := range c.Trials {
			for _, p := range []*result.Phase{trial.Healthy, trial.Stuck} {
				if p != nil && p.Check() != nil {
					return p.Check()
				}
			}
		}
	}
	return nil
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got\n%s\nwant\n%s", path, got, want)
	}
}
