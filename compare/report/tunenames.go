package report

import (
	"cmp"
	"slices"
	"strings"

	"wsfanout/compare/result"
)

// engineOf is the bare name of the library.
func engineOf(s *result.Tune) string {
	base, _, _ := strings.Cut(s.Engine, ":")
	return base
}

// tuneChooses are the options that no spec asks for: the set-ups differ in them.
var tuneChooses = []string{"keepalive", "ping", "refresh", "httpkeepalive", "tcpkeepalive", "usertimeout", "deadline", "writetimeout", "pendingcap"}

// askedSpec is the spec of a set-up as the run was asked for it.
func askedSpec(s *result.Tune) string { return withoutOptions(s.Engine, tuneChooses...) }

// nameOf is the library, or the spec where the run has several of that library.
func (t *tuned) nameOf(s *result.Tune) string {
	asked := askedSpec(s)
	for i := range t.Tune {
		if other := &t.Tune[i]; engineOf(other) == engineOf(s) && askedSpec(other) != asked {
			return asked
		}
	}
	return engineOf(s)
}

// labelOf names a set-up in two words: the engine, and what is special about it.
func (t *tuned) labelOf(s *result.Tune) [2]string {
	engine := withoutOptions(s.Engine, "keepalive", "ping")
	switch s.Part {
	case result.TuneGrid, result.TuneAdvice:
		return [2]string{engine, periods(s)}
	case result.TuneWrite:
		return [2]string{t.nameOf(s), strings.TrimSpace(s.Policy + " " + timeLimit(s.WriteTimeoutNs))}
	}
	if s.Name != "" {
		return [2]string{t.nameOf(s), s.Name}
	}
	return [2]string{engine, periods(s)}
}

func timeLimit(ns int64) string {
	if ns == 0 {
		return ""
	}
	return exact(float64(ns))
}

// periods are keepalive and ping, "1 s/333 ms".
func periods(s *result.Tune) string { return keepaliveOf(s) + "/" + pingOf(s) }

func keepaliveOf(s *result.Tune) string { return cmp.Or(timeLimit(s.KeepaliveNs), "none") }

func pingOf(s *result.Tune) string { return cmp.Or(timeLimit(s.PingNs), "none") }

// withoutOptions is a spec without those options, which are told otherwise.
func withoutOptions(spec string, names ...string) string {
	parts := strings.Split(spec, ":")
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		name, _, _ := strings.Cut(part, "=")
		return slices.Contains(names, name)
	}), ":")
}
