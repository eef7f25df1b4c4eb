// Package atomicfile writes files that are never half there: a temporary
// name on the same file system, sync, rename.
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

// Write puts data at path, making its folder where needed. Readers see the
// old content or the new one, never a part. The temporary name is beside the
// path, where a killed process leaves it: files below a Root are better
// written by that.
func Write(path string, data []byte) error { return WriteTo(path, bytesTo(data)) }

// Write is Write of a file below the root.
func (r Root) Write(path string, data []byte) error { return r.WriteTo(path, bytesTo(data)) }

func bytesTo(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// WriteTo is Write of what fill writes, for content that is made on the way.
// Where fill fails, nothing is at path that was not there before.
func WriteTo(path string, fill func(io.Writer) error) error {
	return writeTo(path, fill, func() (string, func(), error) {
		return filepath.Join(filepath.Dir(path), ".tmp-"+rand.Text()), func() {}, nil
	})
}

// WriteTo is WriteTo of a file below the root. Where a link below the root
// leads to another file system, the temporary name is beside the path.
func (r Root) WriteTo(path string, fill func(io.Writer) error) error {
	err := writeTo(path, fill, func() (string, func(), error) { return r.temporary(path) })
	if errors.Is(err, syscall.EXDEV) {
		return WriteTo(path, fill)
	}
	return err
}

// temporary is a name in a folder of ours for what will be at path.
func (r Root) temporary(path string) (tmp string, remove func(), err error) {
	dir, remove, err := r.Scratch()
	return filepath.Join(dir, filepath.Base(path)), remove, err
}

// writeTo fills a new file of a temporary name and renames it.
func writeTo(path string, fill func(io.Writer) error, temporary func() (string, func(), error)) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tmp, remove, err := temporary()
	if err != nil {
		return err
	}
	defer remove()
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(tmp) // gone already once renamed
	if err := finish(f, fill); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// Folder is WriteTo for a folder of files, which must not be there yet (or
// be empty). fill puts them into the folder that it is given, and syncs them
// (as Write does).
func (r Root) Folder(path string, fill func(dir string) error) error {
	parent := filepath.Dir(path)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	tmp, remove, err := r.temporary(path)
	if err != nil {
		return err
	}
	defer remove()
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return err
	}
	if err := fill(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return SyncDir(parent)
}

// finish fills, syncs and closes the temporary file.
func finish(f *os.File, fill func(io.Writer) error) error {
	defer f.Close()
	if err := fill(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// SyncDir makes what was renamed in a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
