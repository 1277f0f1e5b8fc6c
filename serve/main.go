package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"wsfanout/engines"
	"wsfanout/internal/wire"
)

// NewEngine makes the engine under test: engines.New, or somebody's own.
type NewEngine func(engines.Options, engines.Hooks) (engines.Engine, error)

// Main serves one cell over stdin and stdout and returns the exit status. It puts any engine or hub under the same test:
//
//	func main() { os.Exit(serve.Main(newMyEngine)) }
func Main(newEngine NewEngine) int {
	if err := run(context.Background(), os.Stdin, os.Stdout, &session{newEngine: newEngine, own: true}); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		return 1
	}
	return 0
}

// Run answers the requests on r with messages on w until "stop" was answered or r ends; nothing of it is left then. engine is the
// spec for a plan that names none: the parent calls this program by a name of its own then. Without one, too, newEngine gets
// engines.Foreign.
func Run(ctx context.Context, r io.Reader, w io.Writer, newEngine NewEngine, engine string) error {
	return run(ctx, r, w, &session{newEngine: newEngine, engineSpec: engine})
}

func run(ctx context.Context, r io.Reader, w io.Writer, s *session) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn := wire.NewConn(r, w)
	defer s.close()

	requests := make(chan wire.Request)
	readErr := make(chan error, 1)
	go func() {
		defer close(requests)
		readErr <- readRequests(ctx, cancel, conn, requests)
	}()
	for req := range requests {
		if err := s.answer(ctx, conn, req); err != nil {
			return err
		}
		if req.Do == "stop" {
			return nil
		}
	}
	if err := <-readErr; err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// readRequests reads ahead of the running request, so that the end of the stream or a "stop" ends a phase early.
func readRequests(ctx context.Context, cancel context.CancelFunc, conn *wire.Conn, out chan<- wire.Request) error {
	for {
		var req wire.Request
		if err := conn.Read(&req); err != nil {
			cancel()
			return err
		}
		if req.Do == "stop" {
			cancel()
			out <- req
			return nil
		}
		select {
		case out <- req:
		case <-ctx.Done():
			return nil
		}
	}
}

// answer runs one request and writes its reply or error. The returned error is the stream's.
func (s *session) answer(ctx context.Context, conn *wire.Conn, req wire.Request) error {
	do, ok := s.verbs()[req.Do]
	if !ok {
		return conn.Fail(fmt.Errorf("unknown request %q: want %s", req.Do, strings.Join(verbNames, ", ")))
	}
	if s.engine == nil && req.Do != "start" && req.Do != "stop" && req.Do != "host" {
		return conn.Fail(fmt.Errorf("%q before start", req.Do))
	}
	reply, err := do(ctx, req.Body)
	if err != nil {
		return conn.Fail(err)
	}
	return conn.Reply(req.Do, reply)
}

var verbNames = []string{"host", "start", "settle", "phase", "drain", "recover", "burst", "closes", "usage", "stalls", "hold", "strategy", "stop"}

func (s *session) verbs() map[string]func(context.Context, []byte) (any, error) {
	return map[string]func(context.Context, []byte) (any, error){
		"host":     verb(s.host),
		"start":    verb(s.start),
		"settle":   verb(s.settle),
		"phase":    verb(s.phase),
		"drain":    verb(s.drain),
		"recover":  verb(s.recovered),
		"burst":    verb(s.burst),
		"closes":   verb(s.closes),
		"usage":    verb(s.usage),
		"stalls":   verb(s.stalls),
		"hold":     verb(s.hold),
		"strategy": verb(s.change),
		"stop":     verb(s.stop),
	}
}

// verb gives a typed request handler the shape of the table.
func verb[In, Out any](f func(context.Context, In) (Out, error)) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, body []byte) (any, error) {
		in, err := wire.Decode[In](body)
		if err != nil {
			return nil, err
		}
		return f(ctx, in)
	}
}
