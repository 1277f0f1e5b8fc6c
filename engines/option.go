package engines

import (
	"compress/flate"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wsfanout/internal/units"
)

// option is one name of a spec: how its value is read into Options and written back in its canonical form.
type option struct {
	name, values, fallback, summary string

	set func(*Options, string) error
	get func(*Options) string
}

// The forms of values. They complete the sentence "X is not ...".
const (
	switchValues   = "true or false"
	durationValues = "a duration like 500ms or 0"
	optionalValues = unset + " or " + durationValues
	sizeValues     = "a size like 4096 or 64KiB"
	levelValues    = "a whole number from 1 to 9"
)

// unset is the value of an option that was not given and has no value of its own.
const unset = "default"

// errValue is what set returns; Parse makes a sentence of it that names the allowed values.
var errValue = errors.New("bad value")

func choice(name, fallback, summary string, values []string, field func(*Options) *string) option {
	return option{
		name: name, values: "one of " + strings.Join(values, ", "), fallback: fallback, summary: summary,
		set: func(o *Options, s string) error {
			if !slices.Contains(values, s) {
				return errValue
			}
			*field(o) = s
			return nil
		},
		get: func(o *Options) string { return *field(o) },
	}
}

func toggle(name, summary string, field func(*Options) *bool) option {
	return option{
		name: name, values: switchValues, fallback: "false", summary: summary,
		set: func(o *Options, s string) error {
			if s != "true" && s != "false" {
				return errValue
			}
			*field(o) = s == "true"
			return nil
		},
		get: func(o *Options) string { return strconv.FormatBool(*field(o)) },
	}
}

func duration(name, fallback, summary string, field func(*Options) *time.Duration) option {
	return option{
		name: name, values: durationValues, fallback: fallback, summary: summary,
		set: func(o *Options, s string) error {
			d, err := time.ParseDuration(s)
			if err != nil || d < 0 {
				return errValue
			}
			*field(o) = d
			return nil
		},
		get: func(o *Options) string { return shortDuration(*field(o)) },
	}
}

// optional is a duration that is "default" unless it is given.
func optional(name, summary string, field func(*Options) **time.Duration) option {
	return option{
		name: name, values: optionalValues, fallback: unset, summary: summary,
		set: func(o *Options, s string) error {
			if s == unset {
				*field(o) = nil
				return nil
			}
			d, err := time.ParseDuration(s)
			if err != nil || d < 0 {
				return errValue
			}
			*field(o) = &d
			return nil
		},
		get: func(o *Options) string {
			if d := *field(o); d != nil {
				return shortDuration(*d)
			}
			return unset
		},
	}
}

// count is a number of goroutines or the like, at most most: what is above it only crashes the server.
func count(name, fallback, summary string, most int, field func(*Options) *int) option {
	return number(name, fmt.Sprintf("a whole number from 1 to %d", most), fallback, summary, most, field)
}

func level(name, summary string, field func(*Options) *int) option {
	return number(name, levelValues, strconv.Itoa(defaultLevel), summary, flate.BestCompression, field)
}

func number(name, values, fallback, summary string, most int, field func(*Options) *int) option {
	return option{
		name: name, values: values, fallback: fallback, summary: summary,
		set: func(o *Options, s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 || n > most {
				return errValue
			}
			*field(o) = n
			return nil
		},
		get: func(o *Options) string { return strconv.Itoa(*field(o)) },
	}
}

func size[T int | int64](name, fallback, summary string, field func(*Options) *T) option {
	return option{
		name: name, values: sizeValues, fallback: fallback, summary: summary,
		set: func(o *Options, s string) error {
			n, err := units.ParseBytes(s)
			if err != nil || n > 1<<31-1 {
				return errValue
			}
			*field(o) = T(n)
			return nil
		},
		get: func(o *Options) string { return units.CompactBytes(int64(*field(o))) },
	}
}

// shortDuration is time.Duration.String without the zeros that follow: "1m", not "1m0s".
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	if d == 0 {
		return "0"
	}
	return s
}
