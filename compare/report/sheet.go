package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// sheet is what the pictures share: one run, or several that are laid over each other cell by cell.
type sheet struct {
	runs       []*run
	engines    []string // in the order of the first file that has them
	strategies []string // the A/A control's is marked as such
}

// run is one results file of a sheet.
type run struct {
	*page
	letter    string // "" if it is the only one
	cells     map[place]*result.Cell
	firstNote int // the number of its first note: they count on from run to run
	doubts    int // how many of its notes are doubts and warnings; the others explain
}

// place is where a cell stands in every matrix.
type place struct{ engine, strategy string }

func (p place) String() string { return p.engine + " " + p.strategy }

func newSheet(files []*result.File) *sheet {
	s := &sheet{}
	next := 1
	for i, f := range files {
		doubts := ask(f, append(slices.Clone(doubters), warnings))
		r := &run{
			page:  &page{File: f, opt: Options{Width: 120, Wide: true}, notes: append(doubts, ask(f, explainers)...)},
			cells: map[place]*result.Cell{}, firstNote: next, doubts: len(doubts),
		}
		next += len(r.notes)
		if len(files) > 1 {
			r.letter = letter(i)
		}
		for j := range f.Cells {
			s.add(r, &f.Cells[j])
		}
		s.runs = append(s.runs, r)
	}
	return s
}

// letter names a run: A to Z, then A1.
func letter(i int) string {
	name := string(rune('A' + i%26))
	if i >= 26 {
		name += fmt.Sprint(i / 26)
	}
	return name
}

// add gives the cell a place of its own, whatever else the file holds.
func (s *sheet) add(r *run, c *result.Cell) {
	strategy := strings.TrimPrefix(name(c), c.Engine+" ")
	at := place{c.Engine, strategy}
	for n := 2; r.cells[at] != nil; n++ {
		at.strategy = fmt.Sprintf("%s #%d", strategy, n)
	}
	r.cells[at] = c
	if !slices.Contains(s.engines, at.engine) {
		s.engines = append(s.engines, at.engine)
	}
	if !slices.Contains(s.strategies, at.strategy) {
		s.strategies = append(s.strategies, at.strategy)
	}
}

// has says whether any run has a cell there.
func (s *sheet) has(at place) bool {
	return slices.ContainsFunc(s.runs, func(r *run) bool { return r.cells[at] != nil })
}

// rows are the places of the matrix, engine by engine.
func (s *sheet) rows() []place {
	var all []place
	for _, engine := range s.engines {
		for _, strategy := range s.strategies {
			if at := (place{engine, strategy}); s.has(at) {
				all = append(all, at)
			}
		}
	}
	return all
}

// series is the colour and shape of a run's cell: the engine's in a sheet of one run, the run's in one of several.
func (s *sheet) series(r int, at place) int {
	if len(s.runs) > 1 {
		return r
	}
	return slices.Index(s.engines, at.engine)
}

// called is a spec as pictures name it: a long one has a number, which legend explains.
func (s *sheet) called(engine string) string {
	if len(engine) <= shortSpec {
		return engine
	}
	base, _, _ := strings.Cut(engine, ":")
	return fmt.Sprintf("%s*%d", base, slices.Index(s.engines, engine)+1)
}

// shortSpec is the length of a spec that fits beside a bar.
const shortSpec = 12

func (s *sheet) label(at place) string {
	strategy := at.strategy
	if len(strategy) > 14 {
		strategy = strategy[:13] + "…"
	}
	return s.called(at.engine) + " " + strategy
}

// legend explains the short names, "" if there are none.
func (s *sheet) legend() string {
	var parts []string
	for _, engine := range s.engines {
		if short := s.called(engine); short != engine {
			parts = append(parts, short+" is "+engine)
		}
	}
	return strings.Join(parts, "; ")
}

// chosen is the trial of a cell that a picture shows.
type chosen struct {
	run    int
	at     place
	series int
	cell   *result.Cell
	trial  *result.Trial
}

// each chooses one trial a run at a place, the runs without a fitting one left out.
func (s *sheet) each(at place, by result.Measure, fits func(*result.Trial) bool) []chosen {
	var all []chosen
	for i, r := range s.runs {
		if c := r.cells[at]; c != nil {
			if t := middle(c, by, fits); t != nil {
				all = append(all, chosen{i, at, s.series(i, at), c, t})
			}
		}
	}
	return all
}

// middle is the good trial in the middle by a measure. A picture shows one trial that happened, not the mean of several.
func middle(c *result.Cell, by result.Measure, fits func(*result.Trial) bool) *result.Trial {
	trials := trialsWhere(c, func(t *result.Trial) bool { return t.Error == "" && fits(t) })
	if len(trials) == 0 {
		return nil
	}
	slices.SortStableFunc(trials, func(a, b *result.Trial) int {
		left, _ := by(a)
		right, _ := by(b)
		switch {
		case left < right:
			return -1
		case left > right:
			return 1
		}
		return 0
	})
	return trials[(len(trials)-1)/2]
}

// tag is what a picture says of a run where several are shown.
func (s *sheet) tag(c chosen) string {
	if letter := s.runs[c.run].letter; letter != "" {
		return letter + ": "
	}
	return ""
}
