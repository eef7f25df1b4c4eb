//go:build gpu

package main

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"

	"dgsbench/internal/regular"
)

// record is what is needed of a trial's.
type record struct {
	Key    key
	Device string
	Scores []struct {
		Split, Metric string
		Value         float64
	}
}

type key struct {
	Dataset, Task, Setting, Model, Variant string
	Seed                                   int
}

func (k key) String() string {
	return strings.Join(strings.Fields(strings.Join([]string{k.Model, k.Variant, "on", k.Dataset, k.Task, k.Setting}, " ")), " ")
}

// mostBytes are more than a record or a report has.
const mostBytes = 64 << 20

// readRecords reads those below a folder.
func readRecords(dir string) (all []record, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		data, err := regular.Read(path, mostBytes)
		if err != nil {
			return err
		}
		var r record
		if err := json.Unmarshal(data, &r); err != nil {
			return err
		}
		all = append(all, r)
		return nil
	})
	return all, err
}
