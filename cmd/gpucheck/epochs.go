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
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// trainingSuite is in the folder where this program is started.
const trainingSuite = "training.yaml"

// measureEpochs times training on the card, without the validation that the
// records of a suite include. A model that fails does not keep the others from
// being timed.
func measureEpochs(m *measuring) error {
	lib, err := specs.NewLibrary("")
	if err != nil {
		return err
	}
	entry, err := lib.AddFile(trainingSuite)
	if err != nil {
		return err
	}
	suite, err := lib.LoadSuite(entry.Name)
	if err != nil {
		return err
	}
	trials, err := suite.Trials(specs.Filter{})
	var all error
	cutters := map[string]*harness.Cutter{}
	for _, t := range trials {
		if err := m.epochsOf(t, cutters); err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", t.Ref(), err))
		}
		runtime.GC() // gives the model's memory on the card back
	}
	return errors.Join(err, all)
}

// epochsOf times those of one model.
func (m *measuring) epochsOf(t specs.Trial, cutters map[string]*harness.Cutter) (err error) {
	defer kernels.CatchFailure(&err)
	if cutters[t.Dataset] == nil {
		d, err := datasets.Lookup(t.Dataset)
		if err != nil {
			return err
		}
		loaded, err := d.Load("")
		if err != nil {
			return err
		}
		cutters[t.Dataset] = harness.NewCutter(loaded)
	}
	parts, err := cutters[t.Dataset].Parts(t)
	if err != nil {
		return err
	}
	timed := timedEpochs
	if m.tiny {
		timed = 1
	}
	seconds, err := trainEpochs(t, parts, m.card, timed)
	if err != nil {
		return err
	}
	return m.emit(Time{Task: epochTask(t.Task), Model: t.Ref(), Way: devices.CUDA, Seconds: seconds, Notes: []string{"simulated data, without validation"}})
}

// epochTask names epochs for a task of models.
func epochTask(t protocol.Task) string {
	if t == protocol.LinkPrediction {
		return trainingLP
	}
	return trainingNC
}

// timedEpochs follow one that warms up.
const timedEpochs = 3

// trainEpochs gives the seconds of the timed epochs. The clock stops when the
// parameters of after the last step have been read.
func trainEpochs(t specs.Trial, parts datasets.Parts, on devices.Target, timed int) ([]float64, error) {
	kind, err := models.Lookup(t.Kind)
	if err != nil {
		return nil, err
	}
	whole := parts.Whole
	model, err := kind.New(models.Setup{
		Task: t.Task, NumNodes: whole.NumNodes, Users: whole.Users, NumFeat: whole.NumFeat,
		MaxBatch: t.Protocol.Batch, Train: parts.Train, Seed: t.Seed, Threads: runtime.NumCPU(), Device: on.New,
	}, t.Options)
	if err != nil {
		return nil, err
	}
	var negatives []int32
	if t.Task == protocol.LinkPrediction {
		negatives = drawNegatives(parts.Train.Len(), whole.NumNodes)
	}
	var seconds []float64
	for range 1 + timed {
		model.Reset()
		start := time.Now()
		if err := epoch(model, parts.Train, negatives, t.Protocol.Batch); err != nil {
			return nil, err
		}
		model.Snapshot(models.Parameters)
		seconds = append(seconds, time.Since(start).Seconds())
	}
	return seconds[1:], nil
}

// epoch makes one step a batch.
func epoch(model models.Model, train datasets.Stream, negatives []int32, batch int) error {
	for lo := 0; lo < train.Len(); lo += batch {
		hi := min(lo+batch, train.Len())
		var some []int32
		if negatives != nil {
			some = negatives[lo:hi]
		}
		if _, err := model.Train(train.Slice(lo, hi), some); err != nil {
			return err
		}
	}
	return nil
}

// drawNegatives draws one node for each event, before the clock starts.
func drawNegatives(events, nodes int) []int32 {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]int32, events)
	for i := range all {
		all[i] = int32(rng.IntN(nodes))
	}
	return all
}
