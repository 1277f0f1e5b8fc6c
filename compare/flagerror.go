//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"
)

// flagError names the known flags where the standard library only repeats the unknown one.
func flagError(fs *flag.FlagSet, err error) error {
	if !strings.Contains(err.Error(), "not defined") {
		return errors.New(strings.ReplaceAll(typed(err.Error()), "\n", " "))
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return fmt.Errorf("%v: want %s", err, strings.Join(names, ", "))
}

// typed replaces the standard library's "parse error" by what was wanted.
func typed(text string) string {
	_, name, _ := strings.Cut(text, "flag -")
	name, _, _ = strings.Cut(name, ":")
	switch name {
	case "seed":
		return strings.Replace(text, "parse error", "want a whole number from 0", 1)
	case "interval", "write-timeout", "budget", "resume", "slo", "detect-within", "hold", "stall", "for":
		return strings.Replace(text, "parse error", "want a duration such as 250ms or 30s", 1)
	}
	return strings.Replace(text, "parse error", "want a whole number", 1)
}
