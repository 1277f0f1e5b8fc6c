package clientfleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A network namespace of its own has ports of its own: there the ephemeral range can be short without harm to others.
func TestShortPortRange(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestInAShortPortRange$", "-test.v")
	cmd.Env = append(os.Environ(), shortRangeVariable+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		t.Errorf("%s", out)
	case err != nil:
		t.Skip("no network namespace here: ", err)
	}
}

const shortRangeVariable = "CLIENTFLEET_TEST_SHORT_RANGE"

// The inner half of TestShortPortRange.
func TestInAShortPortRange(t *testing.T) {
	if os.Getenv(shortRangeVariable) == "" {
		t.Skip("run by TestShortPortRange in a namespace of its own")
	}
	loopbackUp(t)
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_local_port_range", []byte("40000 40199"), 0); err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	run := func(from, to int) (*Fleet, Connected) {
		f, got, err := Connect(t.Context(), Plan{
			Addr: s.Addr().String(), Numbers: []Range{{from, to}}, Size: testSize, Timeout: 20 * time.Second,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Connected != to-from {
			t.Errorf("%+v", got)
		}
		return f, got
	}
	for i := range 3 {
		f, got := run(i*500, i*500+500)
		if got.Sources != 4 { // 160 of the 200 ports each
			t.Errorf("run %d: %d sources, want 4", i, got.Sources)
		}
		f.Close()
	}
	// Two fleets that each believe that one source is enough: the second one finds out.
	first, got := run(2000, 2150)
	defer first.Close()
	second, more := run(2150, 2300)
	defer second.Close()
	if got.Sources != 1 || more.Sources < 2 {
		t.Errorf("%d and %d sources, want 1 and more than 1", got.Sources, more.Sources)
	}
}

func loopbackUp(t *testing.T) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err == nil {
		ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
		err = unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
	}
	if err != nil {
		t.Fatal(fmt.Errorf("loopback: %w", err))
	}
}
