package clock

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestNowIsTheKernelsMonotonicClock: another process reads the same clock with clock_gettime.
func TestNowIsTheKernelsMonotonicClock(t *testing.T) {
	best := int64(time.Hour)
	for range 1000 {
		before := Now()
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			t.Fatal(err)
		}
		after := Now()
		// The kernel's reading lies between the two; how far outside is the error of the calibration.
		best = min(best, max(before-ts.Nano(), ts.Nano()-after, 0))
	}
	if best > int64(20*time.Microsecond) {
		t.Errorf("off by %d ns at best, want below 20 us", best)
	}
}

func TestReadPairConvertsWallToMonotonic(t *testing.T) {
	p := ReadPair()
	if p.Bracket < 0 {
		t.Errorf("bracket %d ns", p.Bracket)
	}
	if off := time.Now().UnixNano() - p.Offset - Now(); off < -int64(time.Second) || off > int64(time.Second) {
		t.Errorf("the wall clock, converted, is %d ns from the monotonic clock", off)
	}
}

func TestSleepUntilThePastReturnsAtOnce(t *testing.T) {
	began := Now()
	SleepUntil(began - int64(time.Hour))
	SleepUntil(began + int64(5*time.Millisecond))
	if took := Now() - began; took < int64(5*time.Millisecond) || took > int64(5*time.Second) {
		t.Errorf("slept %d ns, want a little more than 5 ms", took)
	}
}
