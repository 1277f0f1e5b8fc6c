//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"wsfanout/clientfleet"
	"wsfanout/internal/procstat"
	"wsfanout/internal/stamp"
	"wsfanout/serve"
)

func (r *cellRun) warn(texts ...string) { r.trial.Warnings = append(r.trial.Warnings, texts...) }

// phase runs one phase, waits until every client has everything or patience ends, and collects both sides' records.
func (r *cellRun) phase(ctx context.Context, p serve.Phase) (*measured, error) {
	slots := p.Rounds
	if p.Pairs {
		slots *= 2
	}
	began := time.Now()
	p.First, p.Interval = r.nextRound, r.interval
	r.nextRound += uint32(slots)
	// The limit is for a child that hangs: a legal phase may wait for every stuck client in turn, and for the drain.
	limit := 10*time.Duration(slots)*r.interval + time.Duration(len(r.extras))*r.options.WriteLimit() + 2*r.patience() + time.Minute
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()

	m := &measured{run: r, kind: p.Kind, began: began, planned: p.Rounds, from: p.First, to: r.nextRound}
	steal, err := procstat.HostStealNs()
	if err != nil {
		return nil, err
	}
	if err := r.fleet.tell(ctx, "mark", nil); err != nil {
		return nil, err
	}
	if err := m.talk(ctx, p.Kind, true); err != nil {
		return nil, err
	}
	if m.issued, err = r.issue(ctx, p); err != nil {
		return nil, err
	}
	if err := m.await(ctx); err != nil {
		return nil, err
	}
	if away := r.behave.resume; p.Kind == "stuck" && away > 0 { // and a second to read what has piled up
		if err := sleep(ctx, time.Until(began.Add(away+time.Second))); err != nil {
			return nil, err
		}
	}
	if err := m.talk(ctx, p.Kind, false); err != nil {
		return nil, err
	}
	if err := m.collect(ctx); err != nil {
		return nil, err
	}
	after, err := procstat.HostStealNs()
	m.steal = after - steal
	return m, err
}

// issue lets the server send the rounds.
func (r *cellRun) issue(ctx context.Context, p serve.Phase) (serve.Issued, error) {
	asked := time.Now()
	issued, err := call[serve.Issued](ctx, r.server, "phase", p, nil)
	if err != nil {
		return issued, err
	}
	if err := r.believeIssued(issued, p, asked); err != nil {
		return issued, fmt.Errorf("%s: phase %s: %w", r.server.name, p.Kind, err)
	}
	return issued, nil
}

// patience is how long a phase's drain may take after the last broadcast: nothing that a timeout lets through comes later.
func (r *cellRun) patience() time.Duration {
	return max(2*time.Second, 2*r.options.WriteLimit(), r.options.UserTimeout+time.Second)
}

// collect asks the server first: what it counts as owed must not arrive behind its back.
func (m *measured) collect(ctx context.Context) (err error) {
	r := m.run
	if m.drained, err = call[serve.Drained](ctx, r.server, "drain", serve.Drain{Patience: r.patience()}, nil); err != nil {
		return err
	}
	if err := m.believeDrained(); err != nil {
		return fmt.Errorf("%s: drain: %w", r.server.name, err)
	}
	if m.counters, err = r.fleet.counters(ctx); err != nil {
		return err
	}
	if err := r.askClocks(ctx); err != nil {
		return err
	}
	ask := func(kind stamp.Kind) (clientfleet.Collection, error) {
		return r.fleet.collect(ctx, clientfleet.Span{From: m.from, To: m.to, Kind: kind})
	}
	if m.seen, err = ask(stamp.Strategy); err != nil {
		return err
	}
	if m.bare, err = ask(stamp.Bare); err != nil {
		return err
	}
	r.noteClock(m.seen.Clock)
	r.noteClock(m.bare.Clock)
	if err := cmp.Or(m.believeArrivals(m.seen), m.believeArrivals(m.bare)); err != nil {
		return fmt.Errorf("%s: %w", r.server.name, err)
	}
	return nil
}
