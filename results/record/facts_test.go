package record

import (
	"encoding/json"
	"maps"
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

// TestLeaves: numbers have one spelling, and whole ones keep all digits.
func TestLeaves(t *testing.T) {
	got, err := Leaves(json.RawMessage(`{"seed": 18446744073709551615, "a": {"lr": 1e-5, "b": 1.0}, "list": [1.50, {"x": 2.0}], "text": "<1.0>", "none": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"seed": "18446744073709551615", "a.lr": "0.00001", "a.b": "1", "list": `[1.5,{"x":2}]`, "text": `"<1.0>"`, "none": "{}",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
}
