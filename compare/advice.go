//go:build linux

package main

import (
	"fmt"
	"time"

	"wsfanout/engines"
	"wsfanout/serve"
)

// fillTime is about how long filling the buffers of the clients that stopped reading takes; they jam within three rounds more.
const fillTime = 200 * time.Millisecond

// refuse says why a plan cannot measure what it asks for: every one of its cells would be wrong in the same way.
func (c *config) refuse() error {
	if err := c.refuseTwins(); err != nil {
		return err
	}
	for _, spec := range c.engines {
		o, err := spec.Resolve(c.engineDefaults())
		if err != nil {
			return fmt.Errorf("-engines: %w", err)
		}
		if cell := c.cellTime(); o.Keepalive > 0 && o.Ping == 0 && o.Keepalive < cell {
			return fmt.Errorf("-engines: %s: keepalive=%v closes every client that only receives, and a cell takes about %v: "+
				"add ping=%v, or make keepalive longer", spec, o.Keepalive, cell.Round(time.Second), o.Keepalive/3)
		}
		if o.Keepalive > 0 && o.Ping >= o.Keepalive {
			return fmt.Errorf("-engines: %s: ping=%v does not come before keepalive=%v: every healthy client would be closed; "+
				"want at most %v", spec, o.Ping, o.Keepalive, o.Keepalive/3)
		}
	}
	if proof := fillTime + 3*c.interval + serve.JamAfter(c.writeTimeout); c.behave.resume > 0 && c.behave.resume < proof {
		return fmt.Errorf("-resume %v: a jam takes about %v to be proven at this write timeout: want more", c.behave.resume, proof)
	}
	if phase := time.Duration(c.rounds) * c.interval; c.behave.resume > phase {
		return fmt.Errorf("-resume %v: the stuck phase takes %v: want less", c.behave.resume, phase)
	}
	return nil
}

// refuseTwins: the same set-up under two names would be measured twice, and look like two.
func (c *config) refuseTwins() error {
	seen := map[string]string{}
	for _, s := range c.strategies {
		if twin, ok := seen[s.Effective(c.shards)]; ok {
			return fmt.Errorf("-strategies: %s and %s are the same here: name one of them", twin, s)
		}
		seen[s.Effective(c.shards)] = s.String()
	}
	seen = map[string]string{}
	for _, spec := range c.engines {
		o, err := spec.Resolve(c.engineDefaults())
		if err != nil {
			return fmt.Errorf("-engines: %w", err)
		}
		same := fmt.Sprint(o.Name, o.Map()) // fmt sorts the keys
		if twin, ok := seen[same]; ok {
			return fmt.Errorf("-engines: %s and %s are the same set-up: name one of them", twin, spec)
		}
		seen[same] = spec.String()
	}
	return nil
}

// advise are sentences about what a plan will do that its user may not expect.
func (c *config) advise() []string {
	var out []string
	if round := estimatedRound(c); round > c.interval && round > time.Millisecond {
		out = append(out, fmt.Sprintf("a round to %d clients takes about %v here, longer than -interval %v: rounds will fall behind",
			c.clients, round.Round(time.Millisecond), c.interval))
	}
	if c.behave.extras() == 0 {
		return out
	}
	for _, spec := range c.engines {
		o, err := spec.Resolve(c.engineDefaults())
		if err != nil {
			continue // refused with the flags
		}
		switch {
		case spec.foreign(): // whether a writer waits, who knows
		case o.IOMod == engines.IOModNonBlocking || o.Async: // no writer ever waits
		case o.WriteLimit() == 0:
			out = append(out, fmt.Sprintf("%s: no write ever times out: a strategy whose writer blocks hangs in the stuck client "+
				"until the run ends it", spec))
		case o.WriteTimeout > c.interval:
			out = append(out, fmt.Sprintf("%s: the write timeout of %v is above the interval of %v: a writer that waits for the stuck "+
				"client swallows about %d scheduled rounds", spec, o.WriteTimeout, c.interval, min(int64(o.WriteTimeout/c.interval), int64(c.rounds))))
		}
	}
	return out
}
