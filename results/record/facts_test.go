package record

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestSearches: each record of a search once, in order; nothing where options
// were chosen otherwise, or the trial is of before there were origins.
func TestSearches(t *testing.T) {
	for origins, want := range map[string][]string{
		``: nil,
		`{"alpha": {"file": "a.yaml", "line": 2, "origin": "default"}}`:                                                                       nil,
		`{"alpha": {"origin": "tuned", "record": "b"}, "beta": {"origin": "tuned", "record": "a"}, "lr": {"origin": "tuned", "record": "b"}}`: {"a", "b"},
	} {
		got, err := Record{Origins: json.RawMessage(origins)}.Searches()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, expected %q", origins, got, err, want)
		}
	}
	if _, err := (Record{Origins: json.RawMessage(`{"alpha": 3}`)}).Searches(); err == nil {
		t.Error("origins that say nothing are accepted")
	}
}
