package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRequestsAndMessagesGoThrough(t *testing.T) {
	var stream bytes.Buffer
	c := NewConn(&stream, &stream)
	if err := c.Ask("connect", map[string]int{"n": 3}); err != nil {
		t.Fatal(err)
	}
	var req Request
	if err := c.Read(&req); err != nil || req.Do != "connect" {
		t.Fatalf("%+v, %v", req, err)
	}
	body, err := Decode[map[string]int](req.Body)
	if err != nil || body["n"] != 3 {
		t.Errorf("body %v, %v", body, err)
	}
	c.Event("connected", 1)
	c.Reply("connect", nil)
	c.Fail(errors.New("no"))
	for _, want := range []Message{{Event: "connected"}, {Reply: "connect"}, {Error: "no"}} {
		var m Message
		if err := c.Read(&m); err != nil || m.Event != want.Event || m.Reply != want.Reply || m.Error != want.Error {
			t.Errorf("%+v, %v; want %+v", m, err, want)
		}
	}
	if err := c.Read(&req); err != io.EOF {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
}

func TestWhatIsNoMessageIsAnError(t *testing.T) {
	for _, row := range []struct {
		stream string
		want   string
	}{
		{"hello\n", "not a message"},
		{`{"do":` + "\n", "not a message"},
		{strings.Repeat("x", MaxMessage+1) + "\n", ErrTooLarge.Error()}, // nobody's memory is the limit
	} {
		err := NewConn(strings.NewReader(row.stream), io.Discard).Read(new(Request))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%.20q: %v, want %q", row.stream, err, row.want)
		}
	}
}

func TestDecode(t *testing.T) {
	if v, err := Decode[int](nil); v != 0 || err != nil {
		t.Errorf("an empty body: %d, %v; want the zero value", v, err)
	}
	if _, err := Decode[int]([]byte(`"three"`)); err == nil || !strings.Contains(err.Error(), "body") {
		t.Errorf("a body of another type: %v", err)
	}
}
