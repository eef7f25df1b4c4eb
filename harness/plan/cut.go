package plan

import (
	"fmt"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/specs"
)

// cutter cuts a dataset into the parts that its cells share.
type cutter struct {
	loaded *datasets.Loaded
	made   map[cutKey]datasets.Parts
}

// cutKey is what parts depend on.
type cutKey struct {
	setting       datasets.Setting
	needsFeatures bool
}

// parts are those of the trial.
func (c cutter) parts(t specs.Trial) (datasets.Parts, error) {
	kind, err := models.Lookup(t.Kind)
	if err != nil {
		return datasets.Parts{}, err
	}
	key := cutKey{t.Setting, kind.Features == models.FeaturesRequired}
	if key.setting == "" { // classification knows one setting only
		key.setting = datasets.Transductive
	}
	parts, made := c.made[key]
	if made {
		return parts, nil
	}
	if parts, err = c.loaded.Parts(key.setting, key.needsFeatures); err != nil {
		return datasets.Parts{}, fmt.Errorf("%s on %s: %w", t.Ref(), t.Dataset, err)
	}
	c.made[key] = parts
	return parts, nil
}
