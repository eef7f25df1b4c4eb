package harness

import (
	"dgsbench/results"
	"dgsbench/specs"
)

// Fits reports whether a record is of one of the trials: the same key and
// the same spec, on whatever data and numerics it was made.
func Fits(r results.Record, trials []specs.Trial) bool {
	for _, t := range trials {
		if KeyOf(t) == r.Key {
			return t.Identity(r.DataChecksum, r.Numerics) == r.Identity
		}
	}
	return false
}
