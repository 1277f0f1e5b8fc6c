package clientfleet

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gobwas/ws"

	"wsfanout/internal/clock"
)

// behaviour is one extra and how far it is. It is its reader's.
type behaviour struct {
	Extra
	does    *kind
	account Behaved

	next      int64   // when it says something again
	said      int     // how often it has
	allowance float64 // bytes that a slow client may read now
	resumed   bool    // a stuck client reads again
	owed      []pong  // of a late client, the oldest first
}

// pong is one that is still to be sent.
type pong struct {
	due     int64
	payload []byte
}

// kind is what the extras of one kind do from their begin on.
type kind struct {
	name   string
	frozen bool                                // epoll does not see them: they read on their turns, or never
	begin  func(*reader, *client) error        // once; nil: nothing
	turn   func(*reader, *client, int64) error // on each beat, at this instant; nil: nothing
	say    func(*reader, *client) error        // each Every; nil: nothing
	heard  func(*reader, *client) error        // when a message has come, which is then in no round; nil: nothing
	ping   func(*behaviour, []byte)            // what becomes of a ping; nil: a pong at once
	silent bool                                // a close frame is not answered
}

// kinds are all of them, in the order of their names in Plan.
var kinds = []kind{
	{name: Stuck, frozen: true, turn: (*reader).resume},
	{name: Slow, frozen: true, turn: (*reader).readSlowly},
	{name: Vanished, frozen: true, begin: (*reader).vanish},
	{name: Mute, ping: noPong, silent: true},
	{name: Answers},
	{name: Heartbeat, say: (*reader).sayPing},
	{name: Text, say: (*reader).sayText, ping: noPong},
	{name: Fragments, say: (*reader).sayFragment, ping: noPong},
	{name: Dribble, say: (*reader).sayByte, ping: noPong, silent: true}, // any other frame would be inside of its own
	{name: Late, turn: (*reader).answerLate, ping: (*behaviour).owe},
	{name: AsksClock},
	{name: Blocker, heard: (*reader).sayAgain},
	{name: Half, begin: (*reader).sayHalf, ping: noPong, silent: true},
}

// findKind returns nil for an unknown name.
func findKind(name string) *kind {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

func kindNames() string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

func newBehaviour(x Extra) *behaviour {
	return &behaviour{Extra: x, does: findKind(x.Kind), account: Behaved{Number: x.Number, Kind: x.Kind}}
}

func (e *behaviour) began() bool { return e.account.BeganAt != 0 }

func (e *behaviour) hears() bool { return e.began() && e.does.heard != nil }

func (e *behaviour) silent() bool { return e.began() && e.does.silent }

// sent counts a frame that was sent.
func (e *behaviour) sent(op ws.OpCode, bytes int) {
	if !e.began() {
		return
	}
	e.account.Frames++
	e.account.Bytes += int64(bytes)
	if op == ws.OpPong {
		e.account.Pongs++
	}
}

// pinged does what a client does about a ping.
func (r *reader) pinged(c *client, payload []byte) error {
	if e := c.extra; e != nil && e.began() {
		e.account.Pings++
		if e.does.ping != nil {
			e.does.ping(e, payload)
			return nil
		}
	}
	return r.answer(c, ws.OpPong, payload)
}

func noPong(*behaviour, []byte) {}

// owe keeps a pong until it is late enough.
func (e *behaviour) owe(payload []byte) {
	e.owed = append(e.owed, pong{due: clock.Now() + int64(e.Delay), payload: slices.Clone(payload)})
}

// answerLate sends the pongs whose time has come.
func (r *reader) answerLate(c *client, now int64) error {
	for e := c.extra; !c.ended && len(e.owed) > 0 && now >= e.owed[0].due; {
		if err := r.answer(c, ws.OpPong, e.owed[0].payload); err != nil {
			return err
		}
		e.owed = e.owed[1:]
	}
	return nil
}

// Behaved returns what each extra has done so far, by number. It wakes the readers for a moment.
func (f *Fleet) Behaved() []Behaved {
	all := []Behaved{}
	f.each(func(r *reader) {
		for i := range r.extras {
			if account := r.extras[i].extra.account; account.Kind != AsksClock {
				account.BeganAt = f.clock.server(account.BeganAt)
				all = append(all, account)
			}
		}
	})
	slices.SortFunc(all, func(a, b Behaved) int { return cmp.Compare(a.Number, b.Number) })
	return all
}
