package engines

import (
	"context"
	"sync"
	"time"
)

// patience bounds how long a client may take for its close frame when an engine stops.
const patience = time.Second

// farewell says goodbye to all members at once, because a stuck one takes its whole time, and closes them.
func farewell(ctx context.Context, o *Options, members []Member) {
	by := time.Now().Add(patience)
	if o.WriteTimeout > 0 {
		by = time.Now().Add(min(patience, o.WriteTimeout))
	}
	if limit, ok := ctx.Deadline(); ok && limit.Before(by) {
		by = limit
	}
	var all sync.WaitGroup
	for _, m := range members {
		all.Go(func() {
			m.Goodbye(by)
			m.Evict(ErrStopped)
		})
	}
	all.Wait()
}

// wait waits for a group, at most until ctx is done.
func wait(ctx context.Context, group *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
