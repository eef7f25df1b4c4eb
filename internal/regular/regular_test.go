package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/internal/regular"
)

// TestRead: a regular file, also by a link, up to the limit.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link} {
		if data, err := regular.Read(path, 7); err != nil || string(data) != "content" {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	if _, err := regular.Read(file, 6); !errors.Is(err, regular.ErrOther) || !strings.Contains(err.Error(), "has 7 bytes: expected a regular file of 6 bytes at most") {
		t.Errorf("beyond the limit: %v", err)
	}
	if _, err := regular.Read(filepath.Join(dir, "none"), 6); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	if _, err := regular.Read(dir, 6); !errors.Is(err, regular.ErrOther) || !strings.Contains(err.Error(), dir+" is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

// TestReplaceable: a folder cannot be replaced by a file, all else can.
func TestReplaceable(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{file: true, link: true, filepath.Join(dir, "none"): true, dir: false, filepath.Join(file, "below"): false} {
		if err := regular.Replaceable(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}
