package latency

import (
	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/kernels/devices"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Missing lists the latency tests that are to be measured, and the records of
// those that need not be. Times are compared within a run alone, so a dataset
// of which one record is missing is measured again as a whole. An error is of
// reading the data or the store.
func Missing(s record.Store, dataDir string, on devices.Target, tests []specs.Trial) (missing []specs.Trial, found []record.Record, err error) {
	for _, group := range byDataset(Plan{Trials: tests}) {
		records, err := find(s, dataDir, on, group.Trials)
		if err != nil {
			return nil, nil, err
		}
		if latest, _ := results.LatestRun(records); len(latest) < len(group.Trials) {
			missing = append(missing, group.Trials...)
		} else {
			found = append(found, records...)
		}
	}
	return missing, found, nil
}

// find reads the records of a dataset's tests that are there.
func find(s record.Store, dataDir string, on devices.Target, tests []specs.Trial) ([]record.Record, error) {
	d, err := datasets.Lookup(tests[0].Dataset)
	if err != nil {
		return nil, err
	}
	loaded, err := d.Load(dataDir)
	if err != nil {
		return nil, err
	}
	var out []record.Record
	for _, t := range tests {
		r := harness.Describe(t, loaded, on)
		found, ok, err := s.Find(r.Key, r.Identity)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, found)
		}
	}
	return out, nil
}
