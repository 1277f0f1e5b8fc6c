package engines

import (
	"fmt"
	"strings"
	"time"
)

// engineKind is a line of the table of engines.
type engineKind struct {
	name, summary string

	options  []option
	equalise func(*Options)       // the rest of the set-up in which the engines are compared
	stock    func(*Options)       // the library's own example
	check    func(*Options) error // refuses what cannot work together
	notes    func(*Options) []string
	make     func(Options, Hooks) (Engine, error)
}

// kinds is every engine in report order. A new engine is a file, a line here and a green enginetest.
var kinds = []engineKind{
	{
		name: "gorilla", summary: "gorilla/websocket v1.5.3 on net/http: a goroutine per connection, writes block",
		options:  append(commonOptions(), gorillaOptions...),
		equalise: gorillaEqualise, stock: gorillaStock, check: gorillaCheck, notes: gorillaNotes, make: newGorilla,
	},
	{
		name: "nbio", summary: "lesismal/nbio v1.6.8: epoll, no goroutine per connection, writes never block",
		options:  append(commonOptions(), nbioOptions...),
		equalise: nbioEqualise, stock: nbioStock, check: nbioCheck, notes: nbioNotes, make: newNbio,
	},
	{
		name: "gobwas", summary: "gobwas/ws v1.5.0: epoll and a bounded pool that reads whole messages, writes block",
		options:  append(commonOptions(), gobwasOptions...),
		equalise: gobwasEqualise, stock: gobwasStock, check: gobwasCheck, notes: gobwasNotes, make: newGobwas,
	},
}

// commonOptions are those that every engine has.
func commonOptions() []option {
	return []option{
		duration("writetimeout", "-write-timeout", "the longest a byte may be owed",
			func(o *Options) *time.Duration { return &o.WriteTimeout }),
		choice("deadline", DeadlineEnforced, "how writetimeout is kept",
			[]string{DeadlineEnforced, DeadlineNative, DeadlineOnce, DeadlineNone}, func(o *Options) *string { return &o.Deadline }),
		duration("usertimeout", "0", "TCP_USER_TIMEOUT; 0: off",
			func(o *Options) *time.Duration { return &o.UserTimeout }),
		tcpKeepalive("tcpkeepalive", "TCP keepalive; default: as Go sets it, 15s/15s/9",
			func(o *Options) *TCPKeepalive { return &o.TCPKeepalive }),
		duration("keepalive", "0", "who is silent so long is closed; 0: off",
			func(o *Options) *time.Duration { return &o.Keepalive }),
		duration("ping", "0", "interval of the server's pings; 0: none",
			func(o *Options) *time.Duration { return &o.Ping }),
		size("readbuf", "0", "read buffer; 0: the library's own",
			func(o *Options) *int { return &o.ReadBuffer }),
		size("writebuf", "0", "write buffer; 0: the library's own",
			func(o *Options) *int { return &o.WriteBuffer }),
		level("level", "deflate level of -compress, which it needs",
			func(o *Options) *int { return &o.Level }),
		toggle("stock", "the library's own example, not the equalised set-up",
			func(o *Options) *bool { return &o.Stock }),
	}
}

// Names is every engine in report order.
func Names() []string {
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].name
	}
	return names
}

// New makes an engine; Start it next. The hooks may be nil.
func New(o Options, h Hooks) (Engine, error) {
	engine, err := find(o.Name)
	if err != nil {
		return nil, err
	}
	return engine.make(o, h)
}

// Notes is every difference of this set-up from the library's own defaults and examples, one clause each: no engine's name before it, no full stop after it.
func Notes(o Options) []string {
	engine, err := find(o.Name)
	if err != nil {
		return nil
	}
	return engine.notes(&o)
}

// Description is an engine for `compare list`.
type Description struct {
	Name, Summary string
	Options       []OptionDescription
}

// OptionDescription is one option of a spec: the form of its values, its default and what it does.
type OptionDescription struct{ Name, Values, Default, Summary string }

// Describe is every engine with all its options, in report order.
func Describe() []Description {
	list := make([]Description, len(kinds))
	for i, engine := range kinds {
		list[i] = Description{Name: engine.name, Summary: engine.summary}
		for _, o := range engine.options {
			list[i].Options = append(list[i].Options, OptionDescription{o.name, o.values, o.fallback, o.summary})
		}
	}
	return list
}

func find(name string) (*engineKind, error) {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i], nil
		}
	}
	return nil, fmt.Errorf("no engine %q; there are %s", name, strings.Join(Names(), ", "))
}
