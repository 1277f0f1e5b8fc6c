package engines

import (
	"fmt"
	"slices"
	"strings"
)

// Spec is an engine and the options given for it, as in "nbio:iomod=blocking:npoller=2". Its canonical form (String) is the
// identity of a cell.
type Spec struct {
	Name  string
	given []setting // sorted by name, values canonical
}

type setting struct{ name, value string }

// Parse reads "name:option=value:...". A switch may stand alone: "gorilla:stock" is "gorilla:stock=true". The error names
// the valid engines, options or values.
func Parse(spec string) (Spec, error) {
	name, rest, more := strings.Cut(spec, ":")
	engine, err := find(name)
	if err != nil {
		return Spec{}, err
	}
	s := Spec{Name: name}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, ":")
		given, err := engine.parse(part)
		if err != nil {
			return Spec{}, err
		}
		s.given = append(s.given, given)
	}
	slices.SortFunc(s.given, func(a, b setting) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(s.given); i++ {
		if s.given[i].name == s.given[i-1].name {
			return Spec{}, fmt.Errorf("%s: option %s is given twice", name, s.given[i].name)
		}
	}
	return s, nil
}

// String is the canonical form: options sorted by name, only those given, values written one way ("1MiB", not "1024KiB").
func (s Spec) String() string {
	var b strings.Builder
	b.WriteString(s.Name)
	for _, given := range s.given {
		b.WriteString(":" + given.name)
		if given.value != "true" {
			b.WriteString("=" + given.value)
		}
	}
	return b.String()
}

// Resolve decides everything: the engine's defaults, or its stock set-up, and the given options on top. It refuses what
// cannot work together.
func (s Spec) Resolve(d Defaults) (Options, error) {
	engine, err := find(s.Name)
	if err != nil {
		return Options{}, err
	}
	o := equalised(s.Name, d)
	if stock, _ := s.setting("stock"); stock == "true" {
		engine.stock(&o)
	} else {
		engine.equalise(&o)
	}
	for _, given := range s.given {
		option, err := engine.option(given.name)
		if err != nil {
			return Options{}, err
		}
		if err := option.set(&o, given.value); err != nil {
			return Options{}, err
		}
	}
	if _, leveled := s.setting("level"); leveled && !d.Compress {
		return Options{}, fmt.Errorf("%s: level works only with -compress", s)
	}
	if err := engine.check(&o); err != nil {
		return Options{}, fmt.Errorf("%s: %w", s, err)
	}
	return o, nil
}

// setting is what was given for an option.
func (s Spec) setting(name string) (value string, given bool) {
	i := slices.IndexFunc(s.given, func(g setting) bool { return g.name == name })
	if i < 0 {
		return "", false
	}
	return s.given[i].value, true
}

// parse reads one "option=value" and brings the value into its canonical form, by setting it and reading it back.
func (e *engineKind) parse(part string) (setting, error) {
	name, value, valued := strings.Cut(part, "=")
	option, err := e.option(name)
	if err != nil {
		return setting{}, err
	}
	if !valued && option.values == switchValues {
		value = "true"
	}
	var scratch Options
	if err := option.set(&scratch, value); err != nil {
		return setting{}, fmt.Errorf("%s: option %s: %q is not %s", e.name, name, value, option.values)
	}
	return setting{name, option.get(&scratch)}, nil
}

func (e *engineKind) option(name string) (*option, error) {
	names := make([]string, len(e.options))
	for i := range e.options {
		if names[i] = e.options[i].name; names[i] == name {
			return &e.options[i], nil
		}
	}
	return nil, fmt.Errorf("%s has no option %q; it has %s", e.name, name, strings.Join(names, ", "))
}
