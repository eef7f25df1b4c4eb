// Package atomicfile writes files that are never half there: a temporary
// name in the same folder, sync, rename.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
)

// temporary is what a temporary name ends in: the process that writes it and
// a random number. Clean finds what a killed process left behind by it.
var temporary = regexp.MustCompile(`\.tmp-(\d+)-\d+$`)

// Write puts data at path, making its folder where needed. Readers see the
// old content or the new one, never a part.
func Write(path string, data []byte) error {
	return WriteTo(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteTo is Write of what fill writes, for content that is made on the way.
// Where fill fails, nothing is at path that was not there before.
func WriteTo(path string, fill func(io.Writer) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, fmt.Sprintf("%s.tmp-%d-*", filepath.Base(path), os.Getpid()))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already once renamed
	if err := finish(f, fill); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// Folder is WriteTo for a folder of files, which must not be there yet (or
// be empty). fill puts them into the folder that it is given, and syncs them
// (as Write does).
func Folder(path string, fill func(dir string) error) error {
	parent := filepath.Dir(path)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%s.tmp-%d-*", filepath.Base(path), os.Getpid()))
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // gone already once renamed
	if err := fill(dir); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if err := os.Rename(dir, path); err != nil {
		return err
	}
	return SyncDir(parent)
}

// Probe reports why no file can be made in a folder.
func Probe(dir string) error {
	f, err := os.CreateTemp(dir, fmt.Sprintf("probe.tmp-%d-*", os.Getpid()))
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// finish fills, syncs and closes the temporary file.
func finish(f *os.File, fill func(io.Writer) error) error {
	defer f.Close()
	if err := fill(f); err != nil {
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

// SyncDir makes what was renamed in a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Clean removes temporary files below root whose process is gone. Those of
// processes that are running, and whatever else lies there, stay.
func Clean(root string) error {
	return filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || d.IsDir() || !leftBehind(d.Name()) {
			return err
		}
		return os.Remove(path)
	})
}

// CleanFolder is Clean for what lies directly in a folder: files, and the
// folders of Folder.
func CleanFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	for _, e := range entries {
		if leftBehind(e.Name()) {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return err
}

// leftBehind tells the temporary names of processes that are gone.
func leftBehind(name string) bool {
	m := temporary.FindStringSubmatch(name)
	return m != nil && !running(m[1])
}

// running reports whether there is a process of that number.
func running(number string) bool {
	pid, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
