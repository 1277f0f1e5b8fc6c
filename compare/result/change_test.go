package result

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCompareFixedValues(t *testing.T) {
	before := []float64{100, 101, 102, 103, 104, 105}
	after := []float64{120, 121, 122, 123, 124, 125}
	c, ok := Compare(before, after)
	if !ok || math.Abs(c.Ratio-122.5/102.5) > 1e-9 {
		t.Fatalf("%+v", c)
	}
	// 6 trials: the interval of a median is the extremes, and that of the change is from the nearest to the farthest ends.
	if math.Abs(*c.Lo-120.0/105) > 1e-9 || math.Abs(*c.Hi-125.0/100) > 1e-9 {
		t.Errorf("interval %v..%v", *c.Lo, *c.Hi)
	}
	if math.Abs(c.P-0.0021645) > 1e-6 {
		t.Errorf("p %v, want the smallest of 6 against 6", c.P)
	}
	for _, row := range []struct {
		why           string
		before, after []float64
	}{
		{"nothing measured before", nil, after},
		{"nothing measured after", before, nil},
		{"no ratio to 0", []float64{0, 0}, after},
	} {
		if _, ok := Compare(row.before, row.after); ok {
			t.Errorf("%s: a change", row.why)
		}
	}
	if c, _ := Compare(before[:5], after); c.Lo != nil || c.Shown() {
		t.Error("5 trials have an interval")
	}
}

func TestHolm(t *testing.T) {
	for _, row := range []struct {
		ps   []float64
		want []bool
	}{
		{[]float64{0.04}, []bool{true}},
		{[]float64{0.04, 0.04}, []bool{false, false}},
		{[]float64{0.04, 0.02}, []bool{true, true}},              // 0.02 passes 0.05/2, then 0.04 passes 0.05
		{[]float64{0.001, 0.03, 0.02}, []bool{true, true, true}}, // 0.05/3, 0.05/2, 0.05/1
		{[]float64{0.03, 0.02, 0.02}, []bool{false, false, false}},
		{nil, []bool{}},
	} {
		if got := holm(row.ps); !slices.Equal(got, row.want) {
			t.Errorf("%v: %v, want %v", row.ps, got, row.want)
		}
	}
}

func TestTrialsThatAFamilyNeeds(t *testing.T) {
	if p := SmallestP(6); math.Abs(p-0.0021645) > 1e-6 {
		t.Errorf("6 against 6: %v", p)
	}
	for pairs, want := range map[int]int{0: 6, 1: 6, 20: 6, 23: 6, 24: 7, 85: 7, 86: 8} {
		if got := TrialsFor(pairs); got != want {
			t.Errorf("%d pairs: %d trials, want %d", pairs, got, want)
		}
	}
}

func TestAClaimNeedsMoreThanASmallP(t *testing.T) {
	trials := func(center, step float64) []float64 {
		var v []float64
		for i := range 6 {
			v = append(v, center*(1+step*(float64(i)-2.5)))
		}
		return v
	}
	for _, row := range []struct {
		why           string
		before, after []float64
		floor         float64
		claimed       bool
	}{
		{"20 % beyond tight trials", trials(1, 0.01), trials(1.2, 0.01), 0.01, true},
		{"2 %, however exact", trials(1, 0.001), trials(1.02, 0.001), 0, false},
		{"5 %, but the A/A control moved by 6 %", trials(1, 0.001), trials(1.05, 0.001), 0.06, false},
		{"10 %, trials that overlap", trials(1, 0.05), trials(1.1, 0.05), 0, false},
	} {
		c, ok := Compare(row.before, row.after)
		if c.Floor = row.floor; !ok {
			t.Fatal(row.why)
		}
		if Decide([]*Change{&c}); c.Claimed != row.claimed {
			t.Errorf("%s: claimed %v", row.why, c.Claimed)
		}
	}
}

// noisyRun is a matrix of four cells and the A/A control, whose trials scatter by sd and whose cells slow cost slow times more.
func noisyRun(r *rand.Rand, sd float64, slow map[string]float64) *File {
	f := &File{}
	for _, strategy := range []string{"seq", "shard", "chan", "seqprep", "seq"} {
		c := Cell{Engine: "gorilla", Strategy: strategy}
		if len(f.Cells) == 4 {
			c.ControlOf = "gorilla/seq"
		}
		for trial := range 6 {
			ratio := 1.1 * (1 + sd*r.NormFloat64()) * max(slow[strategy], 1)
			t := healthyTrial(int64(1e8 * ratio * (1 + 0.05*r.NormFloat64())))
			t.Trial, t.Healthy.VsBare = trial+1, &VsBare{Median: ratio, Pairs: 8}
			c.Trials = append(c.Trials, t)
		}
		f.Cells = append(f.Cells, c)
	}
	return f
}

