//go:build linux

package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"wsfanout/engines"
	"wsfanout/internal/stamp"
)

// row is one engine of the matrix: one of this program's, by its spec, or a program that speaks the serve protocol.
type row struct {
	spec    engines.Spec
	name    string // of a program; "": spec says it
	command string // a shell command whose stdin and stdout are the program's
}

// execMark stands between the name of a row and its command.
const execMark = "=exec:"

var rowName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// parseRow reads an engine's spec or NAME=exec:COMMAND.
func parseRow(text string) (row, error) {
	name, command, program := strings.Cut(text, execMark)
	if !program {
		spec, err := engines.Parse(text)
		return row{spec: spec}, err
	}
	_, taken := engines.Parse(name)
	switch {
	case !rowName.MatchString(name):
		return row{}, fmt.Errorf("%q: the NAME of NAME=exec:COMMAND is letters, digits and dashes", name)
	case taken == nil:
		return row{}, fmt.Errorf("%s is an engine of this program: give the row of %q another name", name, command)
	case strings.TrimSpace(command) == "":
		return row{}, fmt.Errorf("%s: want a command, such as %s=exec:./my-server", name, name)
	}
	return row{name: name, command: strings.TrimSpace(command)}, nil
}

// parseRows reads the list of -engines.
func parseRows(list string) ([]row, error) {
	rows, err := parseSpecs("-engines", list, engines.Names(), parseRow)
	if err != nil && commaCuts(list) {
		err = fmt.Errorf("%w (a comma ends a command: one that needs commas goes into a script)", err)
	}
	return rows, err
}

// commaCuts says whether what is behind a comma of the list may be the rest of a command.
func commaCuts(list string) bool {
	parts := strings.Split(list, ",")
	for i, part := range parts[1:] {
		_, err := parseRow(strings.TrimSpace(part))
		if err != nil && strings.Contains(parts[i], execMark) && !strings.Contains(part, execMark) {
			return true
		}
	}
	return false
}

// rowNamed is the canonical name of a row: an engine's spec, or what may be the name of a program.
func rowNamed(text string) (string, error) {
	spec, err := engines.Parse(text)
	if err != nil && rowName.MatchString(text) {
		return text, nil // whether there is such a row shows where the rows are known
	}
	return spec.String(), err
}

// refuseExec is for experiments that know what an engine can do only of their own.
func refuseExec(verb, list string) error {
	if strings.Contains(list, execMark) {
		return fmt.Errorf("-engines: NAME=exec:COMMAND is a row of compare run; compare %s measures this program's own engines", verb)
	}
	return nil
}

// String is the identity of the row's cells.
func (r row) String() string {
	if r.foreign() {
		return r.name
	}
	return r.spec.String()
}

// foreign reports whether the row is a program: nobody here knows more of it than what it says.
func (r row) foreign() bool { return r.command != "" }

// Resolve decides what can be: of a program only what the protocol asks of it.
func (r row) Resolve(d engines.Defaults) (engines.Options, error) {
	if !r.foreign() {
		return r.spec.Resolve(d)
	}
	o := engines.Foreign(d)
	o.Name = r.name
	return o, nil
}

// planned is the engine of a serve.Plan: a program serves its own.
func (r row) planned() string {
	if r.foreign() {
		return ""
	}
	return r.spec.String()
}

// options are what the results file says of the row's set-up.
func (r row) options(o engines.Options) map[string]string {
	if !r.foreign() {
		return o.Map()
	}
	return map[string]string{"exec": r.command, "writetimeout": o.WriteTimeout.String()}
}

// notes are the row's footnotes; of a program's, those that it sends itself come with its first trial.
func (r row) notes(o engines.Options) []string {
	if !r.foreign() {
		return engines.Notes(o)
	}
	return []string{fmt.Sprintf("it is the program %q, which says of itself what follows, if anything", r.command)}
}

// namedEngine is engines.New for a server of this program, which has no engine of its own.
func namedEngine(o engines.Options, h engines.Hooks) (engines.Engine, error) {
	if o.Name == "" {
		return nil, errors.New("which engine? Another version of this program is a row by old=exec:./compare-old serve -engine gorilla")
	}
	return engines.New(o, h)
}

// filling is that of the payloads, spelled out for a program.
func (r *cellRun) filling() []byte {
	switch {
	case !r.engine.foreign():
		return nil
	case r.compress:
		return stamp.Text(r.size, r.seed)
	}
	return stamp.Filling(r.size, r.seed)
}

// carrier is how the row's server is reached, where ours would be by own.
func (r row) carrier(own carrier) carrier {
	if r.foreign() {
		own.command = r.command
	}
	return own
}

// refusePlaces says that a program is started here.
func (c *config) refusePlaces() error {
	for _, r := range c.engines {
		if r.foreign() && !c.apart.server.own() {
			return errors.New("-engines NAME=exec:COMMAND starts that row's server itself, and -server or -server-cmd is how every row's is reached: " +
				"leave one of them out")
		}
	}
	return nil
}

// keepNotes puts what a program says of itself under its cells.
func (x *experiment) keepNotes(k cell, said []string) {
	for i := range x.file.Cells {
		if c := &x.file.Cells[i]; c.Engine == k.engine.String() && k.engine.foreign() {
			c.Footnotes = append(k.engine.notes(engines.Options{}), said...)
		}
	}
}
