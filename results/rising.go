package results

import (
	"encoding/json"
	"fmt"

	"dgsbench/results/record"
)

// rising reports whether the validation metric was best in the last epoch
// that the protocol allowed: longer training might have made it better. It is
// false where early stopping ended the training, and where there was one
// epoch only, which has nothing to rise from.
func rising(r record.Record) bool {
	var spec struct{ Protocol struct{ Epochs int } }
	if json.Unmarshal(r.Spec, &spec) != nil || len(r.Epochs) != spec.Protocol.Epochs || len(r.Epochs) < 2 {
		return false
	}
	last := r.Epochs[len(r.Epochs)-1].Validation
	for _, epoch := range r.Epochs[:len(r.Epochs)-1] {
		if !(last > epoch.Validation) {
			return false
		}
	}
	return true
}

// risingNotes warn where at least half of the seeds were still rising.
func (c *Cell) risingNotes() []string {
	if c.Rising == 0 || 2*c.Rising < c.Seeds {
		return nil
	}
	return []string{fmt.Sprintf("the validation metric still rose in the last epoch of %d of %s: longer training may give more",
		c.Rising, count(c.Seeds, "seed"))}
}
