package harness

import (
	"bytes"
	"encoding/json"
	"slices"

	"dgsbench/results/record"
	"dgsbench/specs"
)

// Fits reports whether a record is of one of the trials: the same key and
// the same spec, on whatever data and numerics it was made.
func Fits(r record.Record, trials []specs.Trial) bool {
	for _, t := range trials {
		if KeyOf(t) == r.Key {
			return sameSpec(r, t)
		}
	}
	return false
}

// FitOrForeign picks the records of a folder that is compared with others,
// perhaps of another version: those that fit the trials. Of models without
// any of those it takes records of another spec, as long as all of the model
// have the same one; otherwise they are left out, and counted.
func FitOrForeign(records []record.Record, trials []specs.Trial) (use []record.Record, unclear int) {
	byCell := map[record.CellKey][]record.Record{}
	for _, r := range records {
		byCell[r.Key.CellKey] = append(byCell[r.Key.CellKey], r)
	}
	fitting := map[record.CellKey]bool{}
	for cell, all := range byCell {
		fitting[cell] = slices.ContainsFunc(all, func(r record.Record) bool { return Fits(r, trials) })
	}
	for _, r := range records {
		all := byCell[r.Key.CellKey]
		switch {
		case fitting[r.Key.CellKey]:
			if Fits(r, trials) {
				use = append(use, r)
			}
		case slices.ContainsFunc(all, func(other record.Record) bool { return !r.SameSpec(other) }):
			unclear++
		default:
			use = append(use, r)
		}
	}
	return use, unclear
}

// sameSpec reports whether the record was made under the trial's spec, and
// has not been edited since: its name would not tell.
func sameSpec(r record.Record, t specs.Trial) bool {
	var spec bytes.Buffer
	return json.Compact(&spec, r.Spec) == nil && bytes.Equal(spec.Bytes(), t.JSON()) &&
		t.Identity(r.DataChecksum, r.Numerics, r.Device) == r.Identity
}
