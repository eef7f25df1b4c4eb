package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestCleanKeepsTheFilesOfOthers: what a running process writes, and what
// only looks a little like ours.
func TestCleanKeepsTheFilesOfOthers(t *testing.T) {
	dir := t.TempDir()
	mine := fmt.Sprintf("seed-0.json.tmp-%d-123", os.Getpid())
	keep := []string{mine, "notes.tmp-old.txt", "a.tmp-x-1", "tables.md"}
	gone := "seed-0.json.tmp-999999999-123"
	for _, name := range append(keep, gone) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Clean(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range keep {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s is gone", name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, gone)); err == nil {
		t.Errorf("%s is still there", gone)
	}
}
