package clientfleet

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// childVariable makes the test binary a fleet: "fleet" is ours, "gorilla" the one that it is compared with.
const childVariable = "CLIENTFLEET_TEST_CHILD"

func runChild(kind string) int {
	err := fmt.Errorf("unknown child %q", kind)
	switch kind {
	case "fleet":
		err = Run(context.Background(), os.Stdin, os.Stdout)
	case "gorilla":
		err = runGorilla(os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func decode(t testing.TB, b []byte) *hdrhistogram.Histogram {
	t.Helper()
	h, err := hdrhistogram.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
