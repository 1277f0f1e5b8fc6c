package enginetest

import "testing"

// SkipUnderRace skips a test of an engine whose library is not made for the race detector. nbio reads flags of its
// connections and engines without their locks and marks its own functions with go:norace, so the detector sees only half
// of its synchronisation and reports accesses of the library against ours, now and then and nowhere in particular. This is
// the one place where that is decided; everything else runs under the detector.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if raceEnabled {
		t.Skip("nbio is not run under the race detector: see enginetest.SkipUnderRace")
	}
}
