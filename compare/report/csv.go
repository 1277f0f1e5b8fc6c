package report

import (
	"encoding/csv"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"wsfanout/compare/result"
)

// CSV writes a row for each cell and trial with every number of the results file, unrounded. A column has the key of the file
// with its unit (_ns, _bytes); ratios and counts have none. What was not measured is empty, never 0.
func CSV(w io.Writer, f *result.File, _ Options) error {
	out := csv.NewWriter(w)
	if err := csvExperiments(out, f); err != nil {
		return err
	}
	if err := csvCells(out, f); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// csvCells is the matrix. A file of an experiment alone has none.
func csvCells(out *csv.Writer, f *result.File) error {
	if onlyExperiments(f) {
		return nil
	}
	heads := []string{"started", "engine", "strategy", "control_of", "clients", "size_bytes"}
	flatten("", reflect.TypeFor[result.Trial](), reflect.Value{}, func(key, _ string) { heads = append(heads, key) })
	for _, c := range trialColumns {
		heads = append(heads, c.head)
	}
	if err := out.Write(heads); err != nil {
		return err
	}
	for i := range f.Cells {
		c := &f.Cells[i]
		for j := range c.Trials {
			t := &c.Trials[j]
			row := []string{f.Started.UTC().Format(time.RFC3339), c.Engine, c.Strategy, c.ControlOf, strconv.Itoa(c.Clients), strconv.Itoa(c.SizeBytes)}
			flatten("", reflect.TypeFor[result.Trial](), reflect.ValueOf(t).Elem(), func(_, text string) { row = append(row, text) })
			for _, column := range trialColumns {
				row = append(row, column.text(t))
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// flatten visits every single number and text of a type, in the order of its fields, named by their keys. v is invalid where a
// pointer on the way is nil: its fields are visited all the same, so that all rows have all columns. Lists and maps are left to
// trialColumns.
func flatten(path string, t reflect.Type, v reflect.Value, visit func(key, text string)) {
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		key := strings.TrimPrefix(path+"_"+name, "_")
		if key == "healthy_jam" || key == "healthy_blast" {
			continue // of the stuck phase only
		}
		kind := t.Field(i).Type
		var field reflect.Value
		if v.IsValid() {
			field = v.Field(i)
			if strings.HasPrefix(options, "omit") && field.IsZero() {
				field = reflect.Value{}
			}
		}
		if kind.Kind() == reflect.Pointer {
			if kind = kind.Elem(); field.IsValid() {
				field = field.Elem()
			}
		}
		switch kind.Kind() {
		case reflect.Struct:
			flatten(key, kind, field, visit)
		case reflect.Slice, reflect.Map:
		default:
			visit(key, cellText(field))
		}
	}
}

func cellText(v reflect.Value) string {
	switch {
	case !v.IsValid():
		return ""
	case v.Kind() == reflect.String:
		return oneLine(v.String())
	case v.CanFloat():
		return plainNumber(v.Float())
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	}
	return strconv.FormatInt(v.Int(), 10)
}

// plainNumber is as in the results file: every digit, no exponent.
func plainNumber(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
