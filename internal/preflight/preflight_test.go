package preflight

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// ample is a system on which 10,000 clients fit.
func ample() Limits {
	return Limits{
		Host: Host{CPUModel: "some CPU", CPUs: 2, MemBytes: 8 << 30, Kernel: "6.1", NoFile: 20000, SoMaxConn: 4096, TCPWmem: "4096 16384 4194304",
			TCPRmem: "4096 131072 33554432", PortRange: "32768 60999"},
		NoFileSoft: 20000, NoFileHard: 20000, NoFileCeiling: 1 << 20,
		FilesOpen: 300, FilesMax: Unlimited, Ports: 28232, Sources: 250,
		MemAvailableBytes: 8 << 30, CgroupRoomBytes: Unlimited, CgroupRoomThreads: Unlimited,
	}
}

func TestEachLimitBoundsTheClients(t *testing.T) {
	need := Need{Clients: 10000, Extras: 1, SizeBytes: 1024}
	for _, row := range []struct {
		why     string
		change  func(*Limits)
		short   string // the limit that must be named; "" none
		clients int
		raise   string
	}{
		{"everything fits", func(*Limits) {}, "", 10000, ""},
		{"4096 descriptors less the stuck client, 32 handshakes and 128 of its own", func(l *Limits) { l.NoFileHard = 4096 }, "open files of a process", 3935, "ulimit -n 10161"},
		{"the soft limit alone does not bind: Go raises it", func(l *Limits) { l.NoFileSoft = 1024 }, "", 10000, ""},
		{"in Docker the hint is Docker's", func(l *Limits) { l.NoFileHard, l.Host.Container = 4096, true }, "open files of a process", 3935, "--ulimit nofile=10161:10161"},
		{"a ceiling below the need is raised first", func(l *Limits) { l.NoFileHard, l.NoFileCeiling = 4096, 8192 }, "open files of a process", 3935, "fs.nr_open=10161; ulimit"},
		{"the host's file table serves two processes", func(l *Limits) { l.FilesMax = 10814 }, "open files of the host", 5096, "fs.file-max=20622"},
		{"one source with few ports, a fifth of them left alone", func(l *Limits) { l.Ports, l.Sources = 2000, 1 }, "ports for clients", 1599, "ip_local_port_range"},
		{"more clients than one source has ports", func(l *Limits) { l.Ports = 2000 }, "", 10000, ""},
		{"a container with 256 MiB left", func(l *Limits) { l.CgroupRoomBytes = 256 << 20 }, "memory (estimate)", 2620, "docker run --memory"},
		{"a host with 256 MiB left", func(l *Limits) { l.MemAvailableBytes = 256 << 20 }, "memory (estimate)", 2620, "free memory"},
		{"nothing is known: nothing is refused", func(l *Limits) {
			*l = Limits{NoFileHard: Unlimited, FilesMax: Unlimited, Ports: Unlimited, Sources: 1, MemAvailableBytes: Unlimited, CgroupRoomBytes: Unlimited, CgroupRoomThreads: Unlimited, Host: Host{SoMaxConn: 128}}
		}, "", 10000, ""},
	} {
		l := ample()
		row.change(&l)
		clients, tightest := Fit(l, need)
		if clients != row.clients {
			t.Errorf("%s: %d clients fit, want %d (%+v)", row.why, clients, row.clients, tightest)
		}
		if row.short != "" && (tightest.Limit != row.short || !tightest.Short || !strings.Contains(tightest.Raise, row.raise)) {
			t.Errorf("%s: tightest is %+v, want %s, raised by %s", row.why, tightest, row.short, row.raise)
		}
		if still := Check(l, Need{Clients: clients, Extras: 1, SizeBytes: 1024}); row.short != "" && anyShort(still) {
			t.Errorf("%s: %d clients should fit: %+v", row.why, clients, still)
		}
	}
}

func anyShort(findings []Finding) bool {
	for _, f := range findings {
		if f.Short {
			return true
		}
	}
	return false
}

func TestSettle(t *testing.T) {
	small, tiny, slow, few := ample(), ample(), ample(), ample()
	small.NoFileHard, tiny.NoFileHard, slow.Host.SoMaxConn, few.CgroupRoomThreads = 4096, 100, 16, 20
	for _, row := range []struct {
		why      string
		l        Limits
		explicit bool
		clients  int
		note     string   // in a note
		refused  []string // in the error
	}{
		{"what fits is left alone", ample(), true, 10000, "", nil},
		{"a default shrinks and says so", small, false, 3935, "3935 clients instead of 10000", nil},
		{"an explicit number is refused with figures, command and what fits", small, true, 0, "", []string{"10000 clients", "4096", "10161", "ulimit -n 10161", "-clients 3935"}},
		{"a default is not shrunk to nothing", tiny, false, 0, "", []string{"allows 0 clients"}},
		{"without threads nothing runs", few, false, 0, "", []string{"threads (pids.max) is 20, needed 70", "--pids-limit 140"}},
		{"a short accept queue is slow, no reason to refuse", slow, true, 10000, "connecting may be slow", nil},
	} {
		clients, notes, err := Settle(row.l, Need{Clients: 10000, Extras: 1, SizeBytes: 1024}, row.explicit)
		if clients != row.clients || (err != nil) != (row.refused != nil) || (err != nil && !errors.Is(err, ErrShort)) {
			t.Errorf("%s: %d clients, %v", row.why, clients, err)
			continue
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %v", row.why, err)
		}
		if got := strings.Join(notes, "\n"); !strings.Contains(got, row.note) || (row.note == "") != (got == "") {
			t.Errorf("%s: notes %q, want %q", row.why, got, row.note)
		}
		for _, want := range row.refused {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", row.why, err, want)
			}
		}
	}
}

func TestDoctorPrintsEveryLimitAndHowToRaiseTheShortOnes(t *testing.T) {
	l := ample()
	l.NoFileHard, l.Host.Container, l.Host.CPUQuota = 4096, true, 1.5
	var out strings.Builder
	if err := Doctor(&out, l, Need{Clients: 10000, Extras: 1, SizeBytes: 1024}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "doctor.golden")
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestReadFillsTheHost(t *testing.T) {
	l := Read()
	if l.Host.CPUs != runtime.NumCPU() || l.Host.Kernel == "" || l.NoFileHard < 1 || l.Host.NoFile != l.NoFileHard {
		t.Errorf("%+v", l)
	}
	if runtime.GOOS == "linux" && (l.Host.MemBytes == 0 || l.MemAvailableBytes == 0 || l.Host.CPUModel == "") {
		t.Errorf("%+v", l)
	}
	if clients, tightest := Fit(l, Need{Clients: 10, SizeBytes: 1024}); clients != 10 {
		t.Errorf("not even 10 clients fit here: %+v", tightest)
	}
}
