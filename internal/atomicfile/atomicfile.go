// Package atomicfile writes files that are never partly there: to a temporary
// name on the same file system, synced and renamed.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Write writes data to path, making its folder if needed. Readers see the
// old content or the new one, never a part. The temporary file is beside the
// path, and a killed process leaves it there: for files below a Root, use
// Root.Write.
func Write(path string, data []byte) error { return WriteTo(path, content(data)) }

// Write is Write of a file below the root.
func (r Root) Write(path string, data []byte) error { return r.WriteTo(path, content(data)) }

func content(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// WriteTo is Write of what fill writes. If fill fails, path is as it was.
func WriteTo(path string, fill func(io.Writer) error) error {
	return replace(path, writeFile(path, fill), func() (string, func(), error) {
		tmp := filepath.Join(filepath.Dir(path), ".tmp-"+rand.Text())
		return tmp, func() { _ = os.Remove(tmp) }, nil
	})
}

// WriteTo is WriteTo of a file below the root. If a link below the root leads to
// another file system, the temporary file is beside the path.
func (r Root) WriteTo(path string, fill func(io.Writer) error) error {
	err := replace(path, writeFile(path, fill), func() (string, func(), error) { return r.temporary(path) })
	if errors.Is(err, syscall.EXDEV) {
		return WriteTo(path, fill)
	}
	return err
}

// Folder is WriteTo for a folder of files, which must not exist (or be empty).
// fill writes files into the folder that it gets, and syncs them (as Write does).
func (r Root) Folder(path string, fill func(dir string) error) error {
	return replace(path, func(tmp string) error {
		if err := os.Mkdir(tmp, 0o777); err != nil {
			return err
		}
		return fill(tmp)
	}, func() (string, func(), error) { return r.temporary(path) })
}

// temporary returns a path in a scratch folder for what will be at path.
func (r Root) temporary(path string) (tmp string, remove func(), err error) {
	dir, remove, err := r.Scratch()
	return filepath.Join(dir, filepath.Base(path)), remove, err
}

// replace makes a file or folder under a temporary name and renames it to path.
func replace(path string, fill func(tmp string) error, temporary func() (string, func(), error)) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tmp, remove, err := temporary()
	if err != nil {
		return err
	}
	defer remove() // nothing is left once it is renamed
	if err := fill(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// writeFile returns a function that creates, fills and syncs a temporary file for
// path.
func writeFile(path string, fill func(io.Writer) error) func(tmp string) error {
	return func(tmp string) error {
		f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		defer f.Close() // if fill panics; otherwise it is closed below
		if err = fill(f); err == nil {
			err = f.Sync()
		}
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		return nil
	}
}

// SyncDir makes renames in a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
