//go:build linux

package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"wsfanout/compare/result"
	"wsfanout/internal/units"
	"wsfanout/strategies"
)

// gate is one condition under which a run fails: [CELL:] METRIC(>|<)[+-]N[%]. A sign makes it relative to the baseline.
type gate struct {
	text     string
	cell     string // engine/strategy in canonical form, with @group or of every group; "": every cell
	metric   result.Metric
	above    bool    // fails above the bound, else below it
	relative bool    // to the baseline
	percent  bool    // of the baseline
	bound    float64 // in the unit of the results file; a share for percent
}

// gateForm ends the cell at the last colon before the metric: specs hold colons, too.
var gateForm = regexp.MustCompile(`^(?:(.*):)?\s*([a-z0-9_]+)\s*([<>])\s*([+-]?)([^%\s+-][^%\s]*)\s*(%?)\s*$`)

// parseGate reads one -fail-if. Errors name what is valid.
func parseGate(text string) (g gate, err error) {
	parts := gateForm.FindStringSubmatch(text)
	if parts == nil {
		return gate{}, fmt.Errorf("want [ENGINE/STRATEGY:] METRIC(>|<)[+-]N[%%], such as nbio/shard: late_clients>0 or last_client>+10%%")
	}
	g = gate{text: strings.TrimSpace(text), above: parts[3] == ">", relative: parts[4] != "", percent: parts[6] != ""}
	if g.metric, err = result.FindMetric(parts[2]); err != nil {
		return gate{}, err
	}
	if parts[1] != "" {
		if g.cell, err = canonicalCell(strings.TrimSpace(parts[1])); err != nil {
			return gate{}, err
		}
	}
	if g.percent && !g.relative && g.metric.Kind != result.Ratio {
		return gate{}, fmt.Errorf("%s%s%s%%: of what? a percentage of the baseline has a sign: %s%s+%s%%", parts[2], parts[3], parts[5], parts[2], parts[3], parts[5])
	}
	g.bound, err = g.parseBound(parts[5])
	if parts[4] == "-" {
		g.bound = -g.bound
	}
	return g, err
}

// canonicalCell is ENGINE/STRATEGY as the results file spells it.
func canonicalCell(text string) (string, error) {
	text, group, grouped := strings.Cut(text, "@")
	at := strings.LastIndex(text, "/") // an engine's options may hold one: tcpkeepalive=5s/2s/3
	if at < 0 {
		return "", fmt.Errorf("cell %q: want ENGINE/STRATEGY, such as nbio/shard", text)
	}
	engine, strategy := text[:at], text[at+1:]
	e, err := rowNamed(strings.TrimSpace(engine))
	if err != nil {
		return "", err
	}
	s, err := strategies.Parse(strings.TrimSpace(strategy))
	if err != nil {
		return "", err
	}
	if grouped {
		return e + "/" + s.String() + "@" + strings.TrimSpace(group), nil
	}
	return e + "/" + s.String(), nil
}

// parseBound reads N: a plain number in the file's unit, or one with a unit where the metric has one.
func (g gate) parseBound(text string) (float64, error) {
	if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
		if g.percent {
			v /= 100
		}
		return v, nil
	}
	switch {
	case g.percent:
	case g.metric.Kind == result.Duration:
		if d, err := time.ParseDuration(text); err == nil {
			return float64(d), nil
		}
		return 0, fmt.Errorf("bound %q of %s: want nanoseconds or a duration such as 200ms", text, g.metric.Name)
	case g.metric.Kind == result.Bytes:
		if n, err := units.ParseBytes(text); err == nil {
			return float64(n), nil
		}
		return 0, fmt.Errorf("bound %q of %s: want bytes or a size such as 16KiB", text, g.metric.Name)
	}
	return 0, fmt.Errorf("bound %q of %s: want a number", text, g.metric.Name)
}
