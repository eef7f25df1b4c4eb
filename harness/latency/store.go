package latency

import (
	"dgsbench/harness"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Measured is a model's record with its times; none where it failed.
type Measured struct {
	Record record.Record
	Times  record.Times
}

// Keep writes records and times to the store.
func Keep(s record.Store, all []Measured) error {
	for _, m := range all {
		if _, err := s.Write(m.Record, m.Times); err != nil {
			return &harness.StoreError{Err: err}
		}
	}
	return nil
}

// Missing returns the latency tests that are to be measured, and the records of
// those that need not be. Times are compared within a run alone, so a dataset
// of which one record is missing is measured again as a whole. An error is of
// reading the data or the store.
func Missing(s record.Store, dataDir string, on devices.Target, tests []specs.Trial) (missing []specs.Trial, found []record.Record, err error) {
	for _, group := range byDataset(tests) {
		loaded, err := harness.LoadDataset(group[0].Dataset, dataDir)
		if err != nil {
			return nil, nil, err
		}
		var records []record.Record
		for _, t := range group {
			r := harness.Describe(t, loaded, on)
			if r, ok, err := s.Find(r.Key, r.Identity); err != nil {
				return nil, nil, err
			} else if ok {
				records = append(records, r)
			}
		}
		if AllOfOneRun(records, len(group)) {
			found = append(found, records...)
		} else {
			missing = append(missing, group...)
		}
	}
	return missing, found, nil
}

// AllOfOneRun reports whether the records are of n tests of a dataset, and of one run.
func AllOfOneRun(records []record.Record, n int) bool {
	latest, _ := record.LatestRun(records)
	return len(latest) == n
}
