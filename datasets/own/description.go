package own

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"dgsbench/datasets"
	"dgsbench/internal/names"
	"dgsbench/internal/regular"
	"dgsbench/internal/strictyaml"
)

// The files of a folder.
const (
	eventsFile      = "events.csv"
	descriptionFile = "dataset.yaml"
)

// formatVersion is of both files. It is raised when older ones cannot be read
// any more.
const formatVersion = 1

// description is dataset.yaml.
type description struct {
	Version   int      `yaml:"version"`
	Title     string   `yaml:"title"`
	Split     Split    `yaml:"split"`
	Bipartite bool     `yaml:"bipartite"`
	Labelled  bool     `yaml:"labelled"`
	Features  []string `yaml:"features"` // as they were called in the source
	Counts    counts   `yaml:"counts"`
	SHA256    string   `yaml:"sha256"` // of events.csv
}

// Split is a datasets.SplitRule.
type Split struct {
	Train float64 `yaml:"train"`
	Val   float64 `yaml:"val"`
	By    string  `yaml:"by"` // time or row
}

// DefaultSplit is TGN's.
var DefaultSplit = Split{Train: 0.70, Val: 0.85, By: "time"}

func (s Split) rule() (datasets.SplitRule, error) { return datasets.NewSplitRule(s.Train, s.Val, s.By) }

// counts are datasets.Counts.
type counts struct {
	Events    int `yaml:"events"`
	Nodes     int `yaml:"nodes"`
	Users     int `yaml:"users"`
	Items     int `yaml:"items"`
	Positives int `yaml:"positives"`
	Features  int `yaml:"features"`
}

// columns of events.csv.
const (
	colSrc, colDst, colTime, colLabel = "src", "dst", "time", "label"
)

// colFeature names the features, which may be called anything in the source.
func colFeature(i int) string { return fmt.Sprintf("f%d", i+1) }

// layout is that of events.csv.
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

// identity is what results depend on: the events, and how they are read and
// split.
func (d description) identity() string {
	text := fmt.Sprintf("import %d %s bipartite=%t labelled=%t split=%v,%v,%s",
		d.Version, d.SHA256, d.Bipartite, d.Labelled, d.Split.Train, d.Split.Val, d.Split.By)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// dataset is the entry for the registry.
func (d description) dataset(name string) (datasets.Dataset, error) {
	rule, err := d.Split.rule()
	if err != nil {
		return datasets.Dataset{}, err
	}
	entry := datasets.Dataset{
		Name: name, Title: d.Title, Citation: "imported", Licence: "the user's own data", URL: "an import",
		File: filepath.Join(name, eventsFile), SHA256: d.SHA256, Layout: d.layout(),
		Want: datasets.Counts(d.Counts), Split: rule, HeldOut: datasets.SampleHeldOut(heldOutSeed), Labelled: d.Labelled,
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
	return entry, nil
}

// heldOutSeed is that of the other datasets.
const heldOutSeed = 2020

// mostDescription is more bytes than dataset.yaml has.
const mostDescription = 256 << 20

// readDescription reads and checks dataset.yaml.
func readDescription(path string) (description, error) {
	text, err := regular.Read(path, mostDescription)
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
	if _, err := d.Split.rule(); err != nil {
		return d, n.Errorf("split: %v", err)
	}
	return d, nil
}
