package engines_test

import (
	"io"
	"testing"
	"time"

	"wsfanout/engines"
	"wsfanout/engines/enginetest"
)

func defaults() engines.Defaults {
	return engines.Defaults{WriteTimeout: time.Second, MaxPayload: 256 << 10, MaxClients: 64, Log: io.Discard}
}

func resolve(t testing.TB, spec string) engines.Options {
	t.Helper()
	parsed, err := engines.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	o, err := parsed.Resolve(defaults())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// suite is the suite of a spec; a brief one unless the spec is an engine's bare name.
func suite(t testing.TB, spec string, known ...enginetest.Deviation) enginetest.Suite {
	o := resolve(t, spec)
	if o.Name == "nbio" {
		enginetest.SkipUnderRace(t)
	}
	if o.Name == "nbio" {
		known = append(known, enginetest.UnheardIsSilent)
	}
	return enginetest.Suite{Options: o, New: engines.New, Known: known, Brief: spec != o.Name}
}

func TestGorilla(t *testing.T) { enginetest.Run(t, suite(t, "gorilla")) }

func TestGorillaBuffers(t *testing.T) {
	enginetest.Run(t, suite(t, "gorilla:readbuf=1KiB:writebuf=1KiB:writebufferpool"))
}

func TestGorillaOnce(t *testing.T) { suite(t, "gorilla:deadline=once").OnceKillsEverybody(t) }

func TestNbio(t *testing.T) { enginetest.Run(t, suite(t, "nbio", enginetest.AcceptsUnmasked)) }

func TestNbioInline(t *testing.T) {
	s := suite(t, "nbio:executor=inline:npoller=1:readbuf=1KiB:writebuf=4KiB", enginetest.AcceptsUnmasked)
	enginetest.Run(t, s)
	t.Run("handler stalls", func(t *testing.T) { s.HandlerStalls(t, true) })
}

func TestNbioPool(t *testing.T) {
	t.Run("large", func(t *testing.T) { suite(t, "nbio:npoller=1").HandlerStalls(t, false) })
	t.Run("of one", func(t *testing.T) { suite(t, "nbio:npoller=1:pool=1").HandlerStalls(t, true) })
}

func TestNbioBlocking(t *testing.T) {
	enginetest.Run(t, suite(t, "nbio:iomod=blocking", enginetest.AcceptsUnmasked, enginetest.IgnoresBadFrames))
}

func TestNbioAsync(t *testing.T) {
	enginetest.Run(t, suite(t, "nbio:async:iomod=blocking", enginetest.AcceptsUnmasked, enginetest.IgnoresBadFrames))
}

// TestNbioMixed has both kinds at once: the first client blocking, the others on pollers.
func TestNbioMixed(t *testing.T) {
	s := suite(t, "nbio:iomod=mixed", enginetest.AcceptsUnmasked)
	s.New = func(o engines.Options, h engines.Hooks) (engines.Engine, error) {
		e, err := engines.New(o, h)
		if err == nil {
			engines.SetMaxBlocking(e, 1)
		}
		return e, err
	}
	enginetest.Run(t, s)
}

func TestNbioPolicies(t *testing.T) {
	native, once := suite(t, "nbio:deadline=native"), suite(t, "nbio:deadline=once")
	enginetest.Together(t, enginetest.Cases{
		"native never evicts":      native.NativeNeverEvicts,
		"native kills the healthy": native.NativeKillsTheHealthy,
		"once kills the steady":    once.OnceKillsTheSteady,
		"pending cap":              suite(t, "nbio:pendingcap=1MiB").Overflow,
		"too slow":                 suite(t, "nbio").TooSlow,
		"too slow, async":          suite(t, "nbio:async:iomod=blocking").TooSlow,
	})
}
