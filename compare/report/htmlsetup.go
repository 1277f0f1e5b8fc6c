package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// setupRow is one fact of plan, machine or tool, for every run.
type setupRow struct {
	Key     string
	Values  []string
	Differs bool
	Group   string // the first row of a group has its name
}

type setupFact struct {
	key  string
	text func(*result.File) string
}

var setupFacts = []struct {
	group string
	facts []setupFact
}{
	{"plan", []setupFact{
		{"engines", func(f *result.File) string { return strings.Join(f.Plan.Engines, ", ") }},
		{"strategies", func(f *result.File) string { return strings.Join(f.Plan.Strategies, ", ") }},
		{"healthy clients", func(f *result.File) string {
			return strings.TrimSuffix(strings.TrimSuffix(clientsText(f.Plan), "s"), " client") + ", in " + f.Plan.Order + " order"
		}},
		{"message", func(f *result.File) string { return sizeText(f.Plan) + travels(f.Plan) }},
		{"rounds", func(f *result.File) string {
			return fmt.Sprintf("%d, one every %s, after %d of warm-up", f.Plan.Rounds, exact(float64(f.Plan.IntervalNs)), f.Plan.Warmup)
		}},
		{"trials", func(f *result.File) string {
			return fmt.Sprintf("%d, each with fresh processes, in random order (seed %d)", f.Plan.Trials, f.Plan.Seed)
		}},
		{"write timeout", func(f *result.File) string { return timeoutOf(f.Plan.WriteTimeoutNs) }},
		{"stuck clients", stuckPlan},
		{"shards", func(f *result.File) string { return count(float64(f.Plan.Shards)) }},
		{"GOMAXPROCS", func(f *result.File) string { return count(float64(f.Plan.GOMAXPROCS)) }},
		{"send buffer", func(f *result.File) string {
			if f.Plan.SndBuf == 0 {
				return "the kernel's own choice"
			}
			return size(float64(f.Plan.SndBuf))
		}},
	}},
	{"machine", []setupFact{
		{"processor", func(f *result.File) string {
			return fmt.Sprintf("%s, %s", f.Host.CPUModel, cores(f.Host))
		}},
		{"memory", func(f *result.File) string { return size(float64(f.Host.MemBytes)) }},
		{"kernel", func(f *result.File) string { return f.Host.Kernel + containerText(f.Host) }},
		{"open files", func(f *result.File) string { return count(float64(f.Host.NoFile)) }},
		{"somaxconn", func(f *result.File) string { return count(float64(f.Host.SoMaxConn)) }},
		{"tcp_wmem", func(f *result.File) string { return f.Host.TCPWmem }},
		{"tcp_rmem", func(f *result.File) string { return f.Host.TCPRmem }},
		{"local ports", func(f *result.File) string { return f.Host.PortRange }},
	}},
	{"tool", []setupFact{
		{"version", func(f *result.File) string { return toolText(f.Tool) }},
		{"Go", func(f *result.File) string { return f.Tool.Go }},
		{"libraries", func(f *result.File) string {
			var parts []string
			for _, module := range slices.Sorted(maps.Keys(f.Tool.Modules)) {
				parts = append(parts, module+" "+f.Tool.Modules[module])
			}
			return strings.Join(parts, ", ")
		}},
	}},
}

func timeoutOf(ns int64) string {
	if ns == 0 {
		return "none"
	}
	return exact(float64(ns))
}

func stuckPlan(f *result.File) string {
	if f.Plan.Stuck == 0 {
		return "none"
	}
	return fmt.Sprintf("%s, %s in the list, jam %s, %s buffers", count(float64(f.Plan.Stuck)), f.Plan.StuckAt, f.Plan.Jam, f.Plan.StuckBuffers)
}

func containerText(h result.Host) string {
	if !h.Container {
		return ""
	}
	if h.CPUQuota > 0 {
		return fmt.Sprintf(", in a container that may use %s CPUs", plain(h.CPUQuota))
	}
	return ", in a container"
}

func toolText(t result.Tool) string {
	text := t.Version
	if t.Commit != "" {
		text += ", commit " + t.Commit
	}
	if t.Dirty {
		text += ", with local changes"
	}
	return text
}

// setup puts the runs beside each other and marks where they differ.
func (s *sheet) setup() []setupRow {
	var rows []setupRow
	rows = s.experimentFacts()
	for _, g := range setupFacts {
		group := g.group
		if group == "plan" && s.all(func(r *run) bool { return onlyExperiments(r.File) }) {
			continue // the experiments named what of it means something
		}
		for _, fact := range g.facts {
			row := setupRow{Key: fact.key, Group: group}
			for _, r := range s.runs {
				row.Values = append(row.Values, fact.text(r.File))
				row.Differs = row.Differs || row.Values[0] != row.Values[len(row.Values)-1]
			}
			rows, group = append(rows, row), ""
		}
	}
	return rows
}

// experimentFacts are the plans of the experiments, in the order of the first run that has each fact.
func (s *sheet) experimentFacts() []setupRow {
	var rows []setupRow
	for i, r := range s.runs {
		for _, e := range experimentsOf(r.File) {
			for _, fact := range e.facts {
				at := slices.IndexFunc(rows, func(row setupRow) bool { return row.Key == fact.Key })
				if at < 0 {
					at, rows = len(rows), append(rows, setupRow{Key: fact.Key, Values: make([]string, len(s.runs))})
				}
				rows[at].Values[i] = fact.Text
			}
		}
	}
	for i := range rows {
		rows[i].Differs = len(slices.Compact(slices.Clone(rows[i].Values))) > 1
	}
	if rows != nil {
		rows[0].Group = "plan"
	}
	return rows
}

// options are those in force on each engine, also the defaults.
func (r *run) options() []keyed {
	var all []keyed
	for _, engine := range enginesOf(r.File) {
		for _, c := range r.Cells {
			if c.Engine != engine {
				continue
			}
			var parts []string
			for _, name := range slices.Sorted(maps.Keys(c.Options)) {
				parts = append(parts, name+"="+c.Options[name])
			}
			all = append(all, keyed{engine, strings.Join(parts, " ")})
			break
		}
	}
	return all
}
