// Package atomicfile writes files that are never half there: a temporary
// name in the same folder, sync, rename.
package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// marker stands in every temporary name, so that Clean finds what a killed
// process left behind.
const marker = ".tmp-"

// Write puts data at path, making its folder where needed. Readers see the
// old content or the new one, never a part.
func Write(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, filepath.Base(path)+marker)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already once renamed
	if err := fill(f, data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// fill writes, syncs and closes the temporary file.
func fill(f *os.File, data []byte) error {
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// syncDir makes the rename itself durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Clean removes temporary files that killed processes left below root.
func Clean(root string) error {
	return filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), marker) {
			return err
		}
		return os.Remove(path)
	})
}
