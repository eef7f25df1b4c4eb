package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dgsbench/internal/regular"
)

// Check reports the first thing below a suite's folder that keeps Load from
// reading it.
func (s Store) Check(suite string) error {
	return s.each(suite, func(_ string, r Record) error {
		if r.Failed() {
			return nil
		}
		f, _, err := regular.Open(s.sidecarPath(r), mostSidecar)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return f.Close()
	})
}

// each calls do with every record of a suite, or of all of them if it is "",
// in the order of their paths.
func (s Store) each(suite string, do func(file string, r Record) error) error {
	depth := 0
	if suite != "" {
		depth = 1
	}
	root := filepath.Join(s.Dir, suite)
	info, err := os.Lstat(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info, err = follow(root, info); err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder: expected one of records", root)
	}
	return s.walk(root, depth, do)
}

// recordDepth is how many names a record's path has: see Key.Path.
const recordDepth = 5

// walk is each of a folder depth levels below the store's. It follows links,
// as Find does, and leaves alone whatever else lies in the folder: what people
// put above the records, sidecars, and hidden files.
func (s Store) walk(dir string, depth int, do func(file string, r Record) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case depth < recordDepth-1:
			err = s.descend(path, e, depth+1, do)
		case filepath.Ext(path) == ".json":
			var r Record
			if r, err = s.read(path); err == nil {
				err = do(path, r)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// descend is walk of what may be a folder, or a link to one.
func (s Store) descend(path string, e fs.DirEntry, depth int, do func(file string, r Record) error) error {
	info, err := e.Info()
	if err == nil {
		info, err = follow(path, info)
	}
	if err != nil || !info.IsDir() {
		return err
	}
	return s.walk(path, depth, do)
}

// follow is what a link leads to; of anything else it is the same.
func follow(path string, info fs.FileInfo) (fs.FileInfo, error) {
	if info.Mode()&fs.ModeSymlink == 0 {
		return info, nil
	}
	target, err := os.Stat(path)
	if err != nil {
		err = fmt.Errorf("%s is a link that leads nowhere (%v); remove it", path, err)
	}
	return target, err
}
