package strategies

import (
	"maps"
	"slices"
)

// Entry is one strategy as `compare list` explains it.
type Entry struct {
	Name     string
	Summary  string
	Count    string            // what a bare number in the spec means; "": none allowed
	Options  map[string]string // option -> what it does, its values and default
	make     func(Spec, Env) Strategy
	prepared bool
}

const gateHelp = "gate=BYTES skips a client that owes more than that (default: none)"

// table is in report order. A new strategy is a file and a line here.
func table() []Entry {
	gate := map[string]string{"gate": gateHelp}
	return []Entry{
		{Name: "seq", Summary: "one goroutine loops over the clients and writes to each",
			Options: gate, make: newSeq(false)},
		{Name: "seqprep", Summary: "seq with the frame built once per round",
			Options: gate, make: newSeq(true), prepared: true},
		{Name: "shard", Summary: "short-lived workers, client i belongs to worker i mod S",
			Count: "the number of workers (default: -shards)", Options: gate, make: newShard(false)},
		{Name: "shardprep", Summary: "shard with the frame built once per round",
			Count: "the number of workers (default: -shards)", Options: gate, make: newShard(true), prepared: true},
		{Name: "chan", Summary: "a writer goroutine and a bounded queue per client; a full queue drops",
			Count: "the queue length in messages (default: 64)",
			Options: map[string]string{
				"gate": gateHelp,
				"full": "full=drop|evict: what a full queue does to its client (default: drop)",
			}, make: newChan},
	}
}

// All returns every strategy in report order.
func All() []Entry { return table() }

// Names returns the strategies' names in report order.
func Names() []string {
	var names []string
	for _, e := range table() {
		names = append(names, e.Name)
	}
	return names
}

func find(name string) *Entry {
	for _, e := range table() {
		if e.Name == name {
			return &e
		}
	}
	return nil
}

// forms are what may follow the name in a spec.
func (e Entry) forms() []string {
	var forms []string
	if e.Count != "" {
		forms = append(forms, e.Count)
	}
	for _, option := range slices.Sorted(maps.Keys(e.Options)) {
		forms = append(forms, option+"=")
	}
	return forms
}
