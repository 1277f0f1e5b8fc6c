package report

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// matrixColumn is one figure of the first screen.
type matrixColumn struct {
	Head, Hint string
	Key        string // names the figure for whoever reads the page by machine
	Stuck      bool   // of the stuck phase
	Bar        bool
	Neutral    bool // less is not better
	Apart      bool // only where server and clients have different clocks
	value      result.Measure
	show       func([]*result.Cell) []string
}

var matrixColumns = []matrixColumn{
	{Head: "last client", Hint: "when the last client of a round has the message, from the real start of the round",
		Key: "last_client_ns", Bar: true, value: lastOf, show: summaries("last_client_ns", duration, relative)},
	{Head: "clock", Hint: "by how much every latency of the row may be off, since server and clients have different clocks",
		Key: "clock_uncertainty_ns", Neutral: true, Apart: true, value: clockDoubt, show: each(clockText)},
	{Head: "spread", Hint: "from the first client of a round to the last, which needs no common clock",
		Key: "spread_ns", Apart: true, value: spread, show: medians(spread, duration)},
	{Head: "vs bare", Hint: "last client over that of a plain loop of write(2) in the round beside it",
		Key: "vs_bare", value: vsBareOf, show: summaries("vs_bare", ratio, absolute)},
	{Head: "CPU/delivery (user)", Hint: "CPU of the server for one delivery, and the part outside the kernel",
		Key: "cpu_ns_per_delivery", value: cpu, show: cpuWithUser},
	{Head: "KiB/client", Hint: "heap and stacks of the server for one client",
		Key: "bytes_per_client", value: bytesPerClient, show: medians(bytesPerClient, kib)},
	{Head: "goroutines", Key: "goroutines", value: goroutines, show: medians(goroutines, count)},
	{Head: "late clients", Hint: "healthy clients that had a message much later than they are used to",
		Key: "late_clients", Stuck: true, Bar: true, value: lateClients, show: each(lateOf)},
	{Head: "worst healthy", Hint: "longest delivery to a client that reads",
		Key: "worst_ns", Stuck: true, value: worstHealthy, show: medians(worstHealthy, duration)},
	{Head: "held for it", Hint: "most bytes that the server held for one stuck client",
		Key: "held_bytes_max", Stuck: true, Neutral: true, value: heldMost, show: each(heldOf)},
}

// matrixRow is a cell of one run. The first row of a cell carries its name for all runs.
type matrixRow struct {
	At               place
	Engine, Strategy string
	Span             int // runs, 0 on the rows after the first
	Run              string
	Notes            []int
	Figures          []matrixFigure
	Apart            bool // another engine begins
}

type matrixFigure struct {
	Text, Interval string
	Key            string
	Value          string // as in the results file
	Bar            float64
	HasBar         bool
	Best           bool
	Span           int // of a reason why there are no figures
	Failed         bool
}

// matrix is the table of the first screen: every cell of every run, with the columns that any run has figures for.
func (s *sheet) matrix() (columns []matrixColumn, rows []matrixRow) {
	columns = s.matrixColumns()
	figures := map[*result.Cell][]matrixFigure{}
	for _, r := range s.runs {
		for c, row := range r.figures(columns) {
			figures[c] = row
		}
	}
	engine := ""
	for _, at := range s.rows() {
		first := true
		for _, r := range s.runs {
			c := r.cells[at]
			if c == nil {
				continue
			}
			row := matrixRow{At: at, Engine: at.engine, Strategy: at.strategy, Run: r.letter, Notes: r.notesOn(c), Figures: figures[c]}
			if first {
				row.Span, row.Apart = s.runsWith(at), at.engine != engine
				first, engine = false, at.engine
			}
			rows = append(rows, row)
		}
	}
	return columns, rows
}

func (s *sheet) runsWith(at place) int {
	n := 0
	for _, r := range s.runs {
		if r.cells[at] != nil {
			n++
		}
	}
	return n
}

func (s *sheet) matrixColumns() []matrixColumn {
	stuck := slices.ContainsFunc(s.runs, func(r *run) bool { return anyStuck(r.File) })
	apart := slices.ContainsFunc(s.runs, func(r *run) bool { return r.ClockUncertainty() > 0 })
	return slices.DeleteFunc(slices.Clone(matrixColumns), func(c matrixColumn) bool { return c.Stuck && !stuck || c.Apart && !apart })
}

