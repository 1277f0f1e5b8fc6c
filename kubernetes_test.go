package wsfanout

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestKubernetesExampleParses lets kubectl read the example. Even a dry run asks a cluster which kinds there are: here a few lines
// stand for it, and whatever else is asked for does not exist.
func TestKubernetesExampleParses(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("no kubectl here")
	}
	cluster := httptest.NewServer(http.HandlerFunc(discover))
	defer cluster.Close()
	cmd := exec.Command(kubectl, "--kubeconfig=/dev/null", "--cache-dir="+t.TempDir(), "--server="+cluster.URL,
		"apply", "--dry-run=client", "--validate=false", "-f", filepath.Join("docker", "kubernetes.yaml"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"pod/compare-server created (dry run)", "statefulset.apps/compare-fleet created (dry run)"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: want %q", out, want)
		}
	}
}

func discover(w http.ResponseWriter, r *http.Request) {
	const list = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":%q,"resources":[{"name":%q,"singularName":%q,"namespaced":true,"kind":%q,"verbs":["create","get","patch"]}]}`
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/api":
		fmt.Fprint(w, `{"kind":"APIVersions","versions":["v1"]}`)
	case "/apis":
		version := `{"groupVersion":"apps/v1","version":"v1"}`
		fmt.Fprintf(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":[%s],"preferredVersion":%s}]}`, version, version)
	case "/api/v1":
		fmt.Fprintf(w, list, "v1", "pods", "pod", "Pod")
	case "/apis/apps/v1":
		fmt.Fprintf(w, list, "apps/v1", "statefulsets", "statefulset", "StatefulSet")
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	}
}
