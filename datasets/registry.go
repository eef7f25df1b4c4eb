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
	// Obtain says how the file is made from what the URL serves; empty where
	// it is served as it is.
	Obtain string

	File   string // name below the data folder
	SHA256 string // of the file; empty where it is not known
	Layout Layout
	// Open replaces File, SHA256 and Layout where the stream does not come
	// from a file: it returns the stream and a checksum that stands for it.
	// dir is the data folder, which Open may ignore.
	Open func(dir string) (Stream, string, error)
	// Scaled is the dataset at another size, for what is simulated: scale
	// times the events and nodes. It is what NAME@SCALE means, if that is the
	// name of what it returns; nil where the size is given.
	Scaled func(scale float64) (Dataset, error)

	// Making is the memory that Open takes beside the stream, bytes.
	Making int64

	// HasTruth: the stream knows its hidden state (Stream.Truth).
	HasTruth bool
	Imported bool // File is in a folder that an import made
	// Damaged is why an imported dataset cannot be used: Load and Verify
	// return it. It is nil for every other dataset.
	Damaged error

	Want     Counts
	Split    SplitRule
	HeldOut  HeldOut
	Labelled bool
	// Features are derived columns that every model is given instead of the
	// file's. Without any, models are given the file's.
	Features []Derived
	// Substitute is what models that need features are given where the file
	// has none.
	Substitute []Derived

	Notes []string // footnotes of every table with this dataset
	// PaperName is what the paper calls it; empty where it is not in there.
	PaperName string
	// SizesOf is what the paper calls the dataset whose numbers of events,
	// nodes and features this one has; empty for none.
	SizesOf string
}

// Counts are the sizes of a dataset. As an expectation, 0 means unknown.
type Counts struct {
	Events    int `json:"events"`
	Nodes     int `json:"nodes"`
	Users     int `json:"users"`
	Items     int `json:"items"`
	Positives int `json:"positives"`
	Features  int `json:"features"`
}

var entries = map[string]Dataset{}

// Register adds a dataset. It panics when the name is taken or when the
// entry lacks a name, a split rule, a choice of held-out nodes or a source.
func Register(d Dataset) {
	switch _, taken := entries[d.Name]; {
	case taken:
		panic("datasets: " + d.Name + " is registered twice")
	case d.Name == "", d.Split == SplitRule{}, d.HeldOut == nil, d.File == "" && d.Open == nil:
		panic(fmt.Sprintf("datasets: entry %q is not complete", d.Name))
	}
	entries[d.Name] = d
}

// imported are the datasets of the data folder in use.
var imported = map[string]Dataset{}

// SetImported makes the datasets of a data folder known, in place of those of
// the folder before. Their names must be free, but a damaged one hides the
// dataset of the benchmark that has its name.
func SetImported(list []Dataset) error {
	found := map[string]Dataset{}
	for _, d := range list {
		if BuiltIn(d.Name) && d.Damaged == nil {
			return fmt.Errorf("the name %q is that of a dataset of the benchmark", d.Name)
		}
		found[d.Name] = d
	}
	imported = found
	return nil
}

// BuiltIn reports whether a dataset of that name comes with the benchmark.
func BuiltIn(name string) bool {
	_, ok := entries[name]
	return ok
}

// LooksBack reports whether features that models are given depend on earlier
// events: those of all models, or of the ones that cannot work without.
func (d Dataset) LooksBack(needFeatures bool) bool {
	columns := d.Features
	if len(columns) == 0 && needFeatures {
		columns = d.Substitute
	}
	return slices.ContainsFunc(columns, func(f Derived) bool { return f.past })
}

// Lookup finds a registered or imported dataset, or makes the one that
// NAME@SCALE stands for.
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
		return Dataset{}, fmt.Errorf("dataset %s: %q behind the @, expected a number such as 0.1", base, suffix)
	}
	if d, err = d.Scaled(scale); err != nil {
		return Dataset{}, err
	}
	if d.Name != name { // one spelling, one dataset: its results lie in one place
		return Dataset{}, fmt.Errorf("dataset %s: expected the spelling %s", name, d.Name)
	}
	return d, nil
}

// Names lists the registered and imported datasets, sorted.
func Names() []string {
	names := slices.Collect(maps.Keys(entries))
	names = slices.AppendSeq(names, maps.Keys(imported))
	slices.Sort(names)
	return slices.Compact(names)
}
