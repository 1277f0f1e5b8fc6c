package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// hosts are network namespaces: a server and two fleets, each with an address of its own, and a switch between them. The bridge has a
// namespace of its own, because the machine's packet filter may drop what passes through one of its bridges.
type hosts []string

// address of the i-th host; nobody outside sees it.
func (h hosts) address(i int) string { return fmt.Sprintf("10.77.0.%d", i+1) }

// enter is what a command in the i-th host begins with.
func (h hosts) enter(i int) string { return "exec ip netns exec " + h[i] + " " }

// cable sets the i-th host's link up or down, at the switch.
func (h hosts) cable(t *testing.T, i int, state string) {
	t.Helper()
	ip(t, "-n %s link set port%d %s", h[len(h)-1], i, state)
}

func ip(t *testing.T, format string, args ...any) {
	t.Helper()
	line := fmt.Sprintf(format, args...)
	if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
		t.Errorf("ip %s: %v: %s", line, err, out)
	}
}

// threeHosts makes them, or skips the test with the reason. Cables and bridge go with the namespaces.
func threeHosts(t *testing.T) hosts {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces want root")
	}
	var h hosts
	for _, role := range []string{"server", "fleet1", "fleet2", "switch"} {
		name := fmt.Sprintf("wsfanout-%d-%s", os.Getpid(), role)
		if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
			t.Skipf("no network namespaces to be had: %v: %s", err, out)
		}
		t.Cleanup(func() { exec.Command("ip", "netns", "del", name).Run() })
		h = append(h, name)
	}
	center := h[len(h)-1]
	if out, err := exec.Command("ip", "-n", center, "link", "add", "bridge", "type", "bridge").CombinedOutput(); err != nil {
		t.Skipf("no bridge to be had: %v: %s", err, out)
	}
	ip(t, "-n %s link set bridge up", center)
	for i, host := range h[:3] {
		ip(t, "link add port%d netns %s type veth peer name eth0 netns %s", i, center, host)
		ip(t, "-n %s link set port%d master bridge up", center, i)
		ip(t, "-n %s address add %s/24 dev eth0", host, h.address(i))
		ip(t, "-n %s link set eth0 up", host)
		ip(t, "-n %s link set lo up", host)
	}
	return h
}

// TestThreeHosts cuts one fleet's cable in the middle of a cell: that cell fails in bounded time and says what did not come; those
// before and after it are measured.
func TestThreeHosts(t *testing.T) {
	h := threeHosts(t)
	marker(t)
	const cut = "gorilla/shard"
	file := runWithHook(t, func(cell, phase string) {
		switch {
		case phase == "start":
			h.cable(t, 2, "up")
		case cell == cut && phase == "healthy":
			time.AfterFunc(50*time.Millisecond, func() { h.cable(t, 2, "down") })
		}
	}, "-strategies", "seq,shard,chan", "-listen", h.address(0)+":0", "-rounds", "15", "-write-timeout", "500ms",
		"-server-cmd", halfCommand(t, h.enter(0), "serve"),
		"-fleet-cmd", halfCommand(t, h.enter(1), "fleet"), "-fleet-cmd", halfCommand(t, h.enter(2), "fleet"))
	for _, c := range file.Cells {
		trial := c.Trials[0]
		switch {
		case c.Name() == cut:
			if !strings.Contains(trial.Error, " of fleet 2 (") || time.Duration(trial.WallNs) > 40*time.Second {
				t.Errorf("%s, whose cable was cut: %q after %v", c.Name(), trial.Error, time.Duration(trial.WallNs))
			}
			t.Logf("%s, whose cable was cut, after %v: %s", c.Name(), time.Duration(trial.WallNs), trial.Error)
		case trial.Error != "" || trial.Healthy.Received != 1500:
			t.Errorf("%s: %s", c.Name(), trial.Error)
		default:
			checkEveryClient(t, trial, 100)
		}
	}
}
