package harness

import (
	"context"
	"fmt"
	"runtime/debug"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Lab trains models on trials that come up one by one: a search does not know
// the next one before it has seen others. Datasets are read once. Its methods
// may be called side by side.
type Lab struct {
	store   record.Store
	device  devices.Target
	threads int // of a trial
	data    *library
	whole   *memory // what there was at the start; nothing is taken from it
	memory  *memory
}

// NewLab reads the datasets of the trials from dataDir. Records go to the
// store, and each trial may use that many threads of the device.
func NewLab(store record.Store, dataDir string, on devices.Target, threads int, trials []specs.Trial) (*Lab, error) {
	data, err := loadAll(trials, dataDir)
	if err != nil {
		return nil, err
	}
	if err := CheckStore(store, trials, trials); err != nil {
		return nil, err
	}
	return &Lab{store: store, device: on, threads: threads, data: data, whole: newMemory(on), memory: newMemory(on)}, nil
}

// DataSHA256 is the checksum of a dataset of the lab.
func (l *Lab) DataSHA256(dataset string) string { return l.data.loaded[dataset].SHA256 }

// DeviceName is the class of the kernels that models are trained on.
func (l *Lab) DeviceName() string { return l.device.Name() }

// Validate trains on a trial, with the validation after every epoch that picks
// the best one, and stops there: the record has epochs and no scores. The
// stream that it works on ends with the validation part, so that no test event
// reaches the model or its candidates. A record that is there already is read
// instead. A trial that fails by itself has a record that says so; progress,
// from 0 to 1, is told after every batch.
func (l *Lab) Validate(ctx context.Context, t specs.Trial, progress func(float64)) (record.Record, error) {
	rec := Describe(t, l.data.loaded[t.Dataset], l.device)
	found, ok, err := l.store.Find(rec.Key, rec.Identity)
	if err != nil || ok {
		return found, err
	}
	j, err := newJob(t, rec, l.data, l.device, false, map[record.CellKey]int64{})
	if err != nil {
		return rec, err
	}
	if err := l.whole.refuse([]job{j}); err != nil {
		return rec, err
	}
	j.record.Threads = l.threads
	if rec, err = l.train(ctx, j, progress); err != nil {
		return rec, err
	}
	if rec, err = l.store.Write(rec, record.Observed{}); err != nil {
		return rec, &StoreError{fmt.Errorf("%s: %w", t.Ref(), err)}
	}
	return rec, nil
}

// train trains when there is room for it.
func (l *Lab) train(ctx context.Context, j job, progress func(float64)) (rec record.Record, err error) {
	err = l.memory.use(j.bytes, func() (err error) {
		if j.bytes >= returned {
			defer debug.FreeOSMemory()
		}
		parts := withoutTest(j.parts)
		batches, done := numBatches(j.trial, parts), 0
		tick := func() {
			done++
			progress(float64(done) / float64(batches))
		}
		var r *run
		if rec, r, err = j.attempt(ctx, parts, l.device, tick, (*run).train); err == nil && !rec.Failed() {
			rec.Epochs, rec.BestEpoch, rec.Durations.Train = r.epochs, r.best, r.trainSeconds
		}
		return err
	})
	return rec, err
}

// withoutTest ends the stream before the test part.
func withoutTest(p datasets.Parts) datasets.Parts {
	end := p.Whole.Len() - p.Test.Len()
	p.Whole, p.Test = p.Whole.Slice(0, end), p.Whole.Slice(end, end)
	return p
}
