package report

import (
	"fmt"
	"io"
	"strings"

	"wsfanout/compare/result"
)

// A Format writes a whole file in one form.
type Format func(io.Writer, *result.File, Options) error

// formats are in the order of the help. A new one is a line here and a file of its own.
var formats = []struct {
	name  string
	write Format
}{
	{"text", Text},
	{"markdown", Markdown},
	{"csv", CSV},
	{"gobench", Gobench},
	{"svg", func(w io.Writer, f *result.File, _ Options) error { return SVG(w, f) }},
}

// Formats are the names of all formats.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// FindFormat is the format of that name. The error names those that there are.
func FindFormat(name string) (Format, error) {
	for _, f := range formats {
		if f.name == name {
			return f.write, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q: want %s", name, strings.Join(Formats(), ", "))
}
