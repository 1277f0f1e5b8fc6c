package preflight

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// root is the file system of the running system; tests have their own.
var root = os.DirFS("/")

// noCgroupLimit: version 1 writes "no limit" as the largest multiple of a page.
const noCgroupLimit = 1 << 60

// cgroup is what this process's control group may use beyond what it uses now.
type cgroup struct {
	roomBytes   int     // Unlimited: no limit
	roomThreads int     // Unlimited: no limit
	cpus        float64 // in all; 0: no limit
}

// cgroupLimits asks every group on the way to the root: each binds, the tightest one counts. Versions 1 and 2, and both mounted at once.
func cgroupLimits(sys fs.FS) cgroup {
	all := cgroup{roomBytes: Unlimited, roomThreads: Unlimited}
	for controller, group := range groups(sys) {
		for _, dir := range ancestors(group) {
			switch controller {
			case "":
				for _, mount := range []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"} {
					at := path.Join(mount, dir)
					all.tighten(cgroup{roomV2(sys, at), roomPids(sys, at), quotaV2(sys, at)})
				}
			case "memory":
				all.tighten(cgroup{roomV1(sys, path.Join("sys/fs/cgroup/memory", dir)), Unlimited, 0})
			case "cpu":
				all.tighten(cgroup{Unlimited, Unlimited, quotaV1(sys, path.Join("sys/fs/cgroup/cpu", dir))})
			case "pids":
				all.tighten(cgroup{Unlimited, roomPids(sys, path.Join("sys/fs/cgroup/pids", dir)), 0})
			}
		}
	}
	return all
}

func (c *cgroup) tighten(by cgroup) {
	c.roomBytes = min(c.roomBytes, by.roomBytes)
	c.roomThreads = min(c.roomThreads, by.roomThreads)
	if by.cpus > 0 && (c.cpus == 0 || by.cpus < c.cpus) {
		c.cpus = by.cpus
	}
}

// groups maps each controller to this process's group; version 2 has the controller "".
func groups(sys fs.FS) map[string]string {
	found := map[string]string{}
	content, err := fs.ReadFile(sys, "proc/self/cgroup")
	if err != nil {
		return found
	}
	for line := range strings.Lines(string(content)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // id:controllers:path
		if len(parts) != 3 {
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			found[controller] = parts[2]
		}
	}
	return found
}

// ancestors of "/a/b" are "a/b", "a" and "". In a container the path may be the host's, of which only the root is mounted: the
// others then do not exist and bind nothing.
func ancestors(group string) []string {
	dirs := []string{""}
	for dir := strings.Trim(path.Clean("/"+group), "/"); dir != "" && dir != "."; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	return dirs
}

func roomV2(sys fs.FS, dir string) int {
	limit, ok := number(sys, path.Join(dir, "memory.max")) // "max" is no number
	used, usedOK := number(sys, path.Join(dir, "memory.current"))
	if !ok || !usedOK {
		return Unlimited
	}
	return limit - used + stat(sys, path.Join(dir, "memory.stat"), "inactive_file")
}

func roomV1(sys fs.FS, dir string) int {
	limit, ok := number(sys, path.Join(dir, "memory.limit_in_bytes"))
	used, usedOK := number(sys, path.Join(dir, "memory.usage_in_bytes"))
	if !ok || !usedOK || limit >= noCgroupLimit {
		return Unlimited
	}
	return limit - used + stat(sys, path.Join(dir, "memory.stat"), "total_inactive_file")
}

// roomPids counts processes and threads, under the same names in both versions.
func roomPids(sys fs.FS, dir string) int {
	limit, ok := number(sys, path.Join(dir, "pids.max")) // "max" is no number
	used, usedOK := number(sys, path.Join(dir, "pids.current"))
	if !ok || !usedOK {
		return Unlimited
	}
	return limit - used
}

// quotaV2 reads "200000 100000" (microseconds per period) as 2 CPUs and "max 100000" as 0.
func quotaV2(sys fs.FS, dir string) float64 {
	content, err := fs.ReadFile(sys, path.Join(dir, "cpu.max"))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(content))
	if len(fields) != 2 {
		return 0
	}
	quota, err1 := strconv.ParseFloat(fields[0], 64)
	period, err2 := strconv.ParseFloat(fields[1], 64)
	if err1 != nil || err2 != nil || period <= 0 {
		return 0
	}
	return quota / period
}

// quotaV1 is 0 for a quota of -1: none.
func quotaV1(sys fs.FS, dir string) float64 {
	quota, ok1 := number(sys, path.Join(dir, "cpu.cfs_quota_us"))
	period, ok2 := number(sys, path.Join(dir, "cpu.cfs_period_us"))
	if !ok1 || !ok2 || quota <= 0 || period <= 0 {
		return 0
	}
	return float64(quota) / float64(period)
}

func number(sys fs.FS, file string) (int, bool) {
	content, err := fs.ReadFile(sys, file)
	if err != nil {
		return 0, false
	}
	v, err := strconv.ParseUint(strings.TrimSpace(string(content)), 10, 64)
	return clamp(v), err == nil
}

// stat is one line of a memory.stat, 0 if it is missing. Inactive file pages are given back under pressure, so they are room.
func stat(sys fs.FS, file, key string) int {
	content, err := fs.ReadFile(sys, file)
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), key+" "); ok {
			v, _ := strconv.Atoi(value)
			return v
		}
	}
	return 0
}

// inContainer looks for the marks that Docker, Podman and Kubernetes leave.
func inContainer(sys fs.FS) bool {
	for _, mark := range []string{".dockerenv", "run/.containerenv", "var/run/secrets/kubernetes.io"} {
		if _, err := fs.Stat(sys, mark); err == nil {
			return true
		}
	}
	if env, _ := fs.ReadFile(sys, "proc/self/environ"); bytes.Contains(env, []byte("KUBERNETES_SERVICE_HOST=")) {
		return true // a pod without the account of a service
	}
	content, _ := fs.ReadFile(sys, "proc/1/cgroup")
	for _, word := range []string{"docker", "kubepods", "containerd", "lxc"} {
		if bytes.Contains(content, []byte(word)) {
			return true
		}
	}
	return false
}
