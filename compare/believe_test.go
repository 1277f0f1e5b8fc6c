package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/engines"
	"wsfanout/internal/wire"
	"wsfanout/serve"
)

// answers are what a server says, for a lie to change.
type answers struct {
	started serve.Started
	settled serve.Settled
	issued  serve.Issued
	drained serve.Drained
}

// lies are told by a server that is one otherwise; by the answer that they change, and what the cell's error must say.
var lies = map[string]struct {
	to   string
	tell func(*answers)
	want string
}{
	"no-rounds":    {"phase", func(a *answers) { a.issued.Rounds = nil }, "it started no round"},
	"all-bare":     {"phase", func(a *answers) { a.issued.Rounds[0].Bare = true }, "slot 0: bare is true"},
	"future":       {"phase", func(a *answers) { a.issued.Rounds[1].Start += 1e12 }, "started at"},
	"later":        {"phase", func(a *answers) { a.issued.Rounds[0].Start += 2e6; a.issued.Rounds[0].End += 2e6 }, "by its stamp"},
	"unsent":       {"phase", func(a *answers) { a.issued.Rounds[0].Start = 0 }, "no start"},
	"no-due":       {"phase", func(a *answers) { a.issued.Rounds[0].Due = 0 }, "when the phase was"},
	"odd-due":      {"phase", func(a *answers) { a.issued.Rounds[1].Due -= 1e6 }, "slot 1: due at"},
	"backwards":    {"phase", func(a *answers) { a.issued.Rounds[0].End = a.issued.Rounds[0].Start - 1 }, "ended at"},
	"other-number": {"phase", func(a *answers) { a.issued.Rounds[0].N += 1000 }, "slot 0: it is round"},
	"wrote-none":   {"phase", func(a *answers) { a.issued.Rounds[0].Written = 0 }, "reached 10 clients, but written 0"},
	"seven":        {"settle", func(a *answers) { a.settled.Members = 7 }, "7 of 11"},
	"minus-heap":   {"settle", func(a *answers) { a.settled.HeapBytes = -1 }, "a negative number"},
	"gomaxprocs":   {"start", func(a *answers) { a.started.GOMAXPROCS = -3 }, "gomaxprocs -3"},
	"escapes": {"start", func(a *answers) {
		a.started.Footnotes, a.started.BaselineFDs = []string{"\x1b[2J\u202e" + strings.Repeat("x", 5000)}, -1
	}, "negative baseline"},
	"minus-cpu":    {"drain", func(a *answers) { a.drained.Strategy.UserNs = -1 }, "a negative cost"},
	"stranger":     {"drain", func(a *answers) { a.drained.Accounts = []serve.Account{{Number: 5000}} }, "client 5000"},
	"jam-of-none":  {"stuck", func(a *answers) { a.drained.Stuck = nil }, "0 of 1 extras"},
	"jam-of-other": {"stuck", func(a *answers) { a.drained.Stuck[0].Number = 99 }, "client 99"},
	"jam-twice":    {"stuck", func(a *answers) { a.drained.Stuck = append(a.drained.Stuck, a.drained.Stuck[0]) }, "there twice"},
	"jam-at-1":     {"stuck", func(a *answers) { a.drained.Stuck[0].JamAt = 1 }, "jam at 1,"},
	"jam-in-50":    {"stuck", func(a *answers) { a.drained.Stuck[0].JamRound = 50 }, "in round 50 of 3"},
	"minus-taken":  {"stuck", func(a *answers) { a.drained.Stuck[0].Absorbed = -5 }, "a negative number"},
}

// mutated is gorilla behind the serve protocol, with a lie.
func mutated(name string) int {
	toServer, requests := io.Pipe()
	replies, fromServer := io.Pipe()
	go func() {
		io.Copy(requests, os.Stdin)
		requests.Close()
	}()
	go func() {
		serve.Run(context.Background(), toServer, fromServer, engines.New, "gorilla")
		fromServer.Close()
	}()
	in, out := wire.NewConn(replies, io.Discard), json.NewEncoder(os.Stdout)
	for {
		var m wire.Message
		if in.Read(&m) != nil {
			return 0
		}
		switch {
		case name == "empty" && m.Reply == "settle":
			m = wire.Message{}
		case name == "error" && m.Reply == "settle":
			m = wire.Message{Error: "\x1b[31mred\u202e" + strings.Repeat("y", 5000)}
		default:
			lie(&m, name)
		}
		out.Encode(m)
	}
}

// lie changes one answer.
func lie(m *wire.Message, name string) {
	var a answers
	bodies := map[string]any{"start": &a.started, "settle": &a.settled, "phase": &a.issued, "drain": &a.drained}
	body, l := bodies[m.Reply], lies[name]
	if body == nil || l.tell == nil {
		return
	}
	json.Unmarshal(m.Body, body)
	if l.to == m.Reply || l.to == "stuck" && len(a.drained.Stuck) > 0 {
		l.tell(&a)
	}
	m.Body, _ = json.Marshal(body)
}

// liar is the flag for a row that tells the lie.
func liar(t *testing.T, name string) string {
	t.Helper()
	return name + "=exec:" + halfCommand(t, "exec ", "mutated "+name)
}

