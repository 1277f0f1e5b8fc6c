// Package wsfanout holds no code: this test keeps the rooms apart.
package wsfanout

import (
	"os/exec"
	"strings"
	"testing"
)

// TestRoomsStayApart keeps the arrows of DESIGN.md: the measured thing shares nothing with the measuring thing.
func TestRoomsStayApart(t *testing.T) {
	for _, rule := range []struct {
		room  string
		never []string
	}{
		{"./engines/...", []string{"clientfleet", "strategies", "serve", "compare"}},
		{"./clientfleet/...", []string{"engines", "strategies", "serve", "compare"}},
		{"./strategies/...", []string{"clientfleet", "serve", "compare"}},
		{"./serve/...", []string{"clientfleet", "compare"}},
		{"./compare/result/...", []string{"clientfleet", "engines", "strategies", "serve", "internal", "compare/report"}},
		{"./compare/report/...", []string{"clientfleet", "engines", "strategies", "serve", "internal"}},
		{"./internal/...", []string{"clientfleet", "engines", "strategies", "serve", "compare"}},
		{"./examples/...", []string{"clientfleet", "compare"}},
		{"./compare", []string{"examples"}},
	} {
		out, err := exec.Command("go", "list", "-deps", "-test", rule.room).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", rule.room, err)
		}
		for _, dep := range strings.Fields(string(out)) {
			for _, room := range rule.never {
				if path := "wsfanout/" + room; dep == path || strings.HasPrefix(dep, path+"/") {
					t.Errorf("%s depends on %s", rule.room, dep)
				}
			}
		}
	}
}

// TestServerLibrariesStayInEngines: no other room may know which WebSocket library is under test.
func TestServerLibrariesStayInEngines(t *testing.T) {
	for _, room := range []string{"./strategies", "./serve", "./compare/..."} {
		out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}: {{join .Imports " "}}`, room).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", room, err)
		}
		for _, library := range []string{"github.com/gorilla/websocket", "github.com/lesismal/nbio"} {
			if strings.Contains(string(out), library) {
				t.Errorf("%s imports %s", room, library)
			}
		}
	}
}

// TestExamplesAreNotLinked: what an example measures is no part of the program that measures it.
func TestExamplesAreNotLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./compare").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "github.com/lxzan/gws") {
		t.Error("./compare depends on lxzan/gws")
	}
}
