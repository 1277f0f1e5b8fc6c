package engines_test

import (
	"io"
	"testing"
	"time"

	"wsfanout/engines"
	"wsfanout/engines/enginetest"
)

func resolve(t testing.TB, spec string) engines.Options {
	t.Helper()
	parsed, err := engines.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	o, err := parsed.Resolve(engines.Defaults{WriteTimeout: time.Second, MaxPayload: 256 << 10, MaxClients: 64, Log: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestGorilla(t *testing.T) {
	enginetest.Run(t, enginetest.Suite{Options: resolve(t, "gorilla"), New: engines.New})
}

func TestNbio(t *testing.T) {
	enginetest.SkipUnderRace(t)
	enginetest.Run(t, enginetest.Suite{Options: resolve(t, "nbio"), New: engines.New,
		Known: []enginetest.Deviation{enginetest.AcceptsUnmasked}})
}

func TestVariants(t *testing.T) {
	for _, spec := range []string{"gorilla:writebufferpool", "gorilla:readbuf=1KiB:writebuf=1KiB"} {
		t.Run(spec, func(t *testing.T) {
			enginetest.Run(t, enginetest.Suite{Options: resolve(t, spec), New: engines.New, Brief: true})
		})
	}
	for _, spec := range []string{"nbio:iomod=blocking", "nbio:iomod=mixed", "nbio:async:iomod=blocking", "nbio:executor=inline:npoller=1:writebuf=4KiB"} {
		known := []enginetest.Deviation{enginetest.AcceptsUnmasked}
		if spec != "nbio:executor=inline:npoller=1:writebuf=4KiB" {
			known = append(known, enginetest.IgnoresBadFrames)
		}
		t.Run(spec, func(t *testing.T) {
			enginetest.SkipUnderRace(t)
			enginetest.Run(t, enginetest.Suite{Options: resolve(t, spec), New: engines.New, Known: known, Brief: true})
		})
	}
}
