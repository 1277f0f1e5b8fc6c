package serve

import (
	"fmt"
	"sync"

	"wsfanout/internal/clock"
)

// register knows who is open, and why and since when the others are not. It takes its memory when it is made: it must not
// look like a cost of each connection.
type register struct {
	extras map[int]Extra

	mu      sync.Mutex
	entries []entry        // by number
	strays  map[int]*entry // numbers that the plan has not, if an engine of somebody else's lets them in
	open    int            // how many are
	causes  causes
	heard   map[int]error // extras that announced themselves -> what went wrong with their send buffer
}

// entry is what there is to know of one number.
type entry struct {
	at   int64 // when it was closed
	why  int32 // place in causes; 0: it is not gone
	open bool
}

// loss is the end of one connection: its cause in the words of the report, at a CLOCK_MONOTONIC instant.
type loss struct {
	why string
	at  int64
}

// newRegister is for clients 0..numbers-1.
func newRegister(extras []Extra, numbers int) *register {
	r := &register{
		entries: make([]entry, max(numbers, 0)), strays: map[int]*entry{}, causes: newCauses(), heard: map[int]error{}, extras: map[int]Extra{},
	}
	for _, e := range extras {
		r.extras[e.Number] = e
	}
	return r
}

func (r *register) opened(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(number, entry{open: true})
}

func (r *register) closed(number int, cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(number, entry{why: r.causes.place(reason(cause)), at: clock.Now()})
}

func (r *register) set(number int, now entry) {
	e := r.entry(number)
	if e.open {
		r.open--
	}
	if now.open {
		r.open++
	}
	*e = now
}

func (r *register) entry(number int) *entry {
	if number >= 0 && number < len(r.entries) {
		return &r.entries[number]
	}
	e := r.strays[number]
	if e == nil {
		e = &entry{}
		r.strays[number] = e
	}
	return e
}

func (r *register) hear(number int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard[number] = err
}

// unheard is how many open extras have not announced themselves yet; the error is that of one that has.
func (r *register) unheard() (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for number, err := range r.heard {
		if err != nil {
			return 0, fmt.Errorf("stuck client %d: %w", number, err)
		}
	}
	for number := range r.extras {
		if _, heard := r.heard[number]; !heard && r.entry(number).open {
			n++
		}
	}
	return n, nil
}

func (r *register) members() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open
}

// stuckExtras splits the extras: live is how many of those that never read again are still open, leaving how many should
// leave or have left.
func (r *register) stuckExtras() (live, leaving int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for number, e := range r.extras {
		open := r.entry(number).open
		if e.Forever && open {
			live++
		}
		if e.Forever || !open {
			leaving++
		}
	}
	return live, leaving
}

// lost splits those that are gone into healthy clients and extras.
func (r *register) lost() (healthy, extras map[int]loss) {
	r.mu.Lock()
	defer r.mu.Unlock()
	healthy, extras = map[int]loss{}, map[int]loss{}
	note := func(number int, e *entry) {
		into := healthy
		if _, extra := r.extras[number]; extra {
			into = extras
		}
		if e.why != 0 {
			into[number] = loss{r.causes.texts[e.why], e.at}
		}
	}
	for number := range r.entries {
		note(number, &r.entries[number])
	}
	for number, e := range r.strays {
		note(number, e)
	}
	return healthy, extras
}
