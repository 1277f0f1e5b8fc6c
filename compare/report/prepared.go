package report

import (
	"fmt"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// preparedOf pairs the strategies that frame, and compress, once a round with those that do so for each client.
var preparedOf = map[string]string{"seqprep": "seq", "shardprep": "shard"}

// prepared is the line under the table that says by how much prepared frames pay. Without compression it is the system call
// that costs, and the column shows all there is to say.
func prepared(p *page) string {
	if !p.Plan.Compress {
		return ""
	}
	var out strings.Builder
	key := "prepared"
	for _, engine := range enginesOf(p.File) {
		if text := preparedText(p.File, engine); text != "" {
			out.WriteString(p.keyed(key, text))
			key = ""
		}
	}
	return out.String()
}

// preparedText compares each prepared strategy of an engine with its plain counterpart; "" if there is no pair.
func preparedText(f *result.File, engine string) string {
	var parts []string
	for _, c := range f.Compared() {
		name, options, _ := strings.Cut(c.Strategy, ":")
		base, ok := preparedOf[name]
		if !ok || c.Engine != engine {
			continue
		}
		if options != "" {
			base += ":" + options
		}
		plain := f.Find(engine + "/" + base)
		if plain == nil {
			continue
		}
		if change, ok := result.Compare(plain.Values(cpu), c.Values(cpu)); ok {
			parts = append(parts, fmt.Sprintf("%s costs %sx of %s %s", c.Strategy, significant(change.Ratio), base, ratioInterval(change)))
		}
	}
	if parts == nil {
		return ""
	}
	return engine + ", server CPU per delivery: " + strings.Join(parts, ", ")
}

func ratioInterval(c result.Change) string {
	if c.Lo == nil {
		return "(a ratio without an interval, no claim)"
	}
	return fmt.Sprintf("(%s..%s)", significant(*c.Lo), significant(*c.Hi))
}

// wire is the figure that shows what compression leaves of a message.
var wire = figure{column{"wire B", true}, medians(wireBytes, count)}

var wireBytes = ofHealthy(func(p *result.Phase) float64 { return p.Fleet.WireBytesPerDelivery })

// withAsked adds the columns that this run was asked for. In the narrow table each takes the place of one that says less.
func (p *page) withAsked(figures []figure) []figure {
	var asked []figure
	if p.Plan.Compress || p.opt.Wide && measuredAnywhere(p.File, wireBytes) {
		asked = append(asked, wire)
	}
	if p.Plan.SLONs > 0 {
		asked = append(asked, figure{column{head: "in " + exact(float64(p.Plan.SLONs))}, each(inTime)})
	}
	kept := slices.Clone(figures)
	for i, spared := range []string{"goroutines", "p50 ms"} {
		if i < len(asked) && !p.opt.Wide {
			kept = slices.DeleteFunc(kept, func(f figure) bool { return f.head == spared })
		}
	}
	return append(kept, asked...)
}

func measuredAnywhere(f *result.File, measure result.Measure) bool {
	for i := range f.Cells {
		if _, ok := f.Cells[i].Over(measure); ok {
			return true
		}
	}
	return false
}
