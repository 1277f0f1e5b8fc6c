package result

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A key that changes its name, type or presence breaks every results file out there: then it is a new version.
func TestSchemaIsPinned(t *testing.T) {
	var got strings.Builder
	fmt.Fprintln(&got, Schema)
	describe(&got, "", reflect.TypeFor[File]())
	golden(t, "schema.golden", []byte(got.String()))
}

// The example of the design document decodes without an unknown key, and carries every key that it should.
func TestDocumentedExampleHasNoUnknownKey(t *testing.T) {
	for _, row := range []struct {
		name string
		into any
	}{
		{"example_file.json", &File{}},
		{"example_phase.json", &Phase{}},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", row.name))
		if err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(row.into); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// Every key of this package is in the example too, so that neither side has what the other lacks.
func TestDocumentedExampleHasEveryKey(t *testing.T) {
	// Additive, not in the example of version 1.
	added := map[string]bool{
		".plan.cpus": true, ".plan.slow": true, ".plan.slow_rate_bytes": true, ".plan.vanish": true, ".plan.resume_ns": true,
		".plan.clients_list": true, ".plan.clients_list[]": true, ".plan.size_list": true, ".plan.size_list[]": true,
		".plan.compress": true, ".plan.tls": true, ".plan.slo_ns": true, ".plan.project_clients": true, ".plan.inbound_per_second": true,
		".plan.inbound_size_bytes": true, ".cells[].group": true, ".fleet.wire_bytes_per_delivery": true,
		".slo": true, ".slo.ns": true, ".slo.share": true, ".slo.clients": true,
		".inbound": true, ".inbound.sent": true, ".inbound.delivered": true, ".inbound.skipped": true,
		".cells[].trials[].wall_ns": true, ".jam.heap_growth_bytes": true, ".jam.clients[].only_at_end": true,
		".jam.clients[].bounded": true, ".jam.clients[].queued_max": true, ".others[].outcome": true,
		".jammed_positions[][]":   true,
		".cells[].trials[].clock": true, ".cells[].trials[].clock.shared": true, ".cells[].trials[].clock.offset_ns": true,
		".cells[].trials[].clock.drift_ppm": true, ".cells[].trials[].clock.uncertainty_ns": true, ".cells[].trials[].clock.exchanges": true,
		".spread_ns": true, ".spread_ns.median": true, ".spread_ns.worst": true,
		".plan.detect_within_ns": true, ".plan.scale": true, ".plan.under_load": true,
		".plan.offered_per_second": true, ".plan.offered_share": true,
	}
	experiments := []string{".tune[]", ".hold[]", ".block[]", ".echo[]"} // additive, too
	for _, row := range []struct {
		name string
		of   reflect.Type
	}{
		{"example_file.json", reflect.TypeFor[File]()},
		{"example_phase.json", reflect.TypeFor[Phase]()},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", row.name))
		if err != nil {
			t.Fatal(err)
		}
		var example any
		if err := json.Unmarshal(text, &example); err != nil {
			t.Fatal(err)
		}
		documented := map[string]bool{}
		keysOf(documented, "", example)
		var ours strings.Builder
		describe(&ours, "", row.of)
		for line := range strings.Lines(ours.String()) {
			key := strings.Fields(line)[0]
			insidePhase := strings.Contains(key, "healthy.") || strings.Contains(key, "stuck.")
			if strings.Contains(key, "{}") || slices.ContainsFunc(experiments, func(e string) bool { return strings.HasPrefix(key, e) }) {
				continue // the keys of a map are data
			}
			if !insidePhase && !documented[key] && !added[key] {
				t.Errorf("%s does not show %s", row.name, key)
			}
		}
	}
}

// describe writes one line a key: its path, its JSON type, and whether it may be absent.
func describe(w *strings.Builder, path string, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.String() == "time.Time" {
		return
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		optional := ""
		if strings.HasPrefix(options, "omit") {
			optional = " optional"
		}
		key := path + "." + name
		inner := field.Type
		for marks := map[reflect.Kind]string{reflect.Slice: "[]", reflect.Map: "{}", reflect.Array: "[]", reflect.Pointer: ""}; ; {
			mark, wraps := marks[inner.Kind()]
			if !wraps {
				break
			}
			key, inner = key+mark, inner.Elem()
		}
		fmt.Fprintf(w, "%s %s%s\n", key, inner.Kind(), optional)
		describe(w, key, inner)
	}
}

// keysOf collects the paths of a decoded JSON value in the form that describe uses.
func keysOf(into map[string]bool, path string, v any) {
	into[path] = true
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			keysOf(into, path+"."+key, inner)
		}
	case []any:
		into[path+"[]"] = true
		for _, inner := range v {
			keysOf(into, path+"[]", inner)
		}
	}
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
		t.Errorf("%s differs; after an additive change run the test with -update. Got:\n%s", path, got)
	}
}
