package preflight

import (
	"runtime"
	"testing"
	"testing/fstest"
)

func files(content map[string]string) fstest.MapFS {
	sys := fstest.MapFS{}
	for name, text := range content {
		sys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return sys
}

func TestCgroupLimits(t *testing.T) {
	for _, row := range []struct {
		why   string
		files map[string]string
		room  int
		cpus  float64
	}{
		{"no control groups at all", nil, Unlimited, 0},
		{"version 2 without limits", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "500\n",
			"sys/fs/cgroup/cpu.max": "max 100000\n"}, Unlimited, 0},
		{"version 2: limit less use, page cache that can go counts as room", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.current": "400\n",
			"sys/fs/cgroup/memory.stat": "anon 300\ninactive_file 50\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"}, 650, 1.5},
		{"version 2: the parent is tighter than the group itself", map[string]string{
			"proc/self/cgroup":        "0::/a/b\n",
			"sys/fs/cgroup/a/cpu.max": "50000 100000\n", "sys/fs/cgroup/a/b/cpu.max": "200000 100000\n",
			"sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/memory.current": "900\n",
			"sys/fs/cgroup/a/b/memory.max": "5000\n", "sys/fs/cgroup/a/b/memory.current": "10\n"}, 100, 0.5},
		{"version 1, with the host's path and only the root mounted (Docker)", map[string]string{
			"proc/self/cgroup":                           "4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "1000\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "300\n",
			"sys/fs/cgroup/memory/memory.stat":           "inactive_file 1\ntotal_inactive_file 20\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":         "200000\n",
			"sys/fs/cgroup/cpu/cpu.cfs_period_us":        "100000\n"}, 720, 2},
		{"version 1 without limits: a huge number and -1", map[string]string{
			"proc/self/cgroup":                           "4:memory:/\n1:cpu:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "300\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, Unlimited, 0},
		{"used beyond the limit: no room, below zero", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.current": "1200\n"}, -200, 0},
	} {
		got := cgroupLimits(files(row.files))
		if got != (cgroup{row.room, Unlimited, row.cpus}) {
			t.Errorf("%s: %+v; want room %d, %v CPUs", row.why, got, row.room, row.cpus)
		}
	}
}

func TestThreadsOfACgroup(t *testing.T) {
	for _, row := range []struct {
		why   string
		files map[string]string
		want  int
	}{
		{"version 2", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/pids.max": "500\n", "sys/fs/cgroup/pids.current": "9\n"}, 491},
		{"version 2 without a limit", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/pids.max": "max\n", "sys/fs/cgroup/pids.current": "9\n"}, Unlimited},
		{"version 1: the parent is tighter", map[string]string{"proc/self/cgroup": "8:pids:/a/b\n",
			"sys/fs/cgroup/pids/a/pids.max": "100\n", "sys/fs/cgroup/pids/a/pids.current": "60\n",
			"sys/fs/cgroup/pids/a/b/pids.max": "max\n", "sys/fs/cgroup/pids/a/b/pids.current": "10\n"}, 40},
	} {
		if got := cgroupLimits(files(row.files)); got.roomThreads != row.want || got.roomBytes != Unlimited {
			t.Errorf("%s: %+v, want room for %d threads", row.why, got, row.want)
		}
	}
}

func TestCPUModel(t *testing.T) {
	for _, row := range []struct{ why, cpuinfo, want string }{
		{"the first of many", "processor\t: 0\nmodel\t\t: 1\nmodel name\t: Some CPU @ 2 GHz\n\nprocessor\t: 1\nmodel name\t: other\n", "Some CPU @ 2 GHz"},
		{"ARM has no names", "processor\t: 0\nCPU part\t: 0xd0c\n", runtime.GOARCH},
		{"no such file", "", runtime.GOARCH},
	} {
		if got := cpuModel(files(map[string]string{"proc/cpuinfo": row.cpuinfo})); got != row.want {
			t.Errorf("%s: %q, want %q", row.why, got, row.want)
		}
	}
}

func TestInContainer(t *testing.T) {
	for _, row := range []struct {
		why   string
		files map[string]string
		want  bool
	}{
		{"a plain host", map[string]string{"proc/1/cgroup": "0::/init.scope\n"}, false},
		{"Docker", map[string]string{".dockerenv": ""}, true},
		{"Podman", map[string]string{"run/.containerenv": ""}, true},
		{"a pod that may not talk to its cluster", map[string]string{"proc/self/environ": "HOME=/\x00KUBERNETES_SERVICE_HOST=10.0.0.1\x00"}, true},
		{"Kubernetes with control groups version 1", map[string]string{"proc/1/cgroup": "4:memory:/kubepods/pod1\n"}, true},
	} {
		if got := inContainer(files(row.files)); got != row.want {
			t.Errorf("%s: %v", row.why, got)
		}
	}
}
