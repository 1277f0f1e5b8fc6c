package preflight

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrShort is a run that the limits do not allow.
var ErrShort = errors.New("the limits of this system do not allow it")

// Fit returns how many healthy clients the limits allow, at most n.Clients, and the limit that allows the fewest.
func Fit(l Limits, n Need) (clients int, tightest Finding) {
	tightest = fewest(Check(l, n))
	return min(n.Clients, tightest.Clients), tightest
}

func fewest(findings []Finding) Finding {
	return slices.MinFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Clients, b.Clients) })
}

// Settle decides with how many clients a run starts. A default number shrinks to what fits, an explicit one that does not fit is
// refused with ErrShort, the figures and the command that raises the limit; so is a default that would shrink to nothing. Notes are
// sentences for the user about what was changed, and what will merely be slow.
func Settle(l Limits, n Need, explicit bool) (clients int, notes []string, err error) {
	clients, tightest := Fit(l, n)
	if clients < n.Clients && (explicit || clients < 1) {
		return 0, nil, refusal(n, Check(l, n), clients)
	}
	if clients < n.Clients {
		notes = append(notes, fmt.Sprintf("%d clients instead of %d: %s is %s, %s needed; to raise it: %s",
			clients, n.Clients, tightest.Limit, tightest.Have, tightest.Needs, tightest.Raise))
	}
	for _, f := range Check(l, n) {
		if f.Short && f.Clients == Unlimited {
			notes = append(notes, fmt.Sprintf("%s is %s, %s wanted: connecting may be slow; to raise it: %s", f.Limit, f.Have, f.Needs, f.Raise))
		}
	}
	return clients, notes, nil
}

// refusal names every limit that is short, on one line.
func refusal(n Need, findings []Finding, fits int) error {
	var reasons []string
	for _, f := range findings {
		if f.Clients < n.Clients {
			reasons = append(reasons, fmt.Sprintf("%s is %s, needed %s, allows %d clients, to raise it: %s",
				f.Limit, f.Have, f.Needs, f.Clients, f.Raise))
		}
	}
	if fits > 0 {
		reasons = append(reasons, fmt.Sprintf("or ask for what fits: -clients %d", fits))
	}
	return fmt.Errorf("%d clients: %w: %s", n.Clients, ErrShort, strings.Join(reasons, "; "))
}
