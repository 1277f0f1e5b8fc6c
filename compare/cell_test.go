package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wsfanout/compare/result"
)

// cellOf measures one cell with real processes and sockets.
func cellOf(t *testing.T, args string, say func(string)) result.Trial {
	t.Helper()
	return cellIn(t.Context(), t, args, say)
}

func cellIn(ctx context.Context, t *testing.T, args string, say func(string)) result.Trial {
	t.Helper()
	c, err := parseRun(strings.Fields(args), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if say == nil {
		say = func(string) {}
	}
	trial := runTrial(ctx, c, cell{engine: c.engines[0], strategy: c.strategies[0]}, 1, say)
	if left := children(t); len(left) > 0 {
		t.Errorf("processes left behind: %v", left)
	}
	return trial
}

// children are the verbs of this process's live children.
func children(t *testing.T) map[int]string {
	t.Helper()
	found := map[int]string{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if f := strings.Fields(rest); len(f) < 2 || f[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if args := strings.Split(string(line), "\x00"); len(args) > 1 {
			found[pid] = args[1]
		}
	}
	return found
}

const small = "-clients 200 -interval 50ms -rounds 6 -warmup 1 -stuck 0 "

// TestEveryCellAddsUp is the main job at small size.
func TestEveryCellAddsUp(t *testing.T) {
	for _, engine := range testedEngines() {
		for _, strategy := range []string{"seq", "seqprep", "shard", "shardprep", "chan"} {
			t.Run(engine+"/"+strategy, func(t *testing.T) {
				trial := cellOf(t, small+"-engines "+engine+" -strategies "+strategy, nil)
				if trial.Error != "" {
					t.Fatal(trial.Error)
				}
				checkHealthy(t, trial)
			})
		}
	}
}

func checkHealthy(t *testing.T, trial result.Trial) {
	t.Helper()
	p := trial.Healthy
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if p.Expected != 1200 || p.Received != p.Expected {
		t.Errorf("received %d of %d, want all 1200", p.Received, p.Expected)
	}
	if p.Duplicates != 0 || p.OutOfOrder != 0 || len(p.FalseKills) != 0 {
		t.Errorf("duplicates %d, out of order %d, false kills %v", p.Duplicates, p.OutOfOrder, p.FalseKills)
	}
	if p.VsBare == nil || p.VsBare.Pairs == 0 || p.VsBare.Median <= 0 {
		t.Errorf("vs bare: %+v", p.VsBare)
	}
	if p.Latency == nil || p.Latency.N != p.Received || p.Latency.P50 > p.Latency.Max || p.Latency.P50 <= 0 {
		t.Errorf("latency: %+v", p.Latency)
	}
	if len(p.RoundsDetail) != 6 {
		t.Errorf("%d rounds in detail, want 6", len(p.RoundsDetail))
	}
	for _, r := range p.RoundsDetail {
		if r.FirstNs <= 0 || r.FirstNs > r.LastNs || r.Received != 200 {
			t.Errorf("round %d: %+v", r.N, r)
		}
	}
	if p.Server.CPUNsPerDelivery <= 0 || p.Fleet.CPUNsPerDelivery <= 0 || p.Server.BytesPerClient <= 0 {
		t.Errorf("costs: %+v %+v", p.Server, p.Fleet)
	}
	if trial.Connected != 200 || trial.ConnectNs <= 0 || len(trial.Warnings) != 0 {
		t.Errorf("connected %d in %d ns, warnings %q", trial.Connected, trial.ConnectNs, trial.Warnings)
	}
}

// TestSeqLatencyGrowsWithThePlaceInTheList is the reference's first conclusion.
func TestSeqLatencyGrowsWithThePlaceInTheList(t *testing.T) {
	trial := cellOf(t, "-clients 1000 -interval 100ms -rounds 8 -warmup 2 -stuck 0 -engines gorilla -strategies seq", nil)
	if trial.Error != "" {
		t.Fatal(trial.Error)
	}
	if rho := spearman(trial.Healthy.Positions); rho < 0.9 {
		t.Errorf("rank correlation of place and median latency: %.3f, want at least 0.9", rho)
	}
}

// spearman is the rank correlation of pairs without ties to speak of.
func spearman(pairs [][2]float64) float64 {
	rank := func(column int) []float64 {
		order := make([]int, len(pairs))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, pairs[a][column]-pairs[b][column])) })
		ranks := make([]float64, len(pairs))
		for r, i := range order {
			ranks[i] = float64(r)
		}
		return ranks
	}
	x, y, n := rank(0), rank(1), float64(len(pairs))
	var d2 float64
	for i := range x {
		d2 += (x[i] - y[i]) * (x[i] - y[i])
	}
	return 1 - 6*d2/(n*(n*n-1))
}

