package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"dgsbench/datasets"
	"dgsbench/harness/scale"
)

// load reads a dataset, or makes what stands in for it where its file is not
// there and says what is missing.
func load(name, dir string) (l *datasets.Loaded, source Source, missing []Missing, err error) {
	d, err := datasets.Lookup(name)
	if err != nil {
		return nil, "", nil, err
	}
	l, err = d.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		missing = []Missing{{Dataset: name, How: err.Error()}}
		l, err = standIn(d)
		return l, StoodIn, missing, err
	}
	return l, Tried, nil, err
}

// standIn is a simulated stream with the numbers of events, nodes and
// features that the dataset is known to have, split as it is.
func standIn(d datasets.Dataset) (*datasets.Loaded, error) {
	if d.Want.Events == 0 || d.Want.Nodes == 0 {
		return nil, fmt.Errorf("dataset %s: its file is not there, and its size is not known; nothing can be planned without it", d.Name)
	}
	want := d.Want
	d.Want = datasets.Counts{}
	d.HeldOut = datasets.SampleHeldOut(0)
	d.Open = func(string) (datasets.Stream, string, error) {
		s := scale.NewGenerator(want.Nodes, want.Features, 0).Next(want.Events)
		for i, x := range s.Feat {
			s.Feat[i] = max(x, -x) // some datasets take logarithms of theirs
		}
		return s, strings.Repeat("0", 64), nil
	}
	return d.Load("")
}
