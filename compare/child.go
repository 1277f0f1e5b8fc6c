//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"wsfanout/internal/wire"
)

// killAfter is how long a child may take to end by itself once its stdin is closed.
const killAfter = 5 * time.Second

// child is one process that speaks wire: a fleet or a server. Calls do not overlap.
type child struct {
	name     string
	link     link
	conn     *wire.Conn
	messages chan wire.Message
	readErr  error // why messages was closed; read only after that
	log      *tail
	reaped   sync.Once
	how      string // it ended; read only after that
}

// startChild is reachChild where nothing has to be waited for.
func startChild(name, verb string, by carrier) (*child, error) {
	return reachChild(context.Background(), name, verb, by)
}

// reachChild reaches a child that does verb, before the end of ctx.
func reachChild(ctx context.Context, name, verb string, by carrier) (*child, error) {
	log := &tail{}
	l, err := by.open(ctx, verb, log)
	if err != nil {
		return nil, fmt.Errorf("the %s process: %w", name, err)
	}
	if !by.own() {
		name += " (" + by.String() + ")"
	}
	c := &child{name: name, link: l, log: log, conn: wire.NewConn(l, l), messages: make(chan wire.Message)}
	go c.read()
	return c, nil
}

// read passes messages on until the child ends or says something that is no message.
func (c *child) read() {
	defer close(c.messages)
	for {
		var m wire.Message
		if c.readErr = c.conn.Read(&m); c.readErr != nil {
			return
		}
		c.messages <- m
	}
}

// ask sends a request and waits for its end; events go to onEvent, which may be nil.
func (c *child) ask(ctx context.Context, do string, body any, onEvent func(wire.Message)) (json.RawMessage, error) {
	sent := make(chan error, 1) // a carrier may never take it
	go func() { sent <- c.conn.Ask(do, body) }()
	for {
		select {
		case err := <-sent:
			if err != nil {
				return nil, c.died(do)
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: %s: %w", c.name, do, context.Cause(ctx))
		case m, ok := <-c.messages:
			switch {
			case !ok:
				return nil, c.died(do)
			case m.Error != "":
				return nil, fmt.Errorf("%s: %w", c.name, refusal(tame(m.Error)))
			case m.Reply == do:
				return m.Body, nil
			case m.Event == "":
				return nil, fmt.Errorf("%s: %s: not a message: neither its answer, nor an error, nor an event", c.name, do)
			case onEvent != nil:
				onEvent(m)
			}
		}
	}
}

// refusal is what a child says instead of a reply; it goes on living.
type refusal string

func (r refusal) Error() string { return string(r) }

// call is ask with the reply decoded.
func call[T any](ctx context.Context, c *child, do string, body any, onEvent func(wire.Message)) (T, error) {
	raw, err := c.ask(ctx, do, body, onEvent)
	if err != nil {
		var zero T
		return zero, err
	}
	reply, err := wire.Decode[T](raw)
	if err != nil {
		return reply, fmt.Errorf("%s: %s: %w", c.name, do, err)
	}
	return reply, nil
}

// died reaps the child and says how it ended, with the last of its log.
func (c *child) died(do string) error {
	c.end()
	how := c.how
	if c.readErr != nil && !errors.Is(c.readErr, io.EOF) {
		how = c.readErr.Error() + ", " + how
	}
	err := fmt.Errorf("the %s process ended during %q: %s", c.name, do, how)
	if last := c.log.String(); last != "" {
		err = fmt.Errorf("%w; its log ends: %s", err, last)
	}
	return err
}

// end ends the child's input, gives it time to end, kills what is left of its group and reaps it. Safe to repeat.
func (c *child) end() {
	c.reaped.Do(func() {
		c.link.Close()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range c.messages { // the reader must not hang on a message nobody wants
			}
			c.how = c.link.wait()
		}()
		select {
		case <-done:
		case <-time.After(killAfter):
			c.link.kill()
			<-done
		}
	})
}

// sleep is for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// tail keeps the end of a child's log: it is shown only if the child fails.
type tail struct {
	mu    sync.Mutex
	text  []byte
	crash string
}

// crashLine is how the runtime begins when a Go program dies.
var crashLine = regexp.MustCompile(`(?m)^(panic|fatal error): .*$`)

const tailBytes = 2048

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if t.crash == "" {
		t.crash = string(crashLine.Find(t.text))
	}
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// String is the log's end on one line; of a crash, the line that says why, without the stacks.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.crash != "" {
		return tame(t.crash)
	}
	return printable(strings.Join(strings.FieldsFunc(string(t.text), func(r rune) bool { return r == '\n' || r == '\r' }), " | "))
}
