//go:build linux

package main

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// pinning is on which CPUs the children run, by role; a role that is not named runs on all.
type pinning map[string][]int

// parsePinning reads "server=0,fleet=1-3": lists as taskset has them. The CPUs must be among those that this process may use.
func parsePinning(text string) (pinning, error) {
	allowed := allowedCPUs()
	bad := func(why string) error {
		return fmt.Errorf("-cpus %q: %s: want server=LIST,fleet=LIST with CPUs of %s, such as server=0,fleet=1 or server=0-1,fleet=2,3",
			text, why, cpuList(allowed))
	}
	p := pinning{}
	role := ""
	for _, part := range strings.Split(text, ",") {
		list := part
		if name, rest, named := strings.Cut(part, "="); named {
			if name != "server" && name != "fleet" || p[name] != nil {
				return nil, bad(fmt.Sprintf("%q is not one of the two, or named twice", name))
			}
			role, list = name, rest
		}
		cpus, err := parseCPUs(list)
		if err != nil || role == "" {
			return nil, bad(fmt.Sprintf("%q is no list of CPUs", part))
		}
		for _, cpu := range cpus {
			if !slices.Contains(allowed, cpu) {
				return nil, bad(fmt.Sprintf("CPU %d may not be used here", cpu))
			}
		}
		p[role] = slices.Compact(slices.Sorted(slices.Values(append(p[role], cpus...))))
	}
	return p, nil
}

// parseCPUs reads "3" or "0-3".
func parseCPUs(text string) ([]int, error) {
	first, last, isRange := strings.Cut(text, "-")
	from, err := strconv.ParseUint(first, 10, 12)
	if err != nil || !isRange {
		return []int{int(from)}, err
	}
	to, err := strconv.ParseUint(last, 10, 12)
	if err != nil || to < from {
		return nil, fmt.Errorf("%q is no range", text)
	}
	var cpus []int
	for cpu := from; cpu <= to; cpu++ {
		cpus = append(cpus, int(cpu))
	}
	return cpus, nil
}

// allowedCPUs are those of this process's affinity mask.
func allowedCPUs() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	var cpus []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

func cpuList(cpus []int) string {
	var texts []string
	for _, cpu := range cpus {
		texts = append(texts, strconv.Itoa(cpu))
	}
	return strings.Join(texts, ",")
}

// String is the canonical form, "" for no pinning.
func (p pinning) String() string {
	var parts []string
	for _, role := range []string{"server", "fleet"} {
		if len(p[role]) > 0 {
			parts = append(parts, role+"="+cpuList(p[role]))
		}
	}
	return strings.Join(parts, ",")
}

// serverProcs is the GOMAXPROCS that the server will have.
func (p pinning) serverProcs() int {
	if n := len(p["server"]); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// onCPUs calls start, which starts a child, so that it runs on the given CPUs only; nil: wherever this process may. A child
// inherits the mask of the thread that forks it, so this thread wears it for the moment: every thread of the child has it from
// its first instruction.
func onCPUs(cpus []int, start func() error) error {
	if len(cpus) == 0 {
		return start()
	}
	var own, pinned unix.CPUSet
	for _, cpu := range cpus {
		pinned.Set(cpu)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.SchedGetaffinity(0, &own); err != nil {
		return fmt.Errorf("pinning to CPU %s: %w", cpuList(cpus), err)
	}
	if err := unix.SchedSetaffinity(0, &pinned); err != nil {
		return fmt.Errorf("pinning to CPU %s: %w", cpuList(cpus), err)
	}
	err := start()
	if restored := unix.SchedSetaffinity(0, &own); err == nil {
		err = restored
	}
	return err
}