// Whatever a program says, a cell is measured or fails by name; figures that cannot be true are never shown.
func TestALieFailsItsCellByName(t *testing.T) {
	if testing.Short() {
		t.Skip("two dozen cells; what checks them runs in one goroutine and needs no race detector")
	}
	marker(t)
	rows := []string{liar(t, "empty"), liar(t, "error")}
	for name := range lies {
		rows = append(rows, liar(t, name))
	}
	cells := rowsOf(t, exitFailed, strings.Join(rows, ","), "-clients", "10", "-rounds", "3", "-warmup", "0", "-stuck", "1")
	for name, l := range lies {
		if got := cells[name].Trials[0].Error; !strings.Contains(got, l.want) {
			t.Errorf("%s: %q, want %q", name, got, l.want)
		}
	}
	if got := cells["empty"].Trials[0].Error; !strings.Contains(got, "not a message") {
		t.Errorf("an empty message: %q", got)
	}
	if got := cells["error"].Trials[0].Error; strings.ContainsAny(got, "\x1b\u202e") || len(got) > 700 || !strings.Contains(got, "red") {
		t.Errorf("an error with escapes: %q", got)
	}
}

// Stamps that are ahead of the clock would make latencies that cannot be.
func TestMessagesDoNotComeBeforeTheyAreSent(t *testing.T) {
	m := &measured{issued: serve.Issued{Rounds: []serve.Round{{N: 7, Due: 1e9, Start: 1e9, Written: 5}}}}
	seen := func(first, doubt int64) clientfleet.Collection {
		c := clientfleet.Collection{Rounds: []clientfleet.RoundSeen{{N: 7, Due: 1e9, Start: 1e9, Received: 5, First: first, Last: 2e9}}, Early: 5}
		if doubt > 0 {
			c.Clock = &clientfleet.ClockSeen{UncertaintyNs: doubt}
		}
		return c
	}
	for _, row := range []struct {
		first, doubt int64
		ok           bool
	}{{1e9 + 1e4, 0, true}, {1e9 - 1e3, 0, true}, {1e9 - 3e6, 0, false}, {1e9 - 3e6, 4e6, true}, {1e9 - 3e6, 1e6, false}} {
		if err := m.believeArrivals(seen(row.first, row.doubt)); (err == nil) != row.ok {
			t.Errorf("%+v: %v", row, err)
		}
	}
	other := seen(1e9+1e4, 0)
	other.Rounds[0].N = 8
	if err := m.believeArrivals(other); err == nil || !strings.Contains(err.Error(), "does not tell") {
		t.Errorf("a round of which nobody told: %v", err)
	}
}

func TestABugCostsOneCell(t *testing.T) {
	c, err := parseRun(strings.Fields(small+"-engines gorilla -strategies seq"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	trial := runTrial(t.Context(), c, cell{engine: c.engines[0], strategy: c.strategies[0]}, 1, func(phase string) {
		if phase == "connect" {
			panic("a bug")
		}
	})
	if left := children(t); trial.Error != "internal: a bug" || len(left) > 0 {
		t.Errorf("%q, left %v", trial.Error, left)
	}
}

// A program that serves its own engine must not be measured under another's name.
func TestAnOwnEngineIsNotMeasuredUnderAnothersName(t *testing.T) {
	marker(t)
	trial := apartCell(t, nil, "-engines", "nbio", "-strategies", "seq", "-server-cmd", halfCommand(t, "exec ", "own"))
	if !strings.Contains(trial.Error, "serves its own engine, not nbio") || trial.Healthy != nil {
		t.Errorf("%q", trial.Error)
	}
}

// Ctrl-C while nobody listens on a socket yet.
func TestAnInterruptBeforeTheRun(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	status := run(ctx, []string{"-server", "unix:" + t.TempDir() + "/none.sock", "-o", t.TempDir() + "/r.json"}, strings.NewReader(""), io.Discard, io.Discard)
	if status != exitInterrupted || time.Since(began) > 10*time.Second {
		t.Errorf("status %d after %v", status, time.Since(began))
	}
}

// What an exec command leaves behind goes with it, also after a good cell.
func TestGrandchildrenOfAGoodCellDoNotStay(t *testing.T) {
	marker(t)
	cells := rowsOf(t, exitOK, "forks=exec:sleep 1000 >/dev/null 2>&1 </dev/null & "+halfCommand(t, "exec ", "serve -engine gorilla"), "-stuck", "0")
	if err := cells["forks"].Trials[0].Error; err != "" {
		t.Error(err)
	}
}

func TestTame(t *testing.T) {
	for in, want := range map[string]string{
		"plain, with an umlaut: ä": "plain, with an umlaut: ä", "a\nb": "a b", "\x1b[2J": "\ufffd[2J", "\u202eab\x00": "\ufffdab\ufffd",
		strings.Repeat("ä", 501): strings.Repeat("ä", 500) + "...", "\xff": "\ufffd",
	} {
		if got := tame(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := fmt.Sprint(printable("\u2066\u2069\u200e")); got != "\ufffd\ufffd\ufffd" {
		t.Errorf("%q", got)
	}
}
