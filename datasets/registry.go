// Package datasets holds event streams and everything that produces them:
// the Stream type, the CSV reader, the registry of known datasets, the splits
// and the derived features. It knows nothing about models.
//
// ReadFile reads a file into a Stream, Dataset.Load a registered dataset into
// a Loaded, and Loaded.Parts cuts that into what models are given.
package datasets

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/suggest"
)

// Dataset is an entry of the registry: where a stream comes from and what is
// expected of it.
type Dataset struct {
	Name     string // as in specs and on the command line
	Title    string
	Citation string
	Licence  string
	URL      string
	// Obtain says how to make the file from what the URL serves; it is empty
	// if the file is served as it is.
	Obtain string

	File   string // path below the data folder
	SHA256 string // of the file; empty if unknown
	Layout Layout
	// Identity is a checksum of all that results depend on, where that is more
	// than the file; else empty.
	Identity string
	// Negatives are files of negatives of the validation and the test part beside File, which
	// Load compares with those of the protocol where they are there.
	Negatives [2]string
	// Open replaces File, SHA256 and Layout for a stream that is not read from a
	// file: it returns the stream and a checksum for it. dir is the data folder.
	Open func(dir string) (Stream, string, error)
	// Scaled returns a simulated dataset at another size: scale times the
	// events and nodes of that at scale 1. NAME@SCALE means its result if that
	// has this name. It is nil for datasets of one size.
	Scaled func(scale float64) (Dataset, error)
	// OpenBytes is the memory in bytes that Open needs beside the stream.
	OpenBytes int64

	HasTruth bool // the stream knows its hidden state (Stream.Truth)
	Imported bool // File is in a folder that an import made
	// Damaged is the reason why an imported dataset cannot be used: Load and
	// Verify return it.
	Damaged error

	Want     Counts
	Split    SplitRule
	HeldOut  HeldOut
	Labelled bool
	// Columns are the names of the file's features, where Layout does not have
	// them.
	Columns []string
	// Features are the derived columns that every model gets instead of the
	// file's. Without any, models get the file's.
	Features []Derived
	// Substitute are the columns for models that need features, if the file
	// has none.
	Substitute []Derived

	Notes     []string // footnotes of every table with this dataset
	PaperName string   // name in the paper; empty if the dataset is not in there
	// SizesOf is the paper's name of the dataset whose numbers of events,
	// nodes and features this one has; empty for none.
	SizesOf string
	// Delay is how many events of its node a label looks back, in a series of
	// datasets that differ by it; 0 elsewhere.
	Delay int
}

// Counts are the sizes of a dataset. As an expectation, 0 means unknown.
type Counts struct {
	Events    int `json:"events" yaml:"events"`
	Nodes     int `json:"nodes" yaml:"nodes"`
	Users     int `json:"users" yaml:"users"`
	Items     int `json:"items" yaml:"items"`
	Positives int `json:"positives" yaml:"positives"`
	Features  int `json:"features" yaml:"features"`
}

var (
	entries  = map[string]Dataset{} // registered datasets
	imported = map[string]Dataset{} // datasets of the present data folder
)

// Register adds a dataset. It panics if the name is taken or if the entry
// lacks a name, a split rule, a choice of held-out nodes or a source.
func Register(d Dataset) {
	switch {
	case BuiltIn(d.Name):
		panic("datasets: " + d.Name + " is registered twice")
	case d.Name == "", d.Split == SplitRule{}, d.HeldOut == nil, d.File == "" && d.Open == nil:
		panic(fmt.Sprintf("datasets: entry %q is not complete", d.Name))
	}
	entries[d.Name] = d
}

// SetImported replaces the imported datasets by those of another data folder.
// One hides the benchmark's dataset of its name: it should be Damaged then.
func SetImported(list []Dataset) {
	imported = map[string]Dataset{}
	for _, d := range list {
		imported[d.Name] = d
	}
}

// BuiltIn reports whether a dataset of that name comes with the benchmark.
func BuiltIn(name string) bool {
	_, ok := entries[name]
	return ok
}

// LooksBack reports whether features depend on earlier events: those of all
// models, or of the models that need features.
func (d Dataset) LooksBack(needFeatures bool) bool {
	columns := d.Features
	if len(columns) == 0 && needFeatures {
		columns = d.Substitute
	}
	return slices.ContainsFunc(columns, func(f Derived) bool { return f.past })
}

// columnNames returns the names of the n features of the file.
func (d Dataset) columnNames(n int) []string {
	for _, names := range [][]string{d.Columns, d.Layout.Features} {
		if len(names) == n {
			return slices.Clone(names)
		}
	}
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("feature %d", i+1))
	}
	return names
}

// Lookup returns a registered or imported dataset, or the one that NAME@SCALE
// stands for.
func Lookup(name string) (Dataset, error) {
	base, suffix, scaled := strings.Cut(name, "@")
	d, ok := imported[base]
	if !ok {
		d, ok = entries[base]
	}
	switch {
	case !ok:
		return Dataset{}, fmt.Errorf("no dataset %q%s; known: %v", base, suggest.DidYouMean(base, Names()), Names())
	case !scaled:
		return d, nil
	case d.Damaged != nil:
		return Dataset{}, d.Damaged
	case d.Scaled == nil:
		return Dataset{}, fmt.Errorf("dataset %s comes from a file and has one size: expected no @", base)
	}
	scale, err := strconv.ParseFloat(suffix, 64)
	if err != nil {
		return Dataset{}, fmt.Errorf("dataset %s: %q after the @, expected a number such as 0.1", base, suffix)
	}
	if d, err = d.Scaled(scale); err != nil {
		return Dataset{}, err
	}
	if d.Name != name { // one spelling per dataset, so that its results are in one folder
		return Dataset{}, fmt.Errorf("dataset %s: expected the spelling %s", name, d.Name)
	}
	return d, nil
}

// Names returns the names of the registered and imported datasets, sorted.
func Names() []string {
	all := maps.Clone(entries)
	maps.Copy(all, imported)
	return slices.Sorted(maps.Keys(all))
}
