package strategies

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wsfanout/internal/units"
)

// Spec is a parsed strategy spec such as "chan:256:full=evict".
type Spec struct {
	Name  string
	count int   // shard: workers; chan: queue length; 0: not given
	gate  int64 // bytes; 0: none
	evict bool  // chan: full=evict
	given map[string]string
}

// String is the canonical form: the count, then the given options sorted by name. It identifies a cell.
func (s Spec) String() string {
	parts := []string{s.Name}
	if s.count > 0 {
		parts = append(parts, strconv.Itoa(s.count))
	}
	for _, option := range slices.Sorted(maps.Keys(s.given)) {
		parts = append(parts, option+"="+s.given[option])
	}
	return strings.Join(parts, ":")
}

// Effective is what the spec does, defaults written out: two specs with the same one are the same policy.
func (s Spec) Effective(shards int) string {
	full := s
	full.given = maps.Clone(s.given)
	switch {
	case s.Name == "chan":
		full.count = cmp.Or(s.count, defaultQueue)
		if full.given["full"] == "drop" {
			delete(full.given, "full")
		}
	case find(s.Name).Count != "":
		full.count = cmp.Or(s.count, shards)
	}
	return full.String()
}

// Prepared tells whether the strategy frames a message once per round instead of once per client.
func (s Spec) Prepared() bool { return find(s.Name).prepared }

// Parse reads "name[:count][:option=value...]". Errors are one line and name the valid values.
func Parse(text string) (Spec, error) {
	name, rest, _ := strings.Cut(text, ":")
	entry := find(name)
	if entry == nil {
		return Spec{}, fmt.Errorf("unknown strategy %q: want %s", name, strings.Join(Names(), ", "))
	}
	s := Spec{Name: name, given: map[string]string{}}
	if rest == "" {
		if strings.HasSuffix(text, ":") {
			return Spec{}, fmt.Errorf("strategy %q: nothing after the last colon", text)
		}
		return s, nil
	}
	for _, part := range strings.Split(rest, ":") {
		if err := s.set(*entry, part); err != nil {
			return Spec{}, fmt.Errorf("strategy %q: %w", text, err)
		}
	}
	return s, nil
}

func (s *Spec) set(e Entry, part string) error {
	option, value, isOption := strings.Cut(part, "=")
	if !isOption {
		return s.setCount(e, part)
	}
	if _, known := e.Options[option]; !known {
		return fmt.Errorf("unknown option %q: want %s", option, strings.Join(e.forms(), ", "))
	}
	if _, twice := s.given[option]; twice {
		return fmt.Errorf("option %q is given twice", option)
	}
	s.given[option] = value
	switch option {
	case "gate":
		bytes, err := units.ParseBytes(value)
		if err != nil || bytes <= 0 {
			return fmt.Errorf("gate=%s: want a positive number of bytes, such as 64KiB", value)
		}
		s.gate = bytes
	case "full":
		if value != "drop" && value != "evict" {
			return fmt.Errorf("full=%s: want drop or evict", value)
		}
		s.evict = value == "evict"
	}
	return nil
}

// maxCount bounds workers and queue slots: beyond it a typo is likelier than a wish.
const maxCount = 1 << 16

func (s *Spec) setCount(e Entry, part string) error {
	if e.Count == "" {
		return fmt.Errorf("%q: want %s", part, strings.Join(e.forms(), ", "))
	}
	if s.count > 0 {
		return errors.New(e.Count + " is given twice")
	}
	n, err := strconv.Atoi(part)
	if err != nil || n < 1 || n > maxCount {
		return fmt.Errorf("%q: want %s, 1 to %d, or option=value", part, e.Count, maxCount)
	}
	s.count = n
	return nil
}
