package harness

import (
	"cmp"
	"sync"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// Cutter cuts a dataset into the parts that its trials share: each made once,
// when it is first asked for. Several goroutines may ask.
type Cutter struct {
	loaded *datasets.Loaded

	mu   sync.Mutex
	made map[datasets.Cut]*partsOnce
}

type partsOnce struct {
	sync.Once
	parts datasets.Parts
	err   error
}

// NewCutter has made no parts yet.
func NewCutter(l *datasets.Loaded) *Cutter {
	return &Cutter{loaded: l, made: map[datasets.Cut]*partsOnce{}}
}

// Parts are those of the trial's setting, its model's needs and, where features
// are derived from what comes before a batch, its batch size. The trial is of
// the cutter's dataset.
func (c *Cutter) Parts(t specs.Trial) (datasets.Parts, error) {
	kind, err := kindOf(t)
	if err != nil {
		return datasets.Parts{}, err
	}
	cut := datasets.Cut{
		Setting:      cmp.Or(t.Setting, protocol.Transductive), // classification knows one setting only
		NeedFeatures: kind.Features == models.FeaturesRequired,
	}
	if t.Protocol.DerivedFeatures == specs.BeforeBatch && c.loaded.Dataset.LooksBack(cut.NeedFeatures) {
		cut.Batch = t.Protocol.Batch
	}
	c.mu.Lock()
	once := c.made[cut]
	if once == nil {
		once = &partsOnce{}
		c.made[cut] = once
	}
	c.mu.Unlock()
	once.Do(func() { once.parts, once.err = c.loaded.Parts(cut) })
	return once.parts, once.err
}
