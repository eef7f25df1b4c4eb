package live

import (
	"encoding/json"
	"fmt"
	"reflect"

	"dgsbench/harness"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Keep writes records and answers to the store.
func Keep(s record.Store, all []Measured) error {
	for _, m := range all {
		if _, err := s.Write(m.Record, m.Facts); err != nil {
			return &harness.StoreError{Err: err}
		}
	}
	return nil
}

// measuredOf returns the record of the measured test that a simulated one repeats: the latest
// of the same model, training, data, kernels and numerics, with batches as large.
func measuredOf(s record.Store, simulated record.Record, largest int) (record.Record, error) {
	records, _, err := s.Load(simulated.Key.Suite)
	if err != nil {
		return record.Record{}, err
	}
	key := simulated.Key
	key.Case = specs.LiveCase
	var latest record.Record
	for _, r := range records {
		if r.Key == key && r.Live != nil && !r.Failed() && r.Run() > latest.Run() &&
			r.DataChecksum == simulated.DataChecksum && r.Numerics == simulated.Numerics && r.Device == simulated.Device &&
			reflect.DeepEqual(training(r.Spec), training(simulated.Spec)) {
			latest = r
		}
	}
	if latest.Live == nil {
		return record.Record{}, fmt.Errorf("%s: no measured service times in %s; run the same command without --clock simulated first", key, s.Dir)
	}
	if timed := latest.Live.Service[len(latest.Live.Service)-1].Batch; timed < min(largest, latest.Live.Events) {
		return record.Record{}, fmt.Errorf("%s: batches of up to %d events were measured, and the simulated clock needs those of %d: measure them with the same --largest-batch first", key, timed, largest)
	}
	return latest, nil
}

// training returns a spec without what says how the trained model is loaded.
func training(spec json.RawMessage) map[string]any {
	var all map[string]any
	if json.Unmarshal(spec, &all) != nil {
		return nil // it is not a spec of ours
	}
	if p, ok := all["protocol"].(map[string]any); ok {
		delete(p, "live")
	}
	return all
}
