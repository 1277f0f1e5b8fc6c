package report

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pasted are the snippets for every engine and way, as files. They bring no imports, which an editor adds.
func pasted(library, imports, code string) string {
	head := "package pasted\n\nimport (\n"
	for _, path := range strings.Fields(imports + " time") {
		head += "\t\"" + path + "\"\n"
	}
	return head + "\n\t\"" + library + "\"\n)\n\n" + strings.ReplaceAll(code, "%s", "27 * time.Second")
}

func pastedFiles() map[string]string {
	return map[string]string{
		"nbio":         pasted("github.com/lesismal/nbio/nbhttp/websocket", "sync", nbioCode),
		"gorilla":      pasted("github.com/gorilla/websocket", "net", gorillaCode),
		"gorillapongs": pasted("github.com/gorilla/websocket", "net", gorillaPongCode),
	}
}

// The code must be fit to paste: formatted, for every engine and way.
func TestTuneSnippetsAreFormatted(t *testing.T) {
	for name, code := range pastedFiles() {
		got, err := format.Source([]byte(code))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != code {
			t.Errorf("%s: gofmt would change it to:\n%s", name, got)
		}
	}
}

// They compile against the libraries, which this package itself must not know: the files are only laid over the module.
func TestTuneSnippetsCompile(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	args := []string{"build", "-overlay", filepath.Join(dir, "overlay.json")}
	for name, code := range pastedFiles() {
		real := filepath.Join(dir, name+".go")
		if err := os.WriteFile(real, []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(here, "pasted", name, name+".go")] = real
		args = append(args, "./pasted/"+name)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
