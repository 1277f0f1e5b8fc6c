package engines

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// member is a Conn as its engine sees it.
type member interface {
	Conn
	// goodbye sends close code 1001 and returns when the kernel has taken everything, or at the instant by.
	goodbye(by time.Time)
}

// roster knows who is connected, by client number, and calls the hooks about it.
type roster struct {
	hooks Hooks
	max   int // numbers are 0..max-1

	mu       sync.Mutex
	seats    map[int]member // nil while the handshake is under way
	stopping bool
}

func newRoster(max int, hooks Hooks) *roster {
	return &roster{hooks: hooks, max: max, seats: make(map[int]member)}
}

// admit reserves the number that a request asks for, /ws?i=17. If it cannot it has answered: 404 another path, 400 no
// number or one out of range, 409 a number that is live, 503 the engine is stopping. The caller opens or releases.
func (r *roster) admit(w http.ResponseWriter, req *http.Request) (number int, ok bool) {
	if req.URL.Path != "/ws" {
		http.Error(w, "the path is /ws", http.StatusNotFound)
		return 0, false
	}
	number, err := strconv.Atoi(req.URL.Query().Get("i"))
	if err != nil || number < 0 || number >= r.max {
		http.Error(w, fmt.Sprintf("/ws?i=N wants a client number from 0 to %d", r.max-1), http.StatusBadRequest)
		return 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return 0, false
	}
	if _, taken := r.seats[number]; taken {
		http.Error(w, fmt.Sprintf("client %d is connected", number), http.StatusConflict)
		return 0, false
	}
	r.seats[number] = nil
	return number, true
}

// release gives back a number whose handshake failed.
func (r *roster) release(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seats, number)
}

// open seats a member and tells OnOpen. It returns false if the engine has begun to stop: then nobody was told.
func (r *roster) open(m member) bool {
	r.mu.Lock()
	if r.stopping {
		delete(r.seats, m.Number())
		r.mu.Unlock()
		return false
	}
	r.seats[m.Number()] = m
	r.mu.Unlock()
	if r.hooks.OnOpen != nil {
		r.hooks.OnOpen(m)
	}
	return true
}

// message passes a client's message on.
func (r *roster) message(m member, payload []byte) {
	if r.hooks.OnMessage != nil {
		r.hooks.OnMessage(m, payload)
	}
}

// close tells OnClose and frees the number, in this order: a client that comes back is never opened before it was closed.
func (r *roster) close(m member, cause error) {
	r.mu.Lock()
	seated := r.seats[m.Number()] == m
	r.mu.Unlock()
	if !seated {
		return
	}
	if r.hooks.OnClose != nil {
		r.hooks.OnClose(m, cause)
	}
	r.release(m.Number())
}

// Conns is the open connections ordered by number.
func (r *roster) Conns() []Conn {
	members := r.members()
	conns := make([]Conn, len(members))
	for i, m := range members {
		conns[i] = m
	}
	return conns
}

func (r *roster) members() []member {
	r.mu.Lock()
	list := make([]member, 0, len(r.seats))
	for _, m := range r.seats {
		if m != nil {
			list = append(list, m)
		}
	}
	r.mu.Unlock()
	slices.SortFunc(list, func(a, b member) int { return cmp.Compare(a.Number(), b.Number()) })
	return list
}

// stop admits nobody any more and returns who is there.
func (r *roster) stop() []member {
	r.mu.Lock()
	r.stopping = true
	r.mu.Unlock()
	return r.members()
}
