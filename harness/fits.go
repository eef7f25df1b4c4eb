package harness

import (
	"bytes"
	"encoding/json"

	"dgsbench/results"
	"dgsbench/specs"
)

// Fits reports whether a record is of one of the trials: the same key and
// the same spec, on whatever data and numerics it was made.
func Fits(r results.Record, trials []specs.Trial) bool {
	for _, t := range trials {
		if KeyOf(t) == r.Key {
			return sameSpec(r, t)
		}
	}
	return false
}

// sameSpec reports whether the record was made under the trial's spec, and
// has not been edited since: its name would not tell.
func sameSpec(r results.Record, t specs.Trial) bool {
	var spec bytes.Buffer
	return json.Compact(&spec, r.Spec) == nil && bytes.Equal(spec.Bytes(), t.JSON()) &&
		t.Identity(r.DataChecksum, r.Numerics) == r.Identity
}
