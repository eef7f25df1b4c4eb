package harness

import (
	"strings"
	"sync"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/specs"
)

// library holds the datasets of a suite and their parts, each made once and
// shared by all trials: nothing writes to them.
type library struct {
	loaded map[string]*datasets.Loaded

	mu    sync.Mutex
	parts map[partsKey]*partsOnce
}

// partsKey is what parts depend on.
type partsKey struct {
	dataset       string
	setting       datasets.Setting
	needsFeatures bool
}

type partsOnce struct {
	sync.Once
	parts datasets.Parts
	err   error
}

// loadAll reads every dataset that the trials name from dir.
func loadAll(trials []specs.Trial, dir string) (*library, error) {
	l := &library{loaded: map[string]*datasets.Loaded{}, parts: map[partsKey]*partsOnce{}}
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
	}
	return l, nil
}

// of cuts the trial's dataset for its setting and the model's needs.
func (l *library) of(t specs.Trial, kind models.Kind) (datasets.Parts, error) {
	key := partsKey{t.Dataset, t.Setting, kind.Features == models.FeaturesRequired}
	if key.setting == "" { // classification knows one setting only
		key.setting = datasets.Transductive
	}
	l.mu.Lock()
	once := l.parts[key]
	if once == nil {
		once = &partsOnce{}
		l.parts[key] = once
	}
	l.mu.Unlock()
	once.Do(func() { once.parts, once.err = l.loaded[t.Dataset].Parts(key.setting, key.needsFeatures) })
	return once.parts, once.err
}

// substituteNote says what a model that needs features is given on a dataset
// without any.
func substituteNote(d datasets.Dataset) string {
	var columns []string
	for _, f := range d.Substitute {
		columns = append(columns, f.String())
	}
	return "in place of features it is given " + strings.Join(columns, ", ")
}
