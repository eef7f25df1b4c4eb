package own

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"dgsbench/datasets"
	"dgsbench/internal/names"
	"dgsbench/internal/regular"
	"dgsbench/internal/strictyaml"
)

// The files of a dataset's folder.
const (
	eventsFile      = "events.csv"
	descriptionFile = "dataset.yaml"
)

// formatVersion is the version of both files. It is raised when older ones
// cannot be read any more.
const formatVersion = 1

// maxDescription is the largest size in bytes of dataset.yaml.
const maxDescription = 256 << 20

// heldOutSeed is that of the other datasets.
const heldOutSeed = 2020

// description is the content of dataset.yaml.
type description struct {
	Version   int                `yaml:"version"`
	Title     string             `yaml:"title"`
	Split     datasets.SplitRule `yaml:"split"`
	Bipartite bool               `yaml:"bipartite"`
	Labelled  bool               `yaml:"labelled"`
	Features  []string           `yaml:"features"` // names in the source
	Counts    datasets.Counts    `yaml:"counts"`
	SHA256    string             `yaml:"sha256"` // of events.csv
}

// readDescription reads and checks dataset.yaml.
func readDescription(path string) (description, error) {
	text, err := regular.Read(path, maxDescription)
	if err != nil {
		return description{}, err
	}
	return parseDescription(path, text)
}

func parseDescription(path string, text []byte) (description, error) {
	var d description
	n, err := strictyaml.Parse(path, text)
	if err != nil {
		return d, err
	}
	if err := n.Decode(&d); err != nil {
		return d, err
	}
	if d.Version != formatVersion {
		return d, n.Errorf("version %d, expected %d; remove %s and import the source again", d.Version, formatVersion, filepath.Dir(path))
	}
	if len(d.SHA256) != 2*sha256.Size {
		return d, n.Errorf("sha256: expected a SHA-256 of %d digits", 2*sha256.Size)
	}
	if err := names.CheckTitle(d.Title); err != nil {
		return d, n.Errorf("title: %v", err)
	}
	if err := d.Split.Check(); err != nil {
		return d, n.Errorf("split: %v", err)
	}
	return d, nil
}

// dataset returns the entry for the registry.
func (d description) dataset(name string) datasets.Dataset {
	entry := datasets.Dataset{
		Name: name, Title: d.Title, Citation: "imported", Licence: "the user's own data", URL: "an import",
		File: filepath.Join(name, eventsFile), SHA256: d.SHA256, Layout: d.layout(),
		Want: d.Counts, Split: d.Split, HeldOut: datasets.SampleHeldOut(heldOutSeed), Labelled: d.Labelled,
		Substitute: datasets.GapsAndCounts(), Imported: true,
	}
	if len(d.Features) > 0 {
		entry.Features = []datasets.Derived{datasets.Standardised()}
		entry.Notes = []string{"imported; features are standardised with the train part"}
	}
	file := entry
	entry.Open = func(dir string) (datasets.Stream, string, error) {
		s, _, err := file.OpenFile(dir)
		return s, d.identity(), err
	}
	return entry
}

// identity returns a checksum of what results depend on: the events, and how
// they are read and split.
func (d description) identity() string {
	text := fmt.Sprintf("import %d %s bipartite=%t labelled=%t split=%v,%v,%s",
		d.Version, d.SHA256, d.Bipartite, d.Labelled, d.Split.Train, d.Split.Val, d.Split.By)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// The columns of events.csv. Features are called f1, f2, ...: in the source they
// may have any name.
const colSrc, colDst, colTime, colLabel = "src", "dst", "time", "label"

func colFeature(i int) string { return fmt.Sprintf("f%d", i+1) }

// layout returns the layout of events.csv.
func (d description) layout() datasets.Layout {
	l := datasets.Layout{Src: colSrc, Dst: colDst, Time: colTime, Bipartite: d.Bipartite}
	if d.Labelled {
		l.Label = colLabel
	}
	for i := range d.Features {
		l.Features = append(l.Features, colFeature(i))
	}
	return l
}

// writeEvents writes a stream as events.csv. It calls progress once in a while
// with the number of events written since, and stops at its first error.
func writeEvents(w io.Writer, s datasets.Stream, labelled bool, progress func(events int) error) error {
	const often = 1024
	buf := bufio.NewWriterSize(w, 1<<20)
	line := []byte(colSrc + "," + colDst + "," + colTime)
	if labelled {
		line = append(line, ","+colLabel...)
	}
	for i := range s.NumFeat {
		line = append(line, ","+colFeature(i)...)
	}
	for k := range s.Len() {
		if _, err := buf.Write(append(line, '\n')); err != nil {
			return err
		}
		line = appendEvent(line[:0], s, k, labelled)
		if k%often == 0 {
			if err := progress(often); err != nil {
				return err
			}
		}
	}
	if _, err := buf.Write(append(line, '\n')); err != nil {
		return err
	}
	return buf.Flush()
}

// appendEvent writes numbers with as many digits as reading them back needs.
func appendEvent(line []byte, s datasets.Stream, k int, labelled bool) []byte {
	line = strconv.AppendInt(line, int64(s.Src[k]), 10)
	line = strconv.AppendInt(append(line, ','), int64(s.Dst[k])-int64(s.Users), 10)
	line = strconv.AppendFloat(append(line, ','), s.Time[k], 'g', -1, 64)
	if labelled {
		line = strconv.AppendInt(append(line, ','), int64(s.Label[k]), 10)
	}
	for _, x := range s.Features(k) {
		line = strconv.AppendFloat(append(line, ','), float64(x), 'g', -1, 32)
	}
	return line
}

// Use makes the datasets that were imported into the data folder known by their
// names, in place of those of another folder. A folder that does not exist has
// none. One that cannot be read is a damaged dataset: the others can be used.
func Use(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the data folder: %w", err)
	}
	var found []datasets.Dataset
	for _, e := range entries {
		path := filepath.Join(dir, e.Name(), descriptionFile)
		if info, err := os.Stat(path); names.Check(e.Name()) != nil || err != nil || !info.Mode().IsRegular() {
			continue
		}
		d, err := read(e.Name(), path)
		if err != nil {
			d = damaged(e.Name(), err)
		}
		found = append(found, d)
	}
	datasets.SetImported(found)
	return nil
}

// read returns the dataset of that name from its description.
func read(name, path string) (datasets.Dataset, error) {
	if datasets.BuiltIn(name) {
		return datasets.Dataset{}, fmt.Errorf("%s: the benchmark has a dataset %s of its own; rename the folder", path, name)
	}
	d, err := readDescription(path)
	return d.dataset(name), err
}

// damaged returns an entry for a dataset of which nothing is known. It claims
// labels and features, so that the error is the damage, and not their absence.
func damaged(name string, err error) datasets.Dataset {
	return datasets.Dataset{
		Name: name, Title: name, URL: "an import", File: filepath.Join(name, eventsFile), Imported: true, Damaged: err,
		Split: DefaultSplit, HeldOut: datasets.SampleHeldOut(heldOutSeed), Labelled: true, Substitute: datasets.GapsAndCounts(),
	}
}
