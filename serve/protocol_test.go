package serve

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// The document is all that somebody has who writes a server in another language.
func TestProtocolDocumentNamesEverything(t *testing.T) {
	text, err := os.ReadFile("../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	for _, verb := range verbNames {
		if !strings.Contains(doc, verb) {
			t.Errorf("the request %s is not in docs/protocol.md", verb)
		}
	}
	for _, message := range []any{
		Plan{}, Span{}, Extra{}, Started{}, Settle{}, Settled{}, Phase{}, Round{}, Issued{}, Drain{}, Drained{}, Account{}, Spent{},
		StuckClient{}, Recover{}, Recovered{}, Stopped{},
	} {
		kind := reflect.TypeOf(message)
		for i := range kind.NumField() {
			key, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if !strings.Contains(doc, "`"+key+"`") && !strings.Contains(doc, `"`+key+`"`) {
				t.Errorf("%s: the key %q is not in docs/protocol.md", kind.Name(), key)
			}
		}
	}
}
