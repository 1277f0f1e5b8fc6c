package serve

import (
	"context"
	"runtime"

	"wsfanout/internal/preflight"
)

// Host answers "host", which may come before "start": what the server runs on, where that is not the parent's own machine.
type Host struct {
	GOMAXPROCS int            `json:"gomaxprocs"` // follows the container's CPU quota; shards and pollers follow it
	Machine    preflight.Host `json:"machine"`
}

func (s *session) host(context.Context, struct{}) (Host, error) {
	return Host{GOMAXPROCS: runtime.GOMAXPROCS(0), Machine: preflight.Read().Host}, nil
}
