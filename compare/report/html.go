package report

import (
	"cmp"
	_ "embed" // the template and the style sheets
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

//go:embed html.css
var htmlStyle string

//go:embed svg.css
var svgStyle string

//go:embed html.tmpl
var htmlText string

var htmlTemplate = template.Must(template.New("report").Parse(htmlText))

// HTML writes one self-contained page: it loads nothing and has no script. Several files are laid over each other, cell by cell; they are
// lettered A, B, ... in the order given.
func HTML(w io.Writer, files []*result.File) error {
	if len(files) == 0 {
		return errors.New("a report needs a results file")
	}
	return htmlTemplate.Execute(w, newSheet(files).page())
}

// htmlPage is what the template shows.
type htmlPage struct {
	Style             template.CSS
	Question          string
	Runs              []htmlRun
	Columns           []matrixColumn
	Rows              []matrixRow
	Healthy, Stuck    int // columns of the two halves
	StuckTitle        string
	StuckHow          string // where the stuck clients are and how long a write may take
	Best              bool   // some cell is marked
	Matrix            bool   // there is one, or would be
	Legend            string
	Figures, Further  [][]picture
	Setup             []setupRow
	Method, Limits    []string
	Several, Measured bool
}

// htmlRun is what each run says for itself.
type htmlRun struct {
	Letter, Heading, When, Provisional string
	Claims                             []claim
	Keys                               []keyed
	Doubts, Explanations               []numbered
	Differences                        []differing
	Options                            []keyed
	Tables                             []htmlTable
	Beyond                             string
	Experiments                        []htmlExperiment
}

// differing is a set of cells and how they differ from a library's defaults.
type differing struct {
	Cells string
	Texts []string
}

// claim is one of the verdict. Those with a key stand below the matrix: what would turn a recommendation over, and the noise.
type claim struct{ Key, Text, Evidence string }

// keyed is a sentence with a word in front.
type keyed struct{ Key, Text string }

type numbered struct {
	N    int
	Text string
}

// htmlTable is a table of the text report with all its columns.
type htmlTable struct {
	Title, Lead string
	Heads       []string
	Rows        []htmlLine
}

// htmlCell may have the file's number behind its text, named by its key.
type htmlCell struct{ Text, Value, Key string }

type htmlLine struct {
	Label string
	Cells []htmlCell
	Free  string
	Span  int
}

func (s *sheet) page() *htmlPage {
	columns, rows := s.matrix()
	page := &htmlPage{
		Matrix: !s.all(func(r *run) bool { return onlyExperiments(r.File) }),
		Style:  template.CSS(svgStyle + htmlStyle), Question: s.question(), Columns: columns, Rows: rows, Legend: s.legend(),
		Figures: s.figures(), Further: s.further(), Setup: s.setup(), Method: s.method(), Limits: s.limits(), Several: len(s.runs) > 1,
	}
	for _, c := range columns {
		if c.Stuck {
			page.Stuck++
		} else {
			page.Healthy++
		}
	}
	for _, r := range s.runs {
		page.Runs = append(page.Runs, r.html())
		page.Measured = page.Measured || anyMeasured(r.File)
		if anyStuck(r.File) && page.StuckTitle == "" {
			what, how, _ := strings.Cut(sentence(r.stuckTitle()), " (")
			page.StuckTitle, page.StuckHow = what, strings.TrimSuffix(how, ")")
		}
	}
	page.Best = slices.ContainsFunc(rows, func(r matrixRow) bool {
		return slices.ContainsFunc(r.Figures, func(f matrixFigure) bool { return f.Best })
	})
	return page
}

// sentence is a title of the terminal's report without its capitals; what stands in brackets has none.
func sentence(title string) string {
	what, rest, _ := strings.Cut(title, " (")
	if what == "" {
		return title
	}
	return what[:1] + strings.ToLower(what[1:]) + " (" + rest
}

// question is what the run was made to answer.
func (s *sheet) question() string {
	first := s.runs[0]
	if onlyExperiments(first.File) {
		return experimentsOf(first.File)[0].question
	}
	text := fmt.Sprintf("When does the last of %s have the message", clientsText(first.Plan))
	if !anyStuck(first.File) {
		return text + "?"
	}
	who := strings.ToLower(strings.Join(first.misbehaviour(), ", "))
	return fmt.Sprintf("%s, and who waits when %s?", text, who)
}

func (r *run) html() htmlRun {
	head, provisional, _ := strings.Cut(strings.TrimSpace(heading(r.page)), "\n")
	h := htmlRun{
		Letter: r.letter, Heading: pretty(head), Provisional: provisional, When: r.Started.UTC().Format("2 January 2006, 15:04 UTC"),
		Options: r.options(), Tables: r.tables(), Beyond: pretty(r.beyond()), Experiments: r.experiments(),
	}
	for _, c := range r.claims() {
		if c.Key == "" {
			h.Claims = append(h.Claims, c)
		} else {
			h.Keys = append(h.Keys, keyed{c.Key, c.Text})
		}
	}
	h.Keys = once(append(h.Keys, r.keys()...))
	for _, d := range differencesBySet(r.File) {
		one := differing{Cells: d.cells}
		for _, text := range d.texts {
			one.Texts = append(one.Texts, strings.TrimPrefix(text, d.cells+": "))
		}
		h.Differences = append(h.Differences, one)
	}
	for i, n := range r.notes {
		one := numbered{r.firstNote + i, pretty(n.text)}
		if i < r.doubts {
			h.Doubts = append(h.Doubts, one)
		} else {
			h.Explanations = append(h.Explanations, one)
		}
	}
	return h
}

// claims are the verdict of the file, or what its trials support if it was written without one.
func (r *run) claims() []claim {
	said := r.Verdict
	if len(said) == 0 {
		said = Verdict(r.File)
	}
	var all []claim
	for _, c := range said {
		text := c.Text
		if c.Kind == result.KindFlip {
			text = strings.TrimPrefix(text, "flips ")
		}
		all = append(all, claim{asideKeys[c.Kind], pretty(text), pretty(c.Evidence)})
	}
	if all == nil && !onlyExperiments(r.File) {
		all = []claim{{Text: "none: nothing is measured yet"}}
	}
	return all
}

// asideKeys are of the claims that do not belong to the first screen.
var asideKeys = map[string]string{result.KindNoise: "noise floor", result.KindFlip: "it flips"}

// once leaves a key out where it is that of the sentence above.
func once(all []keyed) []keyed {
	last := ""
	for i := range all {
		key := all[i].Key
		if key == last {
			all[i].Key = ""
		}
		last = key
	}
	return all
}

// keys are the sentences between the matrix and its notes.
func (r *run) keys() []keyed {
	var all []keyed
	for _, m := range r.matrices() {
		all = append(all, m.payKeys()...)
	}
	if text := capacityText(r.File); text != "" {
		all = append(all, keyed{"capacity", pretty(text)})
	}
	if text := fleetText(r.File); text != "" {
		all = append(all, keyed{"fleet", pretty(text)})
	}
	return all
}

// fleetText says whether the measuring side was the limit.
func fleetText(f *result.File) string {
	var busy, lag float64
	for i := range f.Cells {
		busy = max(busy, worst(&f.Cells[i], ofHealthy(func(p *result.Phase) float64 { return p.Fleet.BusyShare })))
		lag = max(lag, worst(&f.Cells[i], ofHealthy(func(p *result.Phase) float64 { return float64(p.Fleet.Lag.P99) })))
	}
	if busy == 0 {
		return ""
	}
	verdict := "not the limit"
	if busy > busyLimit {
		verdict = "it was the limit in a cell"
	}
	return fmt.Sprintf("%s: its readers were busy for at most %s of the time (doubted above %s) and picked 99 %% of the messages up within %s of "+
		"their arrival, which is not part of any latency", verdict, percent(busy), percent(busyLimit), duration(lag))
}

// tables are those of the text report, wide. They carry no note numbers: the matrix does.
func (r *run) tables() []htmlTable {
	bare := &page{File: r.File, opt: r.opt}
	all := r.experimentTables()
	if len(r.Cells) > 0 {
		all = append(all, tableOf("Everybody reads", bare.healthyGrid()))
	}
	if anyStuck(r.File) {
		all = append(all, tableOf(sentence(bare.stuckTitle()), bare.stuckGrid()))
	}
	return all
}

func tableOf(title string, g *grid) htmlTable {
	t := htmlTable{Title: title}
	for _, c := range g.columns[labelColumns:] {
		t.Heads = append(t.Heads, c.head)
	}
	for _, row := range g.rows {
		line := htmlLine{Label: strings.Join(row.cells[:labelColumns], " "), Free: pretty(row.free), Span: len(t.Heads)}
		for _, cell := range row.cells[labelColumns:] {
			line.Cells = append(line.Cells, htmlCell{Text: pretty(cmp.Or(strings.Join(strings.Fields(cell), " "), "–"))})
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}
