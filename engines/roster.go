package engines

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Member is a Conn as its engine sees it.
type Member interface {
	Conn
	// Goodbye sends close code 1001 and returns when the kernel has taken everything, or at the instant by.
	Goodbye(by time.Time)
}

// Roster knows who is connected, by client number, and calls the hooks about it. An engine embeds one and has Conns. It takes
// all its memory when it is made: it must not look like a cost of each connection.
type Roster struct {
	hooks   Hooks
	options Options

	mu       sync.Mutex
	taken    []bool   // by number, from the handshake on
	seats    []Member // by number; nil: free, or the handshake is under way
	stopping bool
}

// NewRoster makes the roster of an engine: numbers are 0..MaxClients-1.
func NewRoster(o Options, h Hooks) *Roster {
	n := max(o.MaxClients, 0)
	return &Roster{hooks: h, options: o, taken: make([]bool, n), seats: make([]Member, n)}
}

// Admit reserves the number that a request asks for, /ws?i=17. If it cannot it has answered: 404 another path, 400 no
// number or one out of range, 409 a number that is live, 503 the engine is stopping. The caller opens (Open) or releases.
func (r *Roster) Admit(w http.ResponseWriter, req *http.Request) (number int, ok bool) {
	number, refused := r.reserve(req.URL)
	if refused != nil {
		http.Error(w, refused.reason, refused.status)
		return 0, false
	}
	return number, true
}

// refusal is the answer to a request that cannot be admitted.
type refusal struct {
	status int
	reason string
}

// reserve is Admit without the answer.
func (r *Roster) reserve(target *url.URL) (number int, refused *refusal) {
	if target.Path != "/ws" {
		return 0, &refusal{http.StatusNotFound, "the path is /ws"}
	}
	number, err := strconv.Atoi(target.Query().Get("i"))
	if err != nil || !r.has(number) {
		return 0, &refusal{http.StatusBadRequest, fmt.Sprintf("/ws?i=N wants a client number from 0 to %d", len(r.seats)-1)}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		return 0, &refusal{http.StatusServiceUnavailable, "stopping"}
	}
	if r.taken[number] {
		return 0, &refusal{http.StatusConflict, fmt.Sprintf("client %d is connected", number)}
	}
	r.taken[number] = true
	return number, nil
}

// has reports whether there is such a number.
func (r *Roster) has(number int) bool { return number >= 0 && number < len(r.seats) }

// Release gives back a number whose handshake failed.
func (r *Roster) Release(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free(number)
}

// free is Release under the lock.
func (r *Roster) free(number int) {
	if r.has(number) {
		r.taken[number], r.seats[number] = false, nil
	}
}

// Open seats a member and tells OnOpen. It returns false if the engine has begun to stop, or if the number is none that Admit
// admits: then nobody was told.
func (r *Roster) Open(m Member) bool {
	if !r.seat(m) {
		return false
	}
	if r.hooks.OnOpen != nil {
		r.hooks.OnOpen(m)
	}
	return true
}

// seat is Open without the hook.
func (r *Roster) seat(m Member) bool {
	number := m.Number()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping || !r.has(number) {
		r.free(number)
		return false
	}
	r.taken[number], r.seats[number] = true, m
	return true
}

// deaf reports whether the server has no message handler for a client.
func (r *Roster) deaf(number int) bool { return r.hooks.Deaf != nil && r.hooks.Deaf(number) }

// Message passes a client's message on, if there is a handler for it.
func (r *Roster) Message(m Member, payload []byte) {
	if r.hooks.OnMessage != nil && !r.deaf(m.Number()) {
		r.hooks.OnMessage(m, payload)
	}
}

// Closed tells OnClose and frees the number, in this order: a client that comes back is never opened before it was closed.
func (r *Roster) Closed(m Member, cause error) {
	number := m.Number()
	r.mu.Lock()
	seated := r.has(number) && r.seats[number] == m
	r.mu.Unlock()
	if !seated {
		return
	}
	if r.hooks.OnClose != nil {
		r.hooks.OnClose(m, cause)
	}
	r.Release(number)
}

// Conns is the open connections ordered by number.
func (r *Roster) Conns() []Conn {
	members := r.members()
	conns := make([]Conn, len(members))
	for i, m := range members {
		conns[i] = m
	}
	return conns
}

func (r *Roster) members() []Member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.seats), func(m Member) bool { return m == nil })
}

// stop admits nobody any more and returns who is there.
func (r *Roster) stop() []Member {
	r.mu.Lock()
	r.stopping = true
	r.mu.Unlock()
	return r.members()
}
