package clientfleet

import (
	"sync"
	"time"
)

// pace has the readers do something again and again.
type pace struct {
	quit chan struct{}
	done sync.WaitGroup
}

// begin begins unless it has begun.
func (p *pace) begin(every time.Duration, readers []*reader, do func(*reader)) {
	if p.quit != nil {
		return
	}
	quit := make(chan struct{})
	p.quit = quit
	p.done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				for _, r := range readers {
					r.inbox.post(func() { do(r) })
				}
			}
		}
	})
}

// end ends it, once the last beat is in the inboxes; it may begin again.
func (p *pace) end() {
	if p.quit != nil {
		close(p.quit)
		p.done.Wait()
		p.quit = nil
	}
}
