package result

import "testing"

func TestACalmPhaseProvesNothingWithoutAJam(t *testing.T) {
	for _, row := range []struct {
		why    string
		stuck  *Phase
		proven bool
	}{
		{"no stuck phase", nil, false},
		{"all jammed", &Phase{Jam: &Jam{Jammed: true}, Others: []Other{{Kind: "stuck"}}}, true},
		{"one did not", &Phase{Jam: &Jam{}, Others: []Other{{Kind: "stuck"}}}, false},
		{"nobody tells of the stuck ones", &Phase{}, false},
		{"a stuck one without a jam", &Phase{Others: []Other{{Kind: "slow"}, {Kind: "vanished"}}}, false},
		{"only slow ones", &Phase{Others: []Other{{Kind: "slow"}}}, true},
	} {
		if got := (&Trial{Stuck: row.stuck}).Proven(); got != row.proven {
			t.Errorf("%s: %v", row.why, got)
		}
	}
}
