package preflight

import (
	"strings"

	"github.com/prometheus/procfs"
)

// text is a sysctl with its fields one space apart, "" if there is none.
func text(proc procfs.FS, name string) string {
	fields, err := proc.SysctlStrings(name)
	if err != nil {
		return ""
	}
	return strings.Join(fields, " ")
}

// numbers are the fields of a sysctl, nil if there is none or one of them is no number.
func numbers(proc procfs.FS, name string) []int {
	v, err := proc.SysctlInts(name)
	if err != nil {
		return nil
	}
	return v
}
