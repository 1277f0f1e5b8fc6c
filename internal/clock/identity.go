package clock

import (
	"os"
	"strings"
)

// Identity names the clock that Now reads: that of one host since its boot, in one time namespace. Processes of containers have
// the same one. It is "" where the kernel does not tell.
func Identity() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	namespace, _ := os.Readlink("/proc/self/ns/time") // a kernel without them has one clock for everybody
	return strings.TrimSpace(strings.TrimSpace(string(boot)) + " " + namespace)
}
