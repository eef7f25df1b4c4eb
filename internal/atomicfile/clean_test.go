package atomicfile

import (
	"errors"
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

// TestFolder: all of its files or none, and nothing over a folder that is
// there.
func TestFolder(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a", "set")
	fill := func(dir string) error { return Write(filepath.Join(dir, "f"), []byte("x")) }
	failing := func(dir string) error { return errors.Join(fill(dir), errors.New("no more")) }
	if err := Folder(path, failing); err == nil || len(names(t, filepath.Dir(path))) != 0 {
		t.Errorf("error %v, files %v", err, names(t, filepath.Dir(path)))
	}
	if err := Folder(path, fill); err != nil {
		t.Fatal(err)
	}
	if err := Folder(path, fill); err == nil {
		t.Error("a folder was replaced")
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 || got[0] != "set" {
		t.Errorf("files %v, want only the folder", got)
	}
}

// TestCleanFolder: folders too, but nothing below other ones.
func TestCleanFolder(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "set.tmp-999999999-1")
	stays := filepath.Join(dir, "sub", "f.tmp-999999999-1")
	for _, d := range []string{gone, stays, filepath.Join(dir, fmt.Sprintf("set.tmp-%d-1", os.Getpid()))} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := CleanFolder(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("the folder of a process that is gone is still there")
	}
	if _, err := os.Stat(stays); err != nil || len(names(t, dir)) != 2 {
		t.Errorf("too much is gone: %v %v", names(t, dir), err)
	}
	if err := CleanFolder(filepath.Join(dir, "missing")); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestProbe: it says why nothing can be written, and leaves nothing.
func TestProbe(t *testing.T) {
	dir := t.TempDir()
	if err := Probe(dir); err != nil || len(names(t, dir)) != 0 {
		t.Errorf("%v, left %v", err, names(t, dir))
	}
	if err := Probe(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, expected that the folder is not there", err)
	}
}