// TestAnInterruptInEveryPhaseLeavesNothing cancels a run at the start of each phase; cellIn checks that no process is left.
func TestAnInterruptInEveryPhaseLeavesNothing(t *testing.T) {
	for _, phase := range []string{"start", "connect", "settle", "warm-up", "healthy", "stuck", "teardown"} { // recover is over before a signal arrives
		t.Run(phase, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			trial := cellIn(ctx, t, small+"-stuck 1 -write-timeout 200ms -engines gorilla -strategies seq", func(now string) {
				if now == phase {
					time.AfterFunc(20*time.Millisecond, cancel)
				}
			})
			if trial.Error == "" && phase != "teardown" {
				t.Error("the cell was measured although the run was interrupted")
			}
		})
	}
}

// TestAKilledChildFailsItsCellWithAReason kills one child with -9 in the middle of a phase.
func TestAKilledChildFailsItsCellWithAReason(t *testing.T) {
	for _, row := range []struct{ verb, phase, name string }{
		{"serve", "healthy", "server"}, {"fleet", "healthy", "fleet"}, {"serve", "connect", "server"}, {"fleet", "settle", "fleet"},
	} {
		t.Run(row.verb+" in "+row.phase, func(t *testing.T) {
			trial := cellOf(t, small+"-engines gorilla -strategies seq", func(phase string) {
				if phase != row.phase {
					return
				}
				for pid, verb := range children(t) {
					if verb == row.verb {
						syscall.Kill(pid, syscall.SIGKILL)
					}
				}
			})
			if !strings.Contains(trial.Error, row.name) && !strings.Contains(trial.Error, "connected") {
				t.Errorf("error %q, want one that names the %s", trial.Error, row.name)
			}
		})
	}
}

// TestStuckClientBlastRadius is the published experiment's second half at small size: who shares a writer with the stuck
// client waits for it, and nobody else does.
func TestStuckClientBlastRadius(t *testing.T) {
	const args = "-clients 300 -interval 60ms -rounds 8 -warmup 1 -write-timeout 600ms -shards 2 "
	for _, row := range []struct {
		spec       string
		late       int
		evictedBy  string
		onlyEngine string
	}{
		{"-engines gorilla -strategies seq -stuck-at first", 300, "write timeout", "gorilla"},   // all behind it
		{"-engines gorilla -strategies seq -stuck-at middle", 150, "write timeout", "gorilla"},  // half of them
		{"-engines gorilla -strategies seq -stuck-at last", 0, "write timeout", "gorilla"},      // nobody is behind it
		{"-engines gorilla -strategies shard -stuck-at first", 150, "write timeout", "gorilla"}, // its shard
		{"-engines gorilla -strategies shard:10 -stuck-at first", 30, "write timeout", "gorilla"},
		{"-engines gorilla -strategies chan -stuck-at first", 0, "write timeout", "gorilla"}, // it has a writer of its own
		{"-engines nbio -strategies seq -stuck-at first", 0, "write timeout", "nbio"},        // writes never block
		{"-engines nbio -strategies shard -stuck-at first", 0, "write timeout", "nbio"},
		{"-engines nbio -strategies chan -stuck-at first", 0, "write timeout", "nbio"},
		{"-engines nbio:iomod=blocking -strategies seq -stuck-at first", 300, "write timeout", "nbio"}, // as gorilla
	} {
		t.Run(row.spec, func(t *testing.T) {
			if !slices.Contains(testedEngines(), row.onlyEngine) {
				t.Skip(nbioUnderRace)
			}
			trial := cellOf(t, args+row.spec, nil)
			if trial.Error != "" {
				t.Fatal(trial.Error)
			}
			b := trial.Stuck.Blast
			if !b.Resolvable || *b.LateClients != row.late {
				t.Errorf("late clients %s, want %d (control %d)", show(b.LateClients), row.late, b.Control)
			}
			one := trial.Stuck.Jam.Clients[0]
			if !trial.Stuck.Jam.Jammed || one.JamRound == nil || *one.JamRound > 6 || one.EvictedBy != row.evictedBy {
				t.Errorf("jam: %+v (%s)", one, trial.Stuck.Jam.Arithmetic)
			}
			if one.EvictAfterNs == nil || *one.EvictAfterNs < int64(550*time.Millisecond) || *one.EvictAfterNs > int64(1500*time.Millisecond) {
				t.Errorf("evicted %s after the jam, want about 600 ms", show(one.EvictAfterNs))
			}
			if *trial.Recovery != (result.Recovery{}) {
				t.Errorf("recovery: %+v, want the healthy state", *trial.Recovery)
			}
			if err := trial.Stuck.Check(); err != nil || trial.Stuck.Received != trial.Stuck.Expected {
				t.Errorf("received %d of %d: %v", trial.Stuck.Received, trial.Stuck.Expected, err)
			}
		})
	}
}

func show[T any](p *T) string {
	if p == nil {
		return "absent"
	}
	return fmt.Sprint(*p)
}

const nbioUnderRace = "nbio's own code trips the race detector: its rows run without it"