// figures are those of all cells of the run, column by column, since a column has one unit.
func (r *run) figures(columns []matrixColumn) map[*result.Cell][]matrixFigure {
	all := map[*result.Cell][]matrixFigure{}
	for _, column := range columns {
		cells := r.measuredFor(column)
		best, top := bestOf(cells, column), 0.0
		for _, c := range cells {
			if s, ok := c.Over(column.value); ok {
				top = max(top, s.Median)
			}
		}
		texts := map[*result.Cell]string{}
		for i, text := range column.show(cells) {
			texts[cells[i]] = text
		}
		for i := range r.Cells {
			c := &r.Cells[i]
			all[c] = append(all[c], figureOfCell(c, column, texts[c], slices.Contains(best, c), top))
		}
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		all[c] = withReasons(c, columns, all[c])
	}
	return all
}

func (r *run) measuredFor(column matrixColumn) []*result.Cell {
	var cells []*result.Cell
	for i := range r.Cells {
		if c := &r.Cells[i]; column.Stuck && hasProof(c) || !column.Stuck && isMeasured(c) {
			cells = append(cells, c)
		}
	}
	return cells
}

func figureOfCell(c *result.Cell, column matrixColumn, text string, best bool, top float64) matrixFigure {
	f := matrixFigure{Key: column.Key, Best: best}
	f.Text, f.Interval, _ = strings.Cut(pretty(cmp.Or(strings.Join(strings.Fields(text), " "), "–")), " ±")
	if f.Interval != "" {
		f.Interval = "±" + f.Interval
	}
	s, ok := c.Over(column.value)
	if !ok {
		return f
	}
	f.Value = plainNumber(s.Median)
	if column.Key == "late_clients" {
		if top = float64(c.Clients); !resolvable(c) {
			return f
		}
	}
	if column.Bar && top > 0 {
		f.HasBar, f.Bar = true, 100*s.Median/top
	}
	return f
}

// withReasons puts one sentence in the place of figures that a cell does not have.
func withReasons(c *result.Cell, columns []matrixColumn, figures []matrixFigure) []matrixFigure {
	stuck := slices.IndexFunc(columns, func(c matrixColumn) bool { return c.Stuck })
	if stuck < 0 {
		stuck = len(columns)
	}
	errors, calm := failures(c), neverJammed(c)
	switch {
	case !isMeasured(c) && len(errors) > 0:
		return []matrixFigure{{Text: "failed: " + errors[len(errors)-1], Span: len(columns), Failed: true}}
	case !isMeasured(c):
		return []matrixFigure{{Text: "not measured yet", Span: len(columns)}}
	case stuck < len(columns) && !hasProof(c) && len(calm) > 0:
		return append(figures[:stuck:stuck], matrixFigure{Text: "never jammed, so its calm proves nothing", Span: len(columns) - stuck, Failed: true})
	}
	return figures
}

// bestOf are the cells that are not shown to be worse than the lowest median: their intervals overlap its own. None, if an
// interval is missing or all overlap: then the column does not choose.
func bestOf(cells []*result.Cell, column matrixColumn) []*result.Cell {
	if column.Neutral || len(cells) < 2 {
		return nil
	}
	summaries := map[*result.Cell]result.Summary{}
	lowest := cells[0]
	for _, c := range cells {
		s, ok := c.Over(column.value)
		if !ok || s.Lo == nil || s.Hi == nil || column.Key == "late_clients" && !resolvable(c) {
			return nil
		}
		if summaries[c] = s; s.Median < summaries[lowest].Median {
			lowest = c
		}
	}
	var best []*result.Cell
	for _, c := range cells {
		if *summaries[c].Lo-c.ClockDoubt(column.Key) <= *summaries[lowest].Hi+lowest.ClockDoubt(column.Key) {
			best = append(best, c)
		}
	}
	if len(best) == len(cells) {
		return nil
	}
	return best
}

// notesOn are the numbers of the notes that mark the cell in either half.
func (r *run) notesOn(c *result.Cell) []int {
	row := -1
	for i := range r.Cells {
		if &r.Cells[i] == c {
			row = i
		}
	}
	var numbers []int
	for i, n := range r.notes {
		if slices.Contains(n.rows, row) {
			numbers = append(numbers, r.firstNote+i)
		}
	}
	return numbers
}

// BarWidth is for the style attribute, whose value the template would not take from a number.
func (f matrixFigure) BarWidth() template.CSS { return template.CSS("width:" + px(f.Bar) + "%") }
