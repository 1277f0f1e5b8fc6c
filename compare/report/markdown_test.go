package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestMarkdownGolden(t *testing.T) {
	for _, row := range []struct{ file, golden string }{
		{"pictures.json", "pictures.md"},
		{"troubled.json", "troubled.md"}, // failed cells, long specs
	} {
		var out bytes.Buffer
		if err := Markdown(&out, load(t, row.file), Options{}); err != nil {
			t.Fatal(err)
		}
		golden(t, row.golden, out.Bytes())
	}
}

// A row with more or fewer cells than its head breaks the table where it is rendered.
func TestMarkdownTablesAreStraight(t *testing.T) {
	for _, file := range []string{"pictures.json", "variants.json", "troubled.json", "onetrial.json"} {
		var out bytes.Buffer
		if err := Markdown(&out, load(t, file), Options{Wide: true}); err != nil {
			t.Fatal(err)
		}
		width := 0
		for line := range strings.Lines(out.String()) {
			if !strings.HasPrefix(line, "|") {
				width = 0
				continue
			}
			bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if width == 0 {
				width = bars
			}
			if bars != width {
				t.Errorf("%s: %d bars, want %d: %s", file, bars, width, line)
			}
		}
	}
}

func TestMarkdownText(t *testing.T) {
	if got, want := markdownText("a|b *c* _d_ <e> `f` 3 us +-4 %"), "a\\|b \\*c\\* \\_d\\_ &lt;e> \\`f\\` 3 µs ±4 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCSVGolden(t *testing.T) {
	var out bytes.Buffer
	if err := CSV(&out, load(t, "troubled.json"), Options{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "troubled.csv", out.Bytes())
}

func TestCSVHasARowForEachCellAndTrial(t *testing.T) {
	f := load(t, "pictures.json")
	var out bytes.Buffer
	if err := CSV(&out, f, Options{}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll() // which checks that all rows are as long as the head
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+len(f.Cells)*f.Plan.Trials {
		t.Errorf("%d rows", len(rows))
	}
	column := func(name string) int {
		at := slices.Index(rows[0], name)
		if at < 0 {
			t.Fatalf("no column %q in %v", name, rows[0])
		}
		return at
	}
	c, trial := &f.Cells[0], &f.Cells[0].Trials[0]
	for name, want := range map[string]string{
		"engine":                              c.Engine,
		"healthy_last_client_ns_median":       strconv.FormatInt(trial.Healthy.LastClient.Median, 10),
		"healthy_server_bytes_per_client":     strconv.FormatFloat(trial.Healthy.Server.BytesPerClient, 'f', -1, 64),
		"stuck_jam_held_bytes_max":            strconv.FormatInt(trial.Stuck.Jam.Clients[0].HeldBytesMax, 10),
		"stuck_jam_noticed_by":                trial.Stuck.Jam.Clients[0].NoticedBy,
		"stuck_blast_late_clients":            strconv.Itoa(*trial.Stuck.Blast.LateClients),
		"stuck_vs_bare_median":                "", // there are no bare rounds: not measured is empty
		"healthy_server_gc_pause_ns":          strconv.FormatInt(trial.Healthy.Server.GCPauseNs, 10),
		"stuck_rounds_due_while_hub_busy":     "3",
		"healthy_closed_clients":              "0",
		"healthy_fleet_cpu_ns_per_delivery":   strconv.FormatFloat(trial.Healthy.Fleet.CPUNsPerDelivery, 'f', -1, 64),
		"healthy_server_involuntary_switches": strconv.FormatInt(trial.Healthy.Server.InvoluntarySwitches, 10),
	} {
		if got := rows[1][column(name)]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(rows[0])))) != len(rows[0]) {
		t.Error("two columns have the same name")
	}
}
