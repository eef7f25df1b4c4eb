package harness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/ram"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// still is a model that allocates nothing.
type still struct{ broken }

func (still) Classify(s datasets.Stream, scores []float32) error {
	for k := range scores {
		scores[k] = float32(s.EventID(k) % 7)
	}
	return nil
}

func (still) Rank(datasets.Stream, models.Candidates, models.Counts) error { return nil }

func (still) Snapshot(models.Part) models.Snapshot { return models.Snapshot{} }

func (still) Restore(models.Snapshot) error { return nil }

func init() {
	models.Register(models.Kind{
		Name: "still", Tasks: []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return &noOptions{} },
		New:     func(models.Setup, models.Options) (models.Model, error) { return still{}, nil },
	})
}

// TestEvaluationBytesAreAllocated: what is said before is about what
// evaluating a trial and writing its record takes of the heap, garbage
// included, under every protocol.
func TestEvaluationBytesAreAllocated(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const events, nodes = 400_000, 5_000
	rng := rand.New(rand.NewPCG(1, 1))
	s := datasets.Stream{Src: make([]int32, events), Dst: make([]int32, events), Time: make([]float64, events), Label: make([]int8, events), NumNodes: nodes}
	for k := range events {
		s.Src[k], s.Dst[k], s.Time[k], s.Label[k] = rng.Int32N(nodes), rng.Int32N(nodes), float64(k/3), int8(k%2)
	}
	l := &datasets.Loaded{Stream: s, Split: datasets.ByRow(.2, .6).Split(s), Dataset: datasets.Dataset{Name: "large", HeldOut: datasets.SampleHeldOut(1)}}
	both := []protocol.CandidateSet{protocol.AllNodes, protocol.Destinations}
	for _, c := range []struct {
		task    protocol.Task
		setting protocol.Setting
		change  func(*specs.Protocol)
	}{
		{protocol.NodeClassification, protocol.Transductive, func(*specs.Protocol) {}},
		{protocol.LinkPrediction, protocol.Transductive, func(p *specs.Protocol) { p.Candidates = both[:1] }},
		{protocol.LinkPrediction, protocol.Transductive, func(p *specs.Protocol) { p.Candidates = both }},
		{protocol.LinkPrediction, protocol.Inductive, func(p *specs.Protocol) { p.Candidates = both[1:] }},
		{protocol.LinkPrediction, protocol.Transductive, func(p *specs.Protocol) { p.TestState = []specs.StateRule{specs.Carry, specs.Replay} }},
		{protocol.LinkPrediction, protocol.Transductive, func(p *specs.Protocol) { p.EvaluationBatch = []int{1_000, 3_000, 5_000} }},
		{protocol.LinkPrediction, protocol.Transductive, func(p *specs.Protocol) { p.Candidates, p.Filter = both[:1], specs.FilterSameSrcT }},
	} {
		parts, err := l.Parts(datasets.Cut{Setting: c.setting})
		if err != nil {
			t.Fatal(err)
		}
		kind := kindOf("still")
		kind.Class = protocol.ZeroParameter
		spec := specs.Trial{Suite: "s", Dataset: "large", ModelID: "still", Task: c.task, Kind: kind, Options: &noOptions{}, Protocol: specs.DefaultProtocol()}
		if c.task == protocol.LinkPrediction {
			spec.Setting = c.setting
		}
		c.change(&spec.Protocol)
		spec.Protocol.Batch = 2_000 // whose own lists are not counted
		said := evaluationBytes(spec, parts)
		store := record.Store{Dir: t.TempDir()}
		j := job{trial: spec, parts: parts, record: Describe(spec, l, devices.Target{})}
		runtime.GC() // twice empties the pools: every case makes its own packers
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rec, observed, _, err := measure(context.Background(), j, devices.Target{}, func() {})
		if err != nil || rec.Failed() {
			t.Fatal(err, rec.Error)
		}
		if _, err := store.Write(rec, observed); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		took := int64(after.TotalAlloc - before.TotalAlloc)
		if share := float64(took) / float64(said); share < .4 || share > 3 { // the race detector empties pools at random
			t.Errorf("%s %s %+v: %d bytes allocated, %.2f of the %d said before", c.task, c.setting, spec.Protocol, took, share, said)
		} else {
			t.Logf("%s %s: %.2f", c.task, c.setting, share)
		}
	}
}

