package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrSchema is a results file of a version that this package does not understand.
var ErrSchema = errors.New("unknown results version")

// Read reads the results file at path. Errors name the file in one line; an unknown version is ErrSchema.
func Read(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err // names the path already
	}
	defer in.Close()
	f, err := Decode(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Decode reads one results file from r. The version is looked at first: what an unknown version holds is not guessed at. Unknown
// keys are ignored, since additive changes keep the version.
func Decode(r io.Reader) (*File, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, notResults(err)
	}
	switch {
	case head.Schema == nil:
		return nil, errors.New("not a results file: it has no \"schema\"")
	case *head.Schema != Schema:
		return nil, fmt.Errorf("%w: the file is %q, this program understands %q", ErrSchema, *head.Schema, Schema)
	}
	var f File
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, notResults(err)
	}
	return &f, nil
}

// notResults says in one line what is wrong with the JSON: where, and whether the end is missing.
func notResults(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return fmt.Errorf("not a whole results file: it ends after %d bytes, in the middle of the JSON", syntax.Offset)
	case errors.As(err, &syntax):
		return fmt.Errorf("not a results file: no JSON at byte %d (%v)", syntax.Offset, err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("not a results file: it holds a JSON %s, an object is needed", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("not a results file: %q is a %s at byte %d, %s is needed", kind.Field, kind.Value, kind.Offset, kind.Type)
	}
	return fmt.Errorf("not a results file: %w", err)
}

// Write replaces the file at path by f, all or nothing: a reader, or an interrupt, sees the old file or the new one. The mode of an
// existing file is kept, a new one is 0644 less the umask. A path that is no regular file (/dev/stdout) is written in place.
func Write(path string, f *File) error {
	text, err := encode(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return Replace(path, text)
}

// Replace is Write for text of any kind.
func Replace(path string, text []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, text, 0o644)
	}
	path, mode := target(path)
	tmp, err := writeTemp(path, text, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// target follows a symbolic link, so that the rename replaces the file and not the link, and tells the mode to write with.
func target(path string) (string, fs.FileMode) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		return path, info.Mode().Perm()
	}
	return path, 0
}

// writeTemp leaves text in a new file beside path, on disk. A mode of 0 is that of a new file: 0644 less the umask.
func writeTemp(path string, text []byte, mode fs.FileMode) (string, error) {
	name := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	tmp, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return "", err
	}
	_, err = tmp.Write(text)
	if err == nil && mode != 0 {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(name))
	}
	return name, nil
}

// isResults looks at the head of a file: it must name our schema.
func isResults(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	return strings.Contains(string(head[:n]), `"schema"`) && strings.Contains(string(head[:n]), "wsfanout.result/")
}

// CheckOverwrite refuses to replace a file that holds something else than results.
func CheckOverwrite(path string) error {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !isResults(path) {
		return fmt.Errorf("%s exists and is no results file: it would be overwritten", path)
	}
	return nil
}

// CheckWritable says before the run whether Write will be able to write to path. It changes nothing.
func CheckWritable(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	}
	switch {
	case err != nil:
	case info.Mode()&fs.ModeCharDevice != 0:
		return nil // only writing tells
	case !info.Mode().IsRegular(): // a pipe would hang until somebody reads it
		return fmt.Errorf("%s is no regular file", path)
	}
	path, _ = target(path)
	probe, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("cannot write results to %s: %w", path, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