// The aim is at most one false alarm in twenty runs, not in twenty comparisons. The first run counts twenty times: where it is an
// odd one, its alarms come together.
func TestTwentyRunsOfTheSameRaiseAtMostOneAlarm(t *testing.T) {
	const series = 100
	total, above := 0, 0
	for seed := range uint64(series) {
		r := rand.New(rand.NewPCG(seed, 7))
		first, alarms := noisyRun(r, 0.03, nil), 0
		for range 20 {
			if len(DiffOf(first, noisyRun(r, 0.03, nil)).Claimed()) > 0 {
				alarms++
			}
		}
		total += alarms
		if alarms > 1 {
			above++
		}
	}
	if total > series || above > series/20 {
		t.Errorf("%d alarms in %d series of 20 runs, more than one in %d of them", total, series, above)
	}
	t.Logf("%d alarms in %d series of 20 runs, more than one in %d of them", total, series, above)
}

func TestASlowdownOfAFifthIsClaimed(t *testing.T) {
	missed := 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 8))
		d := DiffOf(noisyRun(r, 0.03, nil), noisyRun(r, 0.03, map[string]float64{"shard": 1.2}))
		claimed := d.Claimed()
		if len(claimed) != 1 || claimed[0].New.Strategy != "shard" || claimed[0].Changes["vs_bare"].Ratio < 1.1 {
			missed++
		}
	}
	if missed > 5 {
		t.Errorf("%d of 100 slowdowns by 20 %% were missed, or another cell was claimed", missed)
	}
}

func TestNoiseIsTheDistanceOfTheControl(t *testing.T) {
	f := &File{Cells: []Cell{{Engine: "gorilla", Strategy: "seq"}, {Engine: "gorilla", Strategy: "seq", ControlOf: "gorilla/seq"}}}
	for i := range 6 {
		f.Cells[0].Trials = append(f.Cells[0].Trials, healthyTrial(int64(100+i)))
		f.Cells[1].Trials = append(f.Cells[1].Trials, healthyTrial(int64(95+i)))
	}
	if got, ok := f.Noise(lastClient); !ok || math.Abs(got-(102.5/97.5-1)) > 1e-9 {
		t.Errorf("noise %v %v", got, ok)
	}
	if _, ok := f.Noise(vsBare); ok {
		t.Error("noise of what was not measured")
	}
	if f.Find("gorilla/seq") != &f.Cells[0] || len(f.Compared()) != 1 {
		t.Error("the control counts as a cell")
	}
}

func TestDiffKeepsToOneHeadlineAndOneFamily(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	before, after := noisyRun(r, 0.01, nil), noisyRun(r, 0.01, map[string]float64{"seq": 1.5, "chan": 0.5})
	before.Cells = before.Cells[:3]
	after.Cells[2].Engine = "nbio"
	d := DiffOf(before, after)
	if len(d.Cells) != 2 || !slices.Equal(d.OnlyOld, []string{"gorilla/chan"}) || !slices.Equal(d.OnlyNew, []string{"nbio/chan", "gorilla/seqprep"}) {
		t.Fatalf("cells %d, only old %v, only new %v", len(d.Cells), d.OnlyOld, d.OnlyNew)
	}
	seq := d.Cells[0]
	if seq.Headline.Name != "vs_bare" || !seq.Changes["vs_bare"].Claimed || seq.Changes["last_client"].Claimed {
		t.Errorf("the claim is not on the headline alone: %+v", seq.Changes)
	}
	for i := range after.Cells[0].Trials {
		after.Cells[0].Trials[i].Healthy.VsBare = nil // TLS
	}
	if seq := DiffOf(before, after).Cells[0]; seq.Headline.Name != "last_client" || !seq.Changes["last_client"].Claimed {
		t.Errorf("without bare rounds: %+v", seq.Headline)
	}
}

func TestPlansAndHostsThatDiffer(t *testing.T) {
	a := Plan{Clients: 10000, Trials: 6, Seed: 1, Engines: []string{"nbio"}}
	b := Plan{Clients: 2000, Trials: 9, Seed: 2, Engines: []string{"gorilla"}}
	if got := PlanChanges(a, b); !slices.Equal(got, []string{"engines [nbio] -> [gorilla]", "clients 10000 -> 2000"}) {
		t.Errorf("%q", got)
	}
	if got := PlanChanges(a, b, "engines"); !slices.Equal(got, []string{"clients 10000 -> 2000"}) {
		t.Errorf("%q", got)
	}
	if got := HostChanges(Host{CPUs: 2, NoFile: 1}, Host{CPUs: 4, NoFile: 2}); !slices.Equal(got, []string{"cpus 2 -> 4"}) {
		t.Errorf("%q", got)
	}
}