// TestCopiesAreCounted: the best epoch is kept, and a checkpoint is made, as
// copies of the model without derivatives, in the machine's memory. What is
// planned is what is counted.
func TestCopiesAreCounted(t *testing.T) {
	trial := toySuite(t)[0]
	parts := partsOf(t, trial)
	trial.Kind.Class = protocol.Learned
	best := trial
	best.Kind.Bytes = func(s models.Setup, _ models.Options) int64 {
		if s.Inference {
			return 1000
		}
		return 50_000
	}
	last := best
	best.Protocol.Select, last.Protocol.Select = specs.SelectBest, specs.SelectLast
	for _, c := range []struct {
		trial      specs.Trial
		checkpoint bool
		want       int64
	}{{last, false, 50_000}, {last, true, 51_000}, {best, false, 51_000}, {best, true, 52_000}} {
		if got := trialBytes(c.trial, parts, devices.Target{}, c.checkpoint) - evaluationBytes(c.trial, parts); got != c.want {
			t.Errorf("select: %s, checkpoint %t: %d bytes, expected %d", c.trial.Protocol.Select, c.checkpoint, got, c.want)
		}
	}
	for _, checkpoint := range []bool{false, true} {
		r := &Estimate{Trial: trial, Parts: parts, Checkpoint: checkpoint}
		if err := EstimateAll(t.Context(), []*Estimate{r}, 1, time.Millisecond, 1<<40, func() {}); err != nil || r.Err != nil {
			t.Fatal(err, r.Err)
		}
		if want := trialBytes(trial, parts, devices.Target{}, checkpoint); r.Bytes != want {
			t.Errorf("%d bytes planned, %d counted for a run", r.Bytes, want)
		}
	}
}

// TestEvaluationIsRefused: a trial whose model is small and whose evaluation
// does not fit is refused before anything is measured.
func TestEvaluationIsRefused(t *testing.T) {
	spec := specs.Trial{Task: protocol.NodeClassification, Kind: kindOf("still"), Dataset: "large", ModelID: "still", Protocol: specs.DefaultProtocol()}
	parts := datasets.Parts{Test: datasets.Stream{Src: make([]int32, 1_000_000)}}
	need := trialBytes(spec, parts, devices.Target{}, false)
	if need < 10_000_000 {
		t.Fatalf("%d bytes for a million events", need)
	}
	err := newLimit("this machine", need-1).check(job{trial: spec, bytes: need})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("still on large: needs %.1f GB", float64(need)/1e9)) {
		t.Error(err)
	}
}

// TestDatasetsTogether: streams that fit one by one and not together are
// refused before any is read.
func TestDatasetsTogether(t *testing.T) {
	free, known := ram.Available()
	if !known {
		t.Skip("this system does not say how much memory it has")
	}
	d := datasets.Dataset{
		Split: datasets.ByRow(.6, .8), HeldOut: datasets.SampleHeldOut(1), Want: datasets.Counts{Events: int(free / 17 * 6 / 10)},
		Open: func(string) (datasets.Stream, string, error) { panic("opened") },
	}
	var trials []specs.Trial
	for _, d.Name = range []string{"one-half", "other-half"} {
		datasets.Register(d)
		trials = append(trials, specs.Trial{Dataset: d.Name})
	}
	if _, err := loadAll(trials, ""); err == nil || !strings.HasPrefix(err.Error(), "the 2 datasets together: needs ") || !strings.Contains(err.Error(), "--datasets") {
		t.Error(err)
	}
}

// TestFittedOnce: what a model takes of the training part is computed once for
// all seeds, and for each choice of options.
func TestFittedOnce(t *testing.T) {
	trials := suiteTrials(t, "name: fitted\ntitle: fitted\nseeds: 3\nruns: [{task: nc, datasets: [toy], models: [graph-sprints]}]\n")
	others := suiteTrials(t, "name: others\ntitle: others\nruns: [{task: nc, datasets: [toy], models: [graph-sprints], options: {graph-sprints: {buckets: 3}}}]\n")
	parts, fits := partsOf(t, trials[0]), 0
	for _, trial := range append(trials, others[0]) {
		trial.Kind.Fit = func(s models.Setup, o models.Options) models.Fitted {
			fits++
			return models.Fitted{{float64(s.Train.Len())}}
		}
		setup := TrialBlueprint(trial, parts, devices.Target{}, 1).Setup
		if want := float64(parts.Train.Len()); len(setup.Fitted) != 1 || setup.Fitted[0][0] != want || setup.Seed != trial.Seed {
			t.Errorf("seed %d: %v, expected %v", trial.Seed, setup.Fitted, want)
		}
	}
	if fits != 2 {
		t.Errorf("%d fits of three seeds and another choice of options, expected 2", fits)
	}
}
