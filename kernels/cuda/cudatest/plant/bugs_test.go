package main

import "testing"

// TestBugsMatch: every bug changes one place of a source that is still there.
func TestBugsMatch(t *testing.T) {
	const sources = "../.." // kernels/cuda
	names := map[string]bool{}
	for _, b := range bugs {
		if _, err := b.planted(sources); err != nil {
			t.Error(err)
		}
		if nearest[b.file] == "" {
			t.Errorf("bug %q: no tests are nearest to %s", b.name, b.file)
		}
		if names[b.name] {
			t.Errorf("two bugs are %q", b.name)
		}
		names[b.name] = true
	}
	for name := range unseenByTests {
		if !names[name] {
			t.Errorf("no bug is %q", name)
		}
	}
}
