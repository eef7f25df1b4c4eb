//go:build unix

package datasets

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestNoRegularFile: a folder or a pipe in the place of a dataset is refused
// at once.
func TestNoRegularFile(t *testing.T) {
	d, err := Lookup("amlsim-20k")
	if err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func(path string) error{
		"folder": func(path string) error { return os.Mkdir(path, 0o755) },
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
	} {
		dir := t.TempDir()
		if err := put(filepath.Join(dir, d.File)); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Load(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
