// Package wire carries the messages between the parent and its children: JSON values on a stream, one request at a time.
//
// A request is answered by any number of events, then by one reply or one error. The messages hold everything that
// they need, so that any carrier (a pipe, ssh, a unix socket) and any program can take part.
package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// MaxMessage bounds one message in bytes: a collection over 20,000 clients is about 2 MB.
const MaxMessage = 64 << 20

// ErrTooLarge is returned for a message above MaxMessage; the stream is useless afterwards.
var ErrTooLarge = errors.New("wire: message too large")

// Request asks a child to do one thing.
type Request struct {
	Do   string          `json:"do"`
	Body json.RawMessage `json:"body,omitempty"`
}

// Message is what a child says: exactly one of Event, Reply and Error is set.
type Message struct {
	Event string          `json:"event,omitempty"` // progress within a request: its name
	Reply string          `json:"reply,omitempty"` // the end of a request: the Do it answers
	Error string          `json:"error,omitempty"` // the end of a request that failed
	Body  json.RawMessage `json:"body,omitempty"`
}

// Conn reads and writes one JSON value a line. Writes may come from several goroutines.
type Conn struct {
	lines *bufio.Scanner
	mu    sync.Mutex
	out   *json.Encoder
}

// NewConn returns a Conn over the two directions of a carrier.
func NewConn(r io.Reader, w io.Writer) *Conn {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), MaxMessage)
	return &Conn{lines: lines, out: json.NewEncoder(w)}
}

// Read reads the next value into v. It returns io.EOF at the end of the stream.
func (c *Conn) Read(v any) error {
	if !c.lines.Scan() {
		err := c.lines.Err()
		switch {
		case err == nil:
			return io.EOF
		case errors.Is(err, bufio.ErrTooLong):
			return ErrTooLarge
		}
		return err
	}
	if err := json.Unmarshal(c.lines.Bytes(), v); err != nil {
		return fmt.Errorf("wire: not a message: %w", err)
	}
	return nil
}

// Ask writes a request; body may be nil.
func (c *Conn) Ask(do string, body any) error {
	raw, err := encode(body)
	if err != nil {
		return err
	}
	return c.write(Request{Do: do, Body: raw})
}

// Event writes an event of the running request.
func (c *Conn) Event(name string, body any) error {
	raw, err := encode(body)
	if err != nil {
		return err
	}
	return c.write(Message{Event: name, Body: raw})
}

// Reply ends a request.
func (c *Conn) Reply(do string, body any) error {
	raw, err := encode(body)
	if err != nil {
		return err
	}
	return c.write(Message{Reply: do, Body: raw})
}

// Fail ends a request with an error.
func (c *Conn) Fail(err error) error { return c.write(Message{Error: err.Error()}) }

func (c *Conn) write(v any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Encode(v)
}

func encode(body any) (json.RawMessage, error) {
	if body == nil {
		return nil, nil
	}
	return json.Marshal(body)
}

// Decode reads the body of a request or message into a T; an empty body is T's zero value.
func Decode[T any](raw json.RawMessage) (T, error) {
	var v T
	if len(raw) == 0 {
		return v, nil
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("wire: body: %w", err)
	}
	return v, nil
}
