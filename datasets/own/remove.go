package own

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dgsbench/internal/atomicfile"
)

// ours are the files of a dataset's folder.
var ours = []string{eventsFile, nodesFile, levelsFile, descriptionFile, ".cache"}

// Remove removes a dataset that was imported into the data folder: its folder,
// which must hold nothing else. It leaves results alone.
func Remove(dir, dataset string) error {
	if err := isImport(dir, dataset); err != nil {
		return err
	}
	if err := checkOurs(dir, dataset); err != nil {
		return err
	}
	// It disappears at once, whatever becomes of removing its files.
	scratch, remove, err := atomicfile.Root(dir).Scratch()
	if err != nil {
		return err
	}
	defer remove()
	if err := os.Rename(filepath.Join(dir, dataset), filepath.Join(scratch, dataset)); err != nil {
		return err
	}
	return atomicfile.SyncDir(dir)
}

// checkOurs returns an error if what stands under the name of a dataset is no
// folder of an import, or holds anything else.
func checkOurs(dir, dataset string) error {
	path := filepath.Join(dir, dataset)
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return errors.Join(err, notOurs(path, "is no folder of an import"))
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	described := false
	for _, e := range entries {
		if !slices.Contains(ours, e.Name()) {
			return notOurs(path, "holds "+e.Name()+", which no import made")
		}
		described = described || e.Name() == descriptionFile
	}
	if !described {
		return notOurs(path, "has no "+descriptionFile+", so that it is no import")
	}
	return nil
}

func notOurs(path, why string) error {
	return fmt.Errorf("%s %s; expected a dataset that was imported, and nothing else (move it away first)", path, why)
}
