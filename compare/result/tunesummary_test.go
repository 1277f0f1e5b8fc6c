package result

import (
	"reflect"
	"strings"
	"testing"
)

func TestTuneJoinsTrials(t *testing.T) {
	group := func(behaviour, kind string, closed int, after *Spread) TuneGroup {
		return TuneGroup{Behaviour: behaviour, Kind: kind, Clients: 5, Closed: closed, Reasons: map[string]int{"read timeout": closed}, AfterNs: after}
	}
	one := Tune{Trials: []TuneTrial{
		{Trial: 1, ObservedNs: 30, Groups: []TuneGroup{
			group("vanished", GroupDead, 5, &Spread{Min: 7, Median: 8, Max: 9}), group("frozen", GroupDead, 0, nil), group("answers", GroupCovered, 0, nil)}},
		{Trial: 2, ObservedNs: 20, Groups: []TuneGroup{group("vanished", GroupDead, 4, &Spread{Min: 6, Median: 6, Max: 10})}},
		{Trial: 3, ObservedNs: 10, Error: "it failed", Groups: []TuneGroup{group("vanished", GroupDead, 1, &Spread{Min: 1, Median: 1, Max: 99})}},
	}}
	dead := one.Join(GroupDead)
	if dead.Clients != 15 || dead.Closed != 9 || dead.Reasons["read timeout"] != 9 || *dead.AfterNs != (Spread{Min: 6, Median: 7, Max: 10}) {
		t.Errorf("the dead of two good trials: %+v, %+v", dead, dead.AfterNs)
	}
	if got := one.Join(GroupEnded); got.Clients != 0 || got.AfterNs != nil {
		t.Errorf("a kind that is not there: %+v", got)
	}
	var names []string
	for _, g := range one.Behaviours() {
		names = append(names, g.Behaviour)
	}
	if want := []string{"vanished", "frozen", "answers"}; !reflect.DeepEqual(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if got := one.Observed(); got != 20 {
		t.Errorf("observed for %d, want the least of the good trials", got)
	}
	if got := one.Failures(); !reflect.DeepEqual(got, []string{"it failed"}) {
		t.Errorf("failures %v", got)
	}
}

// The living may be closed at any time, the dead only before they died.
func TestTuneGroupsLoseTheLiving(t *testing.T) {
	one := Tune{Trials: []TuneTrial{{Groups: []TuneGroup{
		{Kind: GroupDead, Clients: 10, Closed: 7, Before: 2}, {Kind: GroupEnded, Clients: 5, Closed: 4, Before: 1}, {Kind: GroupCovered, Clients: 5, Closed: 3, Before: 1},
	}}}}
	for kind, want := range map[string][2]int{GroupDead: {2, 1}, GroupEnded: {1, 0}, GroupCovered: {4, 1}} {
		if g := one.Join(kind); g.Lost() != want[0] || g.Missed() != want[1] {
			t.Errorf("%s: %d lost and %d missed, want %v", kind, g.Lost(), g.Missed(), want)
		}
	}
}

// Lists of an experiment are never null, and one that is not there has no key.
func TestExperimentsAreWrittenWithoutNull(t *testing.T) {
	text, err := encode(&File{Tune: []Tune{{Trials: []TuneTrial{{}}}}, Hold: []Hold{{}}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `"warnings": null`) || strings.Contains(string(text), `"trials": null`) || strings.Contains(string(text), `"echo"`) {
		t.Errorf("null, or an experiment that is not there:\n%s", text)
	}
}
