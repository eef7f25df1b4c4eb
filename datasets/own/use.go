package own

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"dgsbench/datasets"
)

// validName is what datasets are called: names become parts of paths.
var validName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Use makes the datasets that were imported into the data folder known by
// their names, in place of those of another folder. A folder that is not
// there has none.
func Use(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the data folder: %w", err)
	}
	var found []datasets.Dataset
	for _, e := range entries {
		path := filepath.Join(dir, e.Name(), descriptionFile)
		if !validName.MatchString(e.Name()) || !isFile(path) {
			continue
		}
		description, err := readDescription(path)
		if err != nil {
			return err
		}
		if datasets.BuiltIn(e.Name()) {
			return fmt.Errorf("%s: the benchmark has a dataset %s of its own; rename the folder", path, e.Name())
		}
		d, err := description.dataset(e.Name())
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		found = append(found, d)
	}
	return datasets.SetImported(found)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
