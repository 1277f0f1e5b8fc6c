package engines

import (
	"sync"
	"time"
)

// pinger sends one connection's pings from a timer: no goroutine while it waits, and a connection whose ping blocks
// delays no other.
type pinger struct {
	mu    sync.Mutex
	timer *time.Timer
	ended bool
	group *sync.WaitGroup
}

// start calls ping every interval until stop; group counts the pinger until its last call has returned.
func (p *pinger) start(interval time.Duration, group *sync.WaitGroup, ping func()) {
	if interval <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group = group
	group.Add(1)
	p.timer = time.AfterFunc(interval, func() {
		ping()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.ended {
			group.Done()
			return
		}
		p.timer.Reset(interval)
	})
}

// stop ends the pings. A ping under way finishes on its own.
func (p *pinger) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil || p.ended {
		return
	}
	p.ended = true
	if p.timer.Stop() {
		p.group.Done()
	}
}
