//go:build gpu

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/internal/lists"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// timedEpochs are measured after one that warms up.
const timedEpochs = 3

// measureEpochs measures training on the card, without any validation.
func measureEpochs(m *measurement) error {
	trials, err := trialsOf("gpu-training", m.tiny)
	return errors.Join(err, eachTrial(trials, harness.LoadDataset, m.epochsOf))
}

// eachTrial calls measure with each trial and its dataset, which it loads once.
// A dataset or a trial that fails does not stop the others.
func eachTrial(
	trials []specs.Trial, load func(name, dir string) (*datasets.Loaded, error), measure func(specs.Trial, *harness.Cutter) error,
) (all error) {
	for _, group := range lists.GroupBy(trials, func(t specs.Trial) string { return t.Dataset }) {
		loaded, err := load(group[0].Dataset, "")
		if err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", group[0].Dataset, err))
			continue
		}
		cutter := harness.NewCutter(loaded)
		for _, t := range group {
			if err := measure(t, cutter); err != nil {
				all = errors.Join(all, fmt.Errorf("%s: %w", t.Ref(), err))
			}
			runtime.GC() // frees the model's memory on the card
		}
	}
	return all
}

// epochsOf measures the epochs of one model. The clock stops when the
// parameters of after the last step have been read.
func (m *measurement) epochsOf(t specs.Trial, cutter *harness.Cutter) (err error) {
	defer kernels.CatchFailure(&err)
	parts, err := cutter.Parts(t)
	if err != nil {
		return err
	}
	model, err := harness.TrialBlueprint(t, parts, m.card, runtime.NumCPU()).Build()
	if err != nil {
		return err
	}
	found := Time{Task: trainingNC, Model: t.Ref(), Way: devices.CUDA, Notes: []string{"simulated data, without validation"}}
	var negatives []int32
	if t.Task == protocol.LinkPrediction {
		found.Task = trainingLP
		negatives = randomNodes(rand.New(rand.NewPCG(1, 2)), parts.Train.Len(), parts.Whole.NumNodes)
	}
	timed := timedEpochs
	if m.tiny {
		timed = 1
	}
	for range 1 + timed {
		model.Reset()
		start := time.Now()
		if err := trainEpoch(model, parts.Train, negatives, t.Protocol.Batch); err != nil {
			return err
		}
		model.Snapshot(models.Parameters)
		found.Seconds = append(found.Seconds, time.Since(start).Seconds())
	}
	found.Seconds = found.Seconds[1:]
	return m.times.Encode(found)
}

// trainEpoch makes one step a batch.
func trainEpoch(model models.Model, train datasets.Stream, negatives []int32, batch int) error {
	for b := range train.Batches(batch) {
		var of []int32
		if negatives != nil {
			of, negatives = negatives[:b.Len()], negatives[b.Len():]
		}
		if _, err := model.Train(b, of); err != nil {
			return err
		}
	}
	return nil
}
