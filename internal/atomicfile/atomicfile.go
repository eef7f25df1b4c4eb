// Package atomicfile writes files that are never partly there: to a temporary
// name on the same file system, synced and renamed.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Write writes data to path, making its folder if needed. Readers see the old
// content or the new one, never a part. The temporary file is beside the path,
// and a killed process leaves it there: for files below a Root, use Root.Write.
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
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tmp := filepath.Join(dir, ".tmp-"+rand.Text())
	defer os.Remove(tmp) // nothing is left once it is renamed
	return replace(path, tmp, writeFile(path, fill), os.Rename)
}

// WriteTo is WriteTo of a file below the root. If a link below the root leads to
// another file system, the temporary file is beside the path.
func (r Root) WriteTo(path string, fill func(io.Writer) error) error {
	err := r.replace(path, writeFile(path, fill), os.Rename)
	if errors.Is(err, syscall.EXDEV) {
		return WriteTo(path, fill)
	}
	return err
}

// Folder is WriteTo for a folder of files, which must not exist (or be empty).
// fill writes files into the folder that it gets, and syncs them (as Write does).
func (r Root) Folder(path string, fill func(dir string) error) error {
	return r.replace(path, folder(fill), os.Rename)
}

// ReplaceFolder is Folder where a folder may be in place, which is removed once the
// new one is there. The two change places at once on Linux and macOS; elsewhere, and
// on file systems that cannot do that, neither is in place for a moment.
func (r Root) ReplaceFolder(path string, fill func(dir string) error) error {
	return r.replace(path, folder(fill), func(tmp, path string) error {
		if exchange(tmp, path) == nil {
			return nil
		}
		old := tmp + ".old"
		if err := os.Rename(path, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		err := os.Rename(tmp, path)
		if err != nil {
			_ = os.Rename(old, path) // as it was
		}
		return err
	})
}

// folder returns a function that makes a folder and fills it.
func folder(fill func(dir string) error) func(tmp string) error {
	return func(tmp string) error {
		if err := os.Mkdir(tmp, 0o777); err != nil {
			return err
		}
		return fill(tmp)
	}
}

// replace is replace by way of a scratch folder.
func (r Root) replace(path string, fill func(tmp string) error, put func(tmp, path string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	dir, remove, err := r.Scratch()
	if err != nil {
		return err
	}
	defer remove()
	return replace(path, filepath.Join(dir, filepath.Base(path)), fill, put)
}

// replace makes the file or folder tmp and puts it in the place of path.
func replace(path, tmp string, fill func(tmp string) error, put func(tmp, path string) error) error {
	if err := fill(tmp); err != nil {
		return err
	}
	if err := put(tmp, path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
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
