package engines_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wsfanout/engines"
)

func TestSpecIsCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"gorilla":       "gorilla",
		"gorilla:stock": "gorilla:stock",
		"nbio:npoller=2:iomod=blocking:async=true":        "nbio:async:iomod=blocking:npoller=2",
		"nbio:pendingcap=1024KiB:writetimeout=1000ms":     "nbio:pendingcap=1MiB:writetimeout=1s",
		"nbio:async=false:keepalive=60s:ping=0s":          "nbio:async=false:keepalive=1m:ping=0",
		"nbio:tcpkeepalive=60s/2000ms/3:httpkeepalive=0s": "nbio:httpkeepalive=0:tcpkeepalive=1m/2s/3",
		"gorilla:tcpkeepalive=off:refresh=pong":           "gorilla:refresh=pong:tcpkeepalive=off",
		"nbio:httpkeepalive=default:tcpkeepalive=default": "nbio:httpkeepalive=default:tcpkeepalive=default",
		"gorilla:writebuf=1500:usertimeout=90m:ping=3s":   "gorilla:ping=3s:usertimeout=1h30m:writebuf=1500",
	} {
		s, err := engines.Parse(in)
		if err != nil || s.String() != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", in, s, err, want)
			continue
		}
		if again, err := engines.Parse(want); err != nil || again.String() != want {
			t.Errorf("Parse(%q) = %q, %v; want itself", want, again, err)
		}
	}
}

func TestSpecErrorsNameWhatIsValid(t *testing.T) {
	for in, want := range map[string][]string{
		"":                                 {"gorilla, nbio"},
		"fasthttp":                         {`"fasthttp"`, "gorilla, nbio, gobwas"},
		"gorilla:pendingcap=1MiB":          {`"pendingcap"`, "writetimeout", "writebufferpool"},
		"nbio:":                            {`no option ""`, "iomod"},
		"nbio:iomod=fast":                  {"nonblocking, blocking, mixed"},
		"nbio:iomod":                       {"nonblocking, blocking, mixed"},
		"nbio:npoller=0":                   {"whole number from 1"},
		"nbio:pendingcap=1MB":              {"64KiB"},
		"nbio:async=yes":                   {"true or false"},
		"gorilla:writetimeout=5":           {"500ms"},
		"gorilla:writetimeout=-5s":         {"500ms"},
		"gorilla:deadline=sometimes":       {"enforced, native, once, none"},
		"gorilla:stock:stock":              {"stock is given twice"},
		"nbio:pendingcap=1KiB":             {"262154"},
		"nbio:pendingcap=262153":           {"262154"},
		"nbio:async":                       {"iomod=blocking"},
		"nbio:iomod=mixed:pendingcap=1MiB": {"iomod=nonblocking"},
		"nbio:executor=inline:pool=4":      {"executor=pool"},
		"gorilla:level=3":                  {"level", "-compress"},
		"nbio:level=1":                     {"level", "-compress"},
		"gorilla:tcpkeepalive=5s/2s":       {"default, off or IDLE/INTERVAL/COUNT", "5s/2s/3"},
		"gorilla:tcpkeepalive=1500ms/2s/3": {"whole seconds"},
		"gorilla:tcpkeepalive=0s/2s/3":     {"5s/2s/3"},
		"gorilla:tcpkeepalive=5s/10h/3":    {"5s/2s/3"},
		"nbio:tcpkeepalive=5s/2s/128":      {"5s/2s/3"},
		"nbio:refresh=pong":                {`"refresh"`},
		"gorilla:refresh=ping":             {"any, pong"},
		"gorilla:httpkeepalive=1s":         {`"httpkeepalive"`},
		"nbio:httpkeepalive=-1s":           {"default or a duration"},
		"nbio:level=10":                    {"whole number from 1 to 9"},
		"gorilla:level=0":                  {"whole number from 1 to 9"},
		"gobwas:mode=poll":                 {"netpoll, goroutine"},
		"gobwas:mode=goroutine:pool=4":     {"mode=netpoll"},
	} {
		s, err := engines.Parse(in)
		if err == nil {
			_, err = s.Resolve(defaults())
		}
		if err == nil {
			t.Errorf("%q is accepted", in)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %q; want one line with %q", in, err, part)
			}
		}
	}
}

func TestEveryOptionIsDescribedAndRecorded(t *testing.T) {
	if names := engines.Names(); !slices.Equal(names, []string{"gorilla", "nbio", "gobwas"}) {
		t.Errorf("Names() = %q", names)
	}
	for _, d := range engines.Describe() {
		m := resolve(t, d.Name).Map()
		if len(m) != len(d.Options) {
			t.Errorf("%s has %d options and records %d", d.Name, len(d.Options), len(m))
		}
		for _, o := range d.Options {
			if _, ok := m[o.Name]; !ok || o.Values == "" || o.Default == "" || o.Summary == "" {
				t.Errorf("%s: option %+v is not fully described or recorded as %q", d.Name, o, m[o.Name])
			}
			if _, err := engines.Parse(fmt.Sprintf("%s:%s=%s", d.Name, o.Name, m[o.Name])); err != nil {
				t.Errorf("what is recorded cannot be read: %v", err)
			}
		}
	}
}

func TestStockIsTheLibrarysExample(t *testing.T) {
	chat := resolve(t, "gorilla:stock")
	if chat.WriteTimeout != 10*time.Second || chat.Keepalive != time.Minute || chat.Ping != 54*time.Second || chat.ReadBuffer != 1024 || chat.Refresh != engines.RefreshPong {
		t.Errorf("gorilla:stock is %+v", chat)
	}
	if o := resolve(t, "gorilla:stock:writetimeout=3s"); o.WriteTimeout != 3*time.Second {
		t.Errorf("an option beside stock is lost: write timeout %v", o.WriteTimeout)
	}
	if o := resolve(t, "nbio:stock"); o.Deadline != engines.DeadlineNone || o.Keepalive != 2*time.Minute || o.FramePayload != 32<<10 {
		t.Errorf("nbio:stock is %+v", o)
	}
}

// TestNotesAreClauses: the report joins them behind the engine's name.
func TestNotesAreClauses(t *testing.T) {
	for _, spec := range []string{"gorilla", "gorilla:stock", "gorilla:deadline=once:keepalive=1s:ping=2s:usertimeout=3s:writebufferpool", "nbio", "nbio:stock",
		"gorilla:keepalive=9s:ping=3s:refresh=pong:tcpkeepalive=5s/2s/3", "nbio:httpkeepalive=0:tcpkeepalive=off", "nbio:httpkeepalive=20s",
		"nbio:iomod=mixed", "nbio:async:iomod=blocking:writebuf=4KiB", "nbio:pendingcap=1MiB:deadline=native:executor=inline"} {
		plain, notes := engines.Notes(resolve(t, spec)), []string(nil)
		if !strings.Contains(spec, "async") {
			notes = engines.Notes(resolveWith(t, spec, true, true))
		}
		if len(plain) == 0 || len(notes) > 0 && len(notes) != len(plain)+3 {
			t.Errorf("%s has %d notes, and with compression and TLS %d", spec, len(plain), len(notes))
		}
		for _, note := range append(plain, notes...) {
			if strings.HasSuffix(note, ".") || strings.Contains(note, "%!") || strings.Contains(note, "\n") ||
				strings.HasPrefix(note, "gorilla") || strings.HasPrefix(note, "nbio") {
				t.Errorf("%s: %q", spec, note)
			}
		}
	}
}
