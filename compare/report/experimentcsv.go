package report

import (
	"encoding/csv"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"wsfanout/compare/result"
)

// csvExperiments writes a table for each experiment, straight from its array in the file: a row for each set-up, trial and group, a
// column for each key. Whoever adds a key to the file has it here.
func csvExperiments(out *csv.Writer, f *result.File) error {
	for _, e := range experimentsOf(f) {
		entries := reflect.ValueOf(e.entries)
		heads := []string{"started"}
		records("", entries.Type().Elem(), reflect.Value{}, func(keys, _ []string) { heads = append(heads, keys...) })
		if err := out.Write(heads); err != nil {
			return err
		}
		for i := range entries.Len() {
			var err error
			records("", entries.Type().Elem(), entries.Index(i), func(_, texts []string) {
				if err == nil {
					err = out.Write(append([]string{f.Started.UTC().Format(time.RFC3339)}, texts...))
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// records visits the rows of a structure: one for each element of its list of structures, and so on down; one where that list is
// empty. An invalid v has one row, of empty texts.
func records(path string, t reflect.Type, v reflect.Value, visit func(keys, texts []string)) {
	var keys, texts []string
	list := -1
	for i := range t.NumField() {
		if kind := t.Field(i).Type; kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Struct {
			list = i
			continue
		}
		var field reflect.Value
		if v.IsValid() {
			field = v.Field(i)
		}
		csvField(path, t.Field(i), field, func(key, text string) { keys, texts = append(keys, key), append(texts, text) })
	}
	if list < 0 {
		visit(keys, texts)
		return
	}
	prefix := ""
	if name := keyOf(t.Field(list)); name != "trials" { // those are known by their number
		prefix = strings.TrimSuffix(name, "s")
	}
	below := func(v reflect.Value) {
		records(prefix, t.Field(list).Type.Elem(), v, func(k, x []string) {
			visit(slices.Concat(keys, k), slices.Concat(texts, x))
		})
	}
	if !v.IsValid() || v.Field(list).Len() == 0 {
		below(reflect.Value{})
		return
	}
	for i := range v.Field(list).Len() {
		below(v.Field(list).Index(i))
	}
}

func keyOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// csvField visits a field: itself, or what a structure or a pair holds. An absent one is empty.
func csvField(path string, f reflect.StructField, v reflect.Value, visit func(key, text string)) {
	kind, key := f.Type, strings.TrimPrefix(path+"_"+keyOf(f), "_")
	if v.IsValid() && v.IsZero() && strings.Contains(f.Tag.Get("json"), ",omit") {
		v = reflect.Value{}
	}
	if kind.Kind() == reflect.Pointer {
		if kind = kind.Elem(); v.IsValid() {
			v = v.Elem()
		}
	}
	switch kind.Kind() {
	case reflect.Struct:
		for i := range kind.NumField() {
			var inner reflect.Value
			if v.IsValid() {
				inner = v.Field(i)
			}
			csvField(key, kind.Field(i), inner, visit)
		}
	case reflect.Array: // a range
		for i := range kind.Len() {
			var inner reflect.Value
			if v.IsValid() {
				inner = v.Index(i)
			}
			visit(key+[]string{"_min", "_max"}[i], cellText(inner))
		}
	case reflect.Slice, reflect.Map:
		visit(key, listed(v))
	default:
		visit(key, cellText(v))
	}
}

// listed is a list or a map of plain things in one cell, in a fixed order.
func listed(v reflect.Value) string {
	if !v.IsValid() {
		return ""
	}
	switch all := v.Interface().(type) {
	case []string:
		return oneLine(strings.Join(all, "; "))
	case map[string]int:
		return reasonsText(all, ": ")
	}
	return strings.Trim(fmt.Sprint(v.Interface()), "[]")
}

// reasonsText are the keys with their numbers, in alphabetical order.
func reasonsText(reasons map[string]int, between string) string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		parts = append(parts, fmt.Sprintf("%s%s%d", oneLine(reason), between, reasons[reason]))
	}
	return strings.Join(parts, "; ")
}
