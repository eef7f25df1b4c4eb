package latency

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOrderOfBuilds: within a pair either build is the first one, as the seed
// decides, and both get the same arguments.
func TestOrderOfBuilds(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	build := func(name string) string {
		file := filepath.Join(dir, name)
		text := fmt.Sprintf("#!/bin/sh\necho %s \"$@\" >> %s\necho '%s'\n", name, log,
			`{"models": [{"dataset": "d", "model": "m", "timings": [{"batch": 1, "batches": 1, "iterations": [1]}]}]}`)
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	c := Comparison{Old: build("old"), New: build("new"), Alternations: FewestAlternations}
	order := func(seed uint64) (first []string) {
		c.Seed = seed
		_ = os.Remove(log)
		if _, err := Compare(context.Background(), c, silent); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for pair := range slices.Chunk(strings.Split(strings.TrimSpace(string(text)), "\n"), 2) {
			one, argsOne, _ := strings.Cut(pair[0], " ")
			two, argsTwo, _ := strings.Cut(pair[1], " ")
			argsOne, outOne, _ := strings.Cut(argsOne, " --out ")
			argsTwo, outTwo, _ := strings.Cut(argsTwo, " --out ")
			if one == two || argsOne != argsTwo || outOne == outTwo || !strings.HasSuffix(argsOne, fmt.Sprintf("--seed %d", len(first))) {
				t.Fatalf("pair %d: %q", len(first), pair)
			}
			first = append(first, one)
		}
		return first
	}
	one := order(1)
	if len(one) != FewestAlternations || !slices.Contains(one, "old") || !slices.Contains(one, "new") {
		t.Errorf("first in their pairs: %q", one)
	}
	if again := order(1); !slices.Equal(one, again) || slices.Equal(one, order(2)) {
		t.Errorf("%q and %q with the same seed, or another one gives the same", one, again)
	}
}
