package own

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"dgsbench/datasets"
	"dgsbench/internal/names"
	"dgsbench/internal/regular"
	"dgsbench/internal/strictyaml"
)

// The files of a dataset's folder.
const (
	eventsFile      = "events.csv"
	nodesFile       = "nodes.csv"
	levelsFile      = "levels.csv"
	descriptionFile = "dataset.yaml"
)

// formatVersion is the version of these files. It is raised when older ones
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
	// What the columns of the source became, where that is not the same, and the
	// checksums of nodes.csv and levels.csv. Older imports have none.
	Categories   []category `yaml:"categories,omitempty"`
	Missing      []filled   `yaml:"missing,omitempty"`
	NodesSHA256  string     `yaml:"nodes_sha256,omitempty"`
	LevelsSHA256 string     `yaml:"levels_sha256,omitempty"`
	Source       *origin    `yaml:"source,omitempty"`
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
	for _, sum := range []struct {
		key, value string
		optional   bool
	}{{"sha256", d.SHA256, false}, {"nodes_sha256", d.NodesSHA256, true}, {"levels_sha256", d.LevelsSHA256, true}} {
		if len(sum.value) != 2*sha256.Size && !(sum.optional && sum.value == "") {
			return d, n.Errorf("%s: expected a SHA-256 of %d digits", sum.key, 2*sha256.Size)
		}
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
		File: filepath.Join(name, eventsFile), SHA256: d.SHA256, Identity: d.identity(), Layout: d.layout(),
		Want: d.Counts, Split: d.Split, HeldOut: datasets.SampleHeldOut(heldOutSeed), Labelled: d.Labelled,
		Substitute: datasets.GapsAndCounts(), Imported: true, Columns: d.Features,
	}
	if len(d.Features) > 0 {
		entry.Features = []datasets.Derived{datasets.Standardised()}
		entry.Notes = []string{"imported; features are standardised with the train part"}
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

// layout returns the layout of events.csv. Features are called f1, f2, ...: in
// the source they may have any name.
func (d description) layout() datasets.Layout {
	l := datasets.Layout{Src: "src", Dst: "dst", Time: "time", Bipartite: d.Bipartite}
	if d.Labelled {
		l.Label = "label"
	}
	for i := range d.Features {
		l.Features = append(l.Features, fmt.Sprintf("f%d", i+1))
	}
	return l
}

// writeEvents writes a stream as events.csv of that layout. It calls progress
// once in a while with the number of events written since, and stops at its
// first error.
func writeEvents(w io.Writer, s datasets.Stream, l datasets.Layout, progress func(events int) error) error {
	const often = 1024
	columns := []string{l.Src, l.Dst, l.Time}
	if l.Label != "" {
		columns = append(columns, l.Label)
	}
	text := []byte(strings.Join(append(columns, l.Features...), ","))
	for k := range s.Len() {
		text = appendEvent(append(text, '\n'), s, k, l.Label != "")
		if k%often == 0 {
			if _, err := w.Write(text); err != nil {
				return err
			}
			if err := progress(often); err != nil {
				return err
			}
			text = text[:0]
		}
	}
	_, err := w.Write(append(text, '\n'))
	return err
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
		d, err := readDescription(path)
		if datasets.BuiltIn(e.Name()) {
			err = fmt.Errorf("%s: the benchmark has a dataset %s of its own; rename the folder", path, e.Name())
		}
		if err != nil { // it claims labels, so that the error is the damage, and not their absence
			d = description{Title: e.Name(), Split: DefaultSplit, Labelled: true}
		}
		entry := d.dataset(e.Name())
		entry.Damaged = err
		found = append(found, entry)
	}
	datasets.SetImported(found)
	return nil
}
