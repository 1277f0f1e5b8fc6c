package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"wsfanout/compare/result"
)

// withControl adds the A/A control: the first cell again, its trials moved by a factor.
func withControl(f *result.File, factor float64) *result.File {
	c := f.Cells[0]
	c.ControlOf = c.Name()
	c.Trials = nil
	for _, t := range f.Cells[0].Trials {
		healthy := *t.Healthy
		healthy.VsBare = &result.VsBare{Median: t.Healthy.VsBare.Median * factor, Pairs: t.Healthy.VsBare.Pairs}
		healthy.LastClient = &result.Last{Median: int64(float64(t.Healthy.LastClient.Median) * factor * factor), Worst: t.Healthy.LastClient.Worst}
		t.Healthy = &healthy
		c.Trials = append(c.Trials, t)
	}
	f.Cells = append(f.Cells, c)
	return f
}

// eachTrial changes every trial of a cell.
func eachTrial(f *result.File, cell string, change func(*result.Trial)) {
	c := f.Find(cell)
	for i := range c.Trials {
		change(&c.Trials[i])
	}
}

func TestVerdict(t *testing.T) {
	for _, row := range []struct {
		why, golden string
		change      func(*result.File)
	}{
		{"the whole matrix with its control", "verdict.golden", func(f *result.File) { withControl(f, 1.012) }},
		{"a control that moved by 10 %: nothing smaller is claimed", "verdictnoisy.golden", func(f *result.File) { withControl(f, 1.1) }},
		{"calm that is not proven recommends nothing", "verdictunproven.golden", func(f *result.File) {
			for _, c := range f.Compared() {
				eachTrial(f, c.Name(), func(t *result.Trial) { t.Stuck.Jam.Jammed = t.Trial != 3 })
			}
		}},
		{"last in the list: nobody is late, but the rounds are", "verdictlast.golden", func(f *result.File) {
			f.Plan.StuckAt = "last"
			for _, c := range []string{"gorilla/seq", "gorilla/seqprep"} {
				eachTrial(f, c, func(t *result.Trial) { *t.Stuck.Blast.LateClients = 0 })
			}
		}},
		{"nobody was told to stop reading", "verdicthealthy.golden", func(f *result.File) {
			for _, c := range f.Compared() {
				eachTrial(f, c.Name(), func(t *result.Trial) { t.Stuck, t.Recovery = nil, nil })
			}
		}},
	} {
		t.Run(row.golden, func(t *testing.T) {
			f := load(t, "complete.json")
			row.change(f)
			f.Summarize()
			f.Verdict = Verdict(f)
			p := &page{File: f, opt: Options{Width: 120}}
			golden(t, row.golden, []byte(verdict(p)))
			for _, claim := range f.Verdict {
				if len(claim.Cells) == 0 && claim.Kind != result.KindNone && claim.Kind != result.KindNoise && !strings.Contains(claim.Text, "no cell") {
					t.Errorf("%s: a claim that names no cell: %+v", row.why, claim)
				}
			}
		})
	}
}

func TestBelowSixTrialsNothingIsClaimed(t *testing.T) {
	f := load(t, "complete.json")
	for i := range f.Cells {
		f.Cells[i].Trials = f.Cells[i].Trials[:5]
	}
	claims := Verdict(f)
	if len(claims) != 1 || claims[0].Kind != result.KindNone || !strings.Contains(claims[0].Text, "5 trials") {
		t.Errorf("%+v", claims)
	}
}

// A family that is too large says so, and how many trials it would take.
func TestAFamilyThatCannotBeDecided(t *testing.T) {
	f := load(t, "complete.json")
	for n := range 2 {
		for _, c := range f.Cells[:10] {
			c.Engine += fmt.Sprintf(":ping=%dms", n+1)
			f.Cells = append(f.Cells, c)
		}
	}
	var texts []string
	for _, claim := range Verdict(f) {
		texts = append(texts, claim.Text)
	}
	if all := strings.Join(texts, "\n"); !strings.Contains(all, "pairs are too many for 6 trials") || !strings.Contains(all, "7 trials would do") ||
		!strings.Contains(all, "no difference shown") || strings.Contains(all, "earlier on") {
		t.Error(all)
	}
}

// A single trial in doubt is enough: a recommendation rests on all of them.
func TestOneUnsoundTrialSpoilsARecommendation(t *testing.T) {
	for name, spoil := range map[string]func(*result.Trial){
		"failed":         func(t *result.Trial) { t.Error = "the server process ended" },
		"never jammed":   func(t *result.Trial) { t.Stuck.Jam.Jammed = false },
		"no proof":       func(t *result.Trial) { t.Stuck.Jam = nil },
		"not resolvable": func(t *result.Trial) { t.Stuck.Blast.LateClients, t.Stuck.Blast.Resolvable = nil, false },
		"late once":      func(t *result.Trial) { *t.Stuck.Blast.LateClients = 1 },
		"a late round":   func(t *result.Trial) { t.Stuck.Blast.LateRounds = 1 },
		"a lost message": func(t *result.Trial) { t.Stuck.Received-- },
		"a false kill":   func(t *result.Trial) { t.Stuck.FalseKills = map[string]int{"write timeout": 1} },
	} {
		f := load(t, "complete.json")
		spoil(&f.Find("gorilla/chan").Trials[2])
		for _, claim := range Verdict(f) {
			if claim.Kind == result.KindRecommendation && strings.Contains(claim.Text, "no late client needed: gorilla chan") {
				t.Errorf("%s: %s", name, claim.Text)
			}
		}
	}
}

func TestDiff(t *testing.T) {
	slower := func(f *result.File, cell string, factor float64) {
		eachTrial(f, cell, func(t *result.Trial) {
			t.Healthy.VsBare.Median *= factor
			t.Healthy.LastClient.Median = int64(float64(t.Healthy.LastClient.Median) * factor)
		})
	}
	for _, row := range []struct {
		golden string
		change func(old, new *result.File)
	}{
		{"diff.golden", func(old, new *result.File) {
			slower(new, "gorilla/seq", 1.2)
			slower(new, "nbio/shard", 0.8)
			withControl(old, 1.012)
			withControl(new, 1.02)
			old.Tool.Commit, new.Tool.Commit = "aaaaaaa", "bbbbbbb"
			new.Tool.Modules["github.com/lesismal/nbio"] = "v1.6.9"
			eachTrial(new, "gorilla/chan", func(t *result.Trial) { *t.Stuck.Blast.LateClients = 12 })
		}},
		{"diffsame.golden", func(_, _ *result.File) {}},
		{"difffew.golden", func(old, new *result.File) {
			old.Cells = old.Cells[:3]
			for i := range new.Cells {
				new.Cells[i].Trials = new.Cells[i].Trials[:2]
			}
			new.Plan.Clients, new.Host.CPUs = 2000, 8
		}},
	} {
		t.Run(row.golden, func(t *testing.T) {
			before, after := load(t, "complete.json"), load(t, "complete.json")
			row.change(before, after)
			var out bytes.Buffer
			if err := Diff(&out, result.DiffOf(before, after), Options{}); err != nil {
				t.Fatal(err)
			}
			golden(t, row.golden, out.Bytes())
			for line := range strings.Lines(out.String()) {
				if len(strings.TrimRight(line, "\n")) > 120 {
					t.Errorf("wider than 120 columns: %s", line)
				}
			}
		})
	}
}
