package result

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	want := sample()
	if err := Write(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) != 0 {
		t.Errorf("temporary files left behind: %v", left)
	}
}

func TestWriteHasListsNotNulls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	f := &File{Cells: []Cell{{Trials: []Trial{{Healthy: &Phase{}}}}}, Verdict: []Claim{{}}} // everything else nil
	if err := Write(path, f); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	if strings.Contains(string(text), "null") {
		t.Errorf("null in\n%s", text)
	}
	if f.Cells[0].Trials[0].Healthy.FalseKills != nil || f.Warnings != nil {
		t.Error("Write changed the caller's file")
	}
}

func TestUnmeasuredIsAbsentNeverZero(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	f := &File{Cells: []Cell{{Trials: []Trial{{Healthy: &Phase{}, Stuck: &Phase{Blast: &Blast{}, Jam: &Jam{Clients: []JamClient{{}}}}}}}}}
	if err := Write(path, f); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	for _, key := range []string{"vs_bare", "latency_ns", "latency_due_ns", "last_client_ns", "hub_ns", "spectrum", "positions",
		"cpu_ns_per_delivery", "write_syscalls_per_round", "rss_bytes", "bytes_per_client", "lag_ns", "achieved_rate", "recovery",
		"late_clients", "worst_ns", "evicted_by", "evict_after_ns", "noticed_by", "notice_after_ns", "jam_round", "default_jam_after_ns"} {
		if strings.Contains(string(text), `"`+key+`"`) {
			t.Errorf("%s was not measured and is there", key)
		}
	}
}

func TestWriteReplacesAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "results.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink("results.json", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, sample()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v), the old file had 0600", info.Mode(), err)
	}
	if info, _ := os.Lstat(link); info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced instead of its target")
	}
	if _, err := Read(path); err != nil {
		t.Error(err)
	}
}

func TestWriteToADevice(t *testing.T) {
	if err := Write(os.DevNull, sample()); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatal("the device was replaced by a file")
	}
}

func TestDecodeRefusals(t *testing.T) {
	for _, row := range []struct {
		why, text, want string
	}{
		{"a later version names both", `{"schema":"wsfanout.result/2","cells":7}`, `the file is "wsfanout.result/2", this program understands "wsfanout.result/1"`},
		{"an empty file", ``, `it ends after 0 bytes`},
		{"cut off in the middle", `{"schema":"wsfanout.result/1","cells":[{"engine":"gor`, `it ends after 53 bytes`},
		{"a log file", "10:00 starting\n", `not a results file: no JSON at byte`},
		{"some other JSON", `{"name":"package"}`, `it has no "schema"`},
		{"a JSON list", `[1,2]`, `it holds a JSON array`},
		{"a value of the wrong kind", `{"schema":"wsfanout.result/1","cells":7}`, `"cells" is a number`},
	} {
		_, err := Decode(strings.NewReader(row.text))
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want one line with %q", row.why, err, row.want)
		}
	}
	_, err := Decode(strings.NewReader(`{"schema":"wsfanout.result/2"}`))
	if !errors.Is(err, ErrSchema) {
		t.Errorf("%v is not ErrSchema", err)
	}
}

func TestDecodeIgnoresKeysOfLaterAdditions(t *testing.T) {
	if _, err := Decode(strings.NewReader(`{"schema":"wsfanout.result/1","tune":[{"x":1}]}`)); err != nil {
		t.Error(err)
	}
}

func TestReadNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "half.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path + ".missing"} {
		if _, err := Read(p); err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%s is not named: %v", p, err)
		}
	}
}

func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept.json")
	if err := os.WriteFile(kept, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		why, path string
		ok        bool
	}{
		{"a new file", filepath.Join(dir, "new.json"), true},
		{"an existing file", kept, true},
		{"a device", os.DevNull, true},
		{"a directory", dir, false},
		{"a directory that does not exist", filepath.Join(dir, "no", "such.json"), false},
		{"a file used as a directory", filepath.Join(kept, "x.json"), false},
	} {
		if err := CheckWritable(row.path); (err == nil) != row.ok {
			t.Errorf("%s: %v", row.why, err)
		}
	}
	if text, _ := os.ReadFile(kept); string(text) != "kept" {
		t.Errorf("the existing file now holds %q", text)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

// sample is a small file with every list set, as a reader sees it.
func sample() *File {
	late, writes, bare := 10, 12.5, int64(90)
	return &File{
		Schema: Schema, Started: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), DurationNs: 5, Complete: true, Tool: Tool{Modules: map[string]string{}},
		Plan: Plan{Engines: []string{"gorilla"}, Strategies: []string{"seq"}},
		Cells: []Cell{{
			Engine: "gorilla", Strategy: "seq", Options: map[string]string{"writetimeout": "1s"}, Footnotes: []string{"note"},
			Summary: map[string]Summary{"reach": {Median: 1}},
			Trials: []Trial{{Trial: 1, Warnings: []string{}, WallNs: 9, Recovery: &Recovery{FDs: 1},
				Healthy: &Phase{FalseKills: map[string]int{}, RoundsDetail: []Round{{N: 1, BareLastNs: &bare}},
					Server: Server{WriteSyscallsPerRound: &writes}},
				Stuck: &Phase{FalseKills: map[string]int{"EOF": 1}, RoundsDetail: []Round{}, Blast: &Blast{LateClients: &late}}}},
		}},
		Verdict: []Claim{{Kind: "recommendation", Text: "a >= b", Cells: []string{"gorilla seq"}}}, Warnings: []string{},
	}
}
