package own

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dgsbench/datasets"
	"dgsbench/internal/names"
)

// Use makes the datasets that were imported into the data folder known by
// their names, in place of those of another folder. A folder that is not
// there has none. One that cannot be read is a damaged dataset: the others
// can be used.
func Use(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the data folder: %w", err)
	}
	var found []datasets.Dataset
	for _, e := range entries {
		path := filepath.Join(dir, e.Name(), descriptionFile)
		if names.Check(e.Name()) != nil || !isFile(path) {
			continue
		}
		d, err := read(e.Name(), path)
		if err != nil {
			d = damaged(e.Name(), err)
		}
		found = append(found, d)
	}
	return datasets.SetImported(found)
}

// read makes the dataset of that name from its description.
func read(name, path string) (datasets.Dataset, error) {
	if datasets.BuiltIn(name) {
		return datasets.Dataset{}, fmt.Errorf("%s: the benchmark has a dataset %s of its own; rename the folder", path, name)
	}
	description, err := readDescription(path)
	if err != nil {
		return datasets.Dataset{}, err
	}
	d, err := description.dataset(name)
	if err != nil {
		return d, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// damaged stands for a dataset of which nothing is known. It claims labels
// and features, so that whoever wants it is told of the damage and not that
// they lack.
func damaged(name string, err error) datasets.Dataset {
	rule, _ := DefaultSplit.rule() // which is right
	return datasets.Dataset{
		Name: name, Title: name, URL: "an import", File: filepath.Join(name, eventsFile), Imported: true, Damaged: err,
		Split: rule, HeldOut: datasets.SampleHeldOut(heldOutSeed), Labelled: true, Substitute: datasets.GapsAndCounts(),
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
