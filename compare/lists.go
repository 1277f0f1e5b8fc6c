//go:build linux

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wsfanout/internal/units"
)

const (
	listedClients = 1000 // of a size list, unless told otherwise: what differs is the message
	maxMatrices   = 12   // of one run: above that it is a night, and two runs say more
)

// parseLists reads -clients and -size, which may be lists: then there is a matrix for each value. c.clients and c.size are the
// largest, which every limit has to hold.
func (c *config) parseLists(clients, size string) (err error) {
	if c.sizes, err = parseList("size", size, units.ParseBytes); err != nil {
		return err
	}
	if c.explicit["clients"] {
		if c.clientCounts, err = parseList("clients", clients, wholeNumber); err != nil {
			return err
		}
	} else {
		if len(c.sizes) > 1 {
			c.clients = min(c.clients, listedClients)
		}
		c.clientCounts = []int{c.clients}
	}
	if n := len(c.clientCounts) * len(c.sizes); n > maxMatrices {
		return fmt.Errorf("-clients and -size: %d x %d values are %d matrices, at most %d fit a run: shorten a list",
			len(c.clientCounts), len(c.sizes), n, maxMatrices)
	}
	c.clients, c.size = slices.Max(c.clientCounts), slices.Max(c.sizes)
	return nil
}

// parseList reads comma-separated numbers into ascending order. Each may stand once.
func parseList(name, text string, parse func(string) (int64, error)) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := parse(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("-%s: %w", name, err)
		}
		if slices.Contains(list, int(n)) {
			return nil, fmt.Errorf("-%s: %s is named twice: each value may stand once", name, part)
		}
		list = append(list, int(n))
	}
	slices.Sort(list)
	return list, nil
}

func wholeNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q: want a whole number, or several separated by commas", text)
	}
	return n, nil
}

// matrices are the plans of the single matrices, in the order of the report.
func (c *config) matrices() []*config {
	var all []*config
	for _, clients := range c.clientCounts {
		for _, size := range c.sizes {
			one := *c
			one.clients, one.size = clients, size
			all = append(all, &one)
		}
	}
	return all
}

// at is the plan of the matrix in which a cell stands.
func (c *config) at(k cell) *config {
	one := *c
	if k.clients > 0 {
		one.clients, one.size = k.clients, k.size
	}
	return &one
}

// group names the matrix of this plan by what the lists vary: "5000", "16KiB", "5000x16KiB"; "" without lists.
func (c *config) group() string {
	var parts []string
	if len(c.clientCounts) > 1 {
		parts = append(parts, strconv.Itoa(c.clients))
	}
	if len(c.sizes) > 1 {
		size := units.CompactBytes(int64(c.size))
		if !strings.HasSuffix(size, "B") {
			size += "B" // 128 alone would be a number of clients
		}
		parts = append(parts, size)
	}
	return strings.Join(parts, "x")
}

// listed is a list as the plan records it: nil for a single value.
func listed(values []int) []int {
	if len(values) < 2 {
		return nil
	}
	return values
}

// each is the first thing that is wrong with a value of a list.
func each(values []int, check func(int) error) error {
	for _, v := range values {
		if err := check(v); err != nil {
			return err
		}
	}
	return nil
}
