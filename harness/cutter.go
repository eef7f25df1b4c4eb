package harness

import (
	"sync"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/specs"
)

// Cutter cuts a dataset into the parts that its trials share: each made once,
// when it is first asked for. Several goroutines may ask.
type Cutter struct {
	loaded *datasets.Loaded

	mu   sync.Mutex
	made map[partsKey]*partsOnce
}

// partsKey is what parts depend on.
type partsKey struct {
	setting       datasets.Setting
	needsFeatures bool
}

type partsOnce struct {
	sync.Once
	parts datasets.Parts
	err   error
}

// NewCutter has made no parts yet.
func NewCutter(l *datasets.Loaded) *Cutter {
	return &Cutter{loaded: l, made: map[partsKey]*partsOnce{}}
}

// Parts are those of the trial's setting and its model's needs. The trial is
// of the cutter's dataset.
func (c *Cutter) Parts(t specs.Trial) (datasets.Parts, error) {
	kind, err := kindOf(t)
	if err != nil {
		return datasets.Parts{}, err
	}
	key := partsKey{t.Setting, kind.Features == models.FeaturesRequired}
	if key.setting == "" { // classification knows one setting only
		key.setting = datasets.Transductive
	}
	c.mu.Lock()
	once := c.made[key]
	if once == nil {
		once = &partsOnce{}
		c.made[key] = once
	}
	c.mu.Unlock()
	once.Do(func() { once.parts, once.err = c.loaded.Parts(key.setting, key.needsFeatures) })
	return once.parts, once.err
}
