package main

import "testing"

// TestBugsApply: every bug changes one place of a source that is still there.
func TestBugsApply(t *testing.T) {
	const root = "../.."
	all, err := readBugs(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("there are no bugs")
	}
	for _, b := range all {
		if _, err := b.planted(root); err != nil {
			t.Error(err)
		}
	}
}
