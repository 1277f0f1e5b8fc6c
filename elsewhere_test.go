package wsfanout

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestElsewhereCompareSaysHow: on other systems the program is one file that sends its user to Docker. A new file of compare begins
// with //go:build linux.
func TestElsewhereCompareSaysHow(t *testing.T) {
	for _, system := range []string{"darwin", "windows"} {
		cmd := exec.Command("go", "list", "-f", `{{join .GoFiles " "}}: {{join .Imports " "}}`, "./compare")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		if got, want := strings.TrimSpace(string(out)), "main_other.go: fmt os strings"; got != want {
			t.Errorf("%s: %s, want %s", system, got, want)
		}
	}
	source, err := os.ReadFile("compare/main_other.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(source), "inDocker = `")
	line, _, _ := strings.Cut(rest, "`")
	if line == "" || !strings.Contains(string(readme), line) {
		t.Errorf("the README does not have the line %q", line)
	}
}
