package report

import (
	"strings"
	"testing"

	"wsfanout/compare/result"
)

// heldOne is a run of one engine whose points are changed.
func heldOne(engine string, do func(at int, p *result.HoldPoint)) *result.File {
	f := heldFile(3)
	f.Hold = []result.Hold{heldBy(engine, 3, 4000, 3000, 1)}
	for i := range f.Hold[0].Trials {
		for j := range f.Hold[0].Trials[i].Points {
			do(j, &f.Hold[0].Trials[i].Points[j])
		}
	}
	return f
}

func TestHoldHeadlinesNeedALine(t *testing.T) {
	same := func(int, *result.HoldPoint) {}
	two := heldOne("gorilla", same)
	one := heldOne("gorilla", same)
	for i := range two.Hold[0].Trials {
		two.Hold[0].Trials[i].Points = two.Hold[0].Trials[i].Points[1:]
		one.Hold[0].Trials[i].Points = one.Hold[0].Trials[i].Points[2:]
	}
	for _, row := range []struct {
		why  string
		file *result.File
		want []string
		not  string
	}{
		{"noise", heldOne("gorilla", func(at int, p *result.HoldPoint) {
			p.HeapBytes, p.StackBytes, p.Sweeps[0].LastClientNs = []int64{9 << 20, 2 << 20, 8 << 20}[at], 0, []int64{5e6, 9e6, 5e6}[at]
		}), []string{"in heap and stacks: gorilla no line (R2 0.0", "gorilla seq no line (R2 0.", "not projected: gorilla (no line (R2 0."}, "GiB of heap"},
		{"falls", heldOne("gorilla", func(at int, p *result.HoldPoint) { p.Sweeps[0].LastClientNs = int64(9e6 - at*1e6) }), []string{"gorilla seq no line"}, "seq -"},
		{"close together", heldOne("gorilla", func(at int, p *result.HoldPoint) { p.Connections = 1000 + at*100 }),
			[]string{"gorilla no line (through 1,000 to 1,200 connections only)"}, "GiB of heap"},
		{"two points", two, []string{"gorilla 6.90 KiB (two points: R2 cannot tell)", "6.59 GiB (two points: R2 cannot tell) of heap"}, "no line"},
		{"one point", one, []string{"not projected: gorilla (no line)"}, "a connection, "},
		{"mixed", heldOne("nbio:iomod=mixed", same), []string{
			"one for each of the first 10,000 connections, none beyond them: nbio:iomod=mixed",
			"not projected: nbio:iomod=mixed (the first 10,000 connections only: beyond them it serves as nonblocking does)",
			"refused: the first 10,000 connections only"}, "GiB"},
		{"mixed beyond", heldOne("nbio:iomod=mixed", func(_ int, p *result.HoldPoint) { p.Connections += 10_000 }), []string{"GiB of heap and stacks"}, "refused"},
	} {
		text := strings.Join(strings.Fields(rendered(t, "text", row.file)), " ")
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", row.why, want, text)
			}
		}
		if strings.Contains(text, row.not) {
			t.Errorf("%s: %q in\n%s", row.why, row.not, text)
		}
	}
}

// One engine that is refused does not silence another, and is named.
func TestARefusalIsNamed(t *testing.T) {
	f := heldFile(3)
	f.Hold = append(f.Hold, heldBy("nbio:iomod=mixed", 3, 4000, 3000, 1))
	for i := range f.Hold[0].Trials {
		f.Hold[0].Trials[i].Points[1].HeapBytes *= 9
	}
	text := strings.Join(strings.Fields(rendered(t, "text", f)), " ")
	for _, want := range []string{"nbio 2.22 GiB of heap and stacks", "not projected: gorilla (no line (R2", "not projected: nbio:iomod=mixed (the first 10,000"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
