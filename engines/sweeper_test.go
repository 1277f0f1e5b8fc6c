package engines

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

// debtor is a connection whose account a test keeps.
type debtor struct{ account debt }

func (d *debtor) debt() *debt { return &d.account }
func (d *debtor) Evict(error) {}

// world is a sweeper, one debtor and a clock.
type world struct {
	sweeper sweeper
	debtor  debtor
	now     time.Duration // since start
	start   time.Time
}

func newWorld(timeout time.Duration) *world {
	return &world{sweeper: sweeper{timeout: timeout}, start: time.Now()}
}

func (w *world) write(n int64) {
	w.debtor.account.handed.Add(n)
	if w.debtor.account.owed() > 0 {
		w.sweeper.watch(&w.debtor)
		if marks := w.debtor.account.marks; len(marks) == 1 && marks[0].bytes == w.debtor.account.handed.Load() {
			marks[0].at = w.start.Add(w.now) // watch reads the real clock
		}
	}
}

func (w *world) take(n int64) { w.debtor.account.taken.Add(n) }

// sweep moves the clock and reports whether the debtor is to be evicted.
func (w *world) sweep(step time.Duration) bool {
	w.now += step
	return len(w.sweeper.sweep(w.start.Add(w.now))) > 0
}

const tenth = 100 * time.Millisecond // of the timeout in these tests

func TestSweeperEvictsTheStuckUnderRounds(t *testing.T) {
	w := newWorld(10 * tenth)
	for w.now < 30*tenth {
		w.write(1000)
		if w.sweep(tenth) {
			if w.now < 10*tenth || w.now > 12*tenth {
				t.Errorf("evicted after %v, want 1 s", w.now)
			}
			return
		}
	}
	t.Error("a stuck client under rounds is never evicted")
}

func TestSweeperKeepsTheSteadyDebtor(t *testing.T) {
	w := newWorld(10 * tenth)
	w.write(2500) // taken at 1000 per tenth: every byte within 3 tenths
	for range 100 {
		w.write(1000)
		w.take(1000)
		if w.sweep(tenth) {
			t.Fatalf("evicted after %v although no byte is owed for longer than 300 ms", w.now)
		}
		if marks := len(w.debtor.account.marks); marks > 12 {
			t.Fatalf("%d marks for a timeout of 10 sweeps", marks)
		}
	}
}

func TestSweeperForgetsWhoHasPaid(t *testing.T) {
	w := newWorld(10 * tenth)
	w.write(1000)
	w.take(1000)
	if w.sweep(50*tenth) || len(w.sweeper.owing) != 0 || w.debtor.account.watched.Load() {
		t.Errorf("a client that has paid is evicted or watched")
	}
	w.write(1000)
	if w.sweep(5*tenth) || !w.sweep(6*tenth) {
		t.Error("a second debt is not counted from its own beginning")
	}
}

// TestSweeperAgainstTheRule drives random histories and compares with the rule itself: a byte owed for the timeout evicts
// within two sweeps, and nothing else does.
func TestSweeperAgainstTheRule(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(10 * tenth)
		var lots []mark // every byte of the past by when it was handed over
		for range 200 {
			if n := random.Int64N(3000); random.IntN(3) > 0 {
				w.write(n)
				lots = append(lots, mark{w.start.Add(w.now), w.debtor.account.handed.Load()})
			}
			w.take(random.Int64N(1 + w.debtor.account.owed()*int64(random.IntN(2))))
			evicted := w.sweep(tenth)
			age := time.Duration(0)
			for _, lot := range lots {
				if lot.bytes > w.debtor.account.taken.Load() {
					age = w.start.Add(w.now).Sub(lot.at)
					break
				}
			}
			if evicted && age < 10*tenth || !evicted && age > 12*tenth {
				t.Fatalf("seed %d at %v: evicted %t, the oldest owed byte is %v old", seed, w.now, evicted, age)
			}
			if evicted {
				break
			}
		}
	}
}

func TestFirstBlameStays(t *testing.T) {
	var l life
	seen := errors.New("seen")
	if l.verdict(seen) != seen {
		t.Error("without blame the verdict is what was seen")
	}
	l.blame(ErrStopped)
	l.blame(ErrQueueFull)
	if l.verdict(seen) != ErrStopped {
		t.Errorf("verdict %v, want the first blame", l.verdict(seen))
	}
}
