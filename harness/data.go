package harness

import (
	"strings"

	"dgsbench/datasets"
	"dgsbench/specs"
)

// library holds the datasets of a suite and what cuts them: all trials share
// their parts, to which nothing writes.
type library struct {
	loaded  map[string]*datasets.Loaded
	cutters map[string]*Cutter
}

// loadAll reads every dataset that the trials name from dir.
func loadAll(trials []specs.Trial, dir string) (*library, error) {
	l := &library{loaded: map[string]*datasets.Loaded{}, cutters: map[string]*Cutter{}}
	var names []string
	for _, t := range trials {
		names = appendNew(names, t.Dataset)
	}
	if err := datasets.CheckRoom(names); err != nil {
		return nil, err
	}
	for _, t := range trials {
		if l.loaded[t.Dataset] != nil {
			continue
		}
		d, err := datasets.Lookup(t.Dataset)
		if err != nil {
			return nil, err
		}
		if l.loaded[t.Dataset], err = d.Load(dir); err != nil {
			return nil, err
		}
		l.cutters[t.Dataset] = NewCutter(l.loaded[t.Dataset])
	}
	return l, nil
}

// of cuts the trial's dataset for it.
func (l *library) of(t specs.Trial) (datasets.Parts, error) { return l.cutters[t.Dataset].Parts(t) }

// substituteNote says what a model that needs features is given on a dataset
// without any.
func substituteNote(d datasets.Dataset) string {
	var columns []string
	for _, f := range d.Substitute {
		columns = append(columns, f.String())
	}
	return "in place of features it is given " + strings.Join(columns, ", ")
}
