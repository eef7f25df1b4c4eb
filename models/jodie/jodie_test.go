package jodie

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

func TestVariants(t *testing.T) {
	kind, err := models.Lookup("jodie")
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(o *Options)) *Options {
		o := Defaults()
		change(o)
		return o
	}
	links, classes := protocol.LinkPrediction, protocol.NodeClassification
	for name, v := range map[string]struct {
		options *Options
		tasks   []protocol.Task
	}{
		"rnn":      {with(func(o *Options) { o.Memory.Cell = memory.RNN }), []protocol.Task{links, classes}},
		"pyg_last": {with(func(o *Options) { o.NCMemory = memory.PyGLast }), []protocol.Task{classes}},
	} {
		t.Run(name, func(t *testing.T) {
			modeltest.Differ(t, kind, Defaults(), v.options, v.tasks...)
			k := kind
			k.Tasks = v.tasks
			modeltest.Check(t, k, v.options)
		})
	}
}

func TestValidateNamesTheValue(t *testing.T) {
	for want, spoil := range map[string]func(o *Options){
		"memory.size is 0":  func(o *Options) { o.Memory.Size = 0 },
		"optimiser.lr is 0": func(o *Options) { o.Optimiser.LR = 0 },
	} {
		o := Defaults()
		spoil(o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %q in it", err, want)
		}
	}
}

// TestIntervals: first events have none, sides are apart.
func TestIntervals(t *testing.T) {
	s := datasets.Stream{
		Src: []int32{0, 1, 0, 0, 1}, Dst: []int32{2, 2, 2, 3, 3}, Time: []float64{5, 6, 7, 11, 16}, Label: make([]int8, 5), NumNodes: 4,
	}
	got := intervals(s)
	// sources: 2, 4 and 10; destinations: 1, 1 and 5.
	want := [2]interval{{16. / 3, math.Sqrt((4+16+100)/3. - 256./9)}, {7. / 3, math.Sqrt((1+1+25)/3. - 49./9)}}
	for side := range want {
		if math.Abs(got[side].mean-want[side].mean) > 1e-12 || math.Abs(got[side].deviation-want[side].deviation) > 1e-12 {
			t.Errorf("side %d: %v, expected %v", side, got[side], want[side])
		}
	}
	if got := intervals(s.Slice(0, 1)); got != [2]interval{{0, 1}, {0, 1}} {
		t.Errorf("one event: %v, expected no scaling", got)
	}
}

// TestIntervalsAreOfTheWholeTrainingPart: its first and its last event count.
func TestIntervalsAreOfTheWholeTrainingPart(t *testing.T) {
	train := modeltest.Random(4, 60)
	scores := func(train datasets.Stream) []float32 {
		m, err := memory.Build(models.Setup{
			Task: protocol.LinkPrediction, NumNodes: train.NumNodes, Users: train.Users, NumFeat: train.NumFeat, MaxBatch: 20, Train: train, Seed: 1, Threads: 1,
		}, Defaults().Config())
		if err != nil {
			t.Fatal(err)
		}
		b, out := modeltest.Random(5, 20), make([]float32, 20*train.NumNodes)
		if err := m.Observe(b); err != nil {
			t.Fatal(err)
		}
		all := make([]int32, train.NumNodes)
		for n := range all {
			all[n] = int32(n)
		}
		if err := m.Score(b, all, out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := scores(train)
	for event, seconds := range map[int]float64{0: -1, train.Len() - 1: 1} {
		moved := train
		moved.Time = slices.Clone(train.Time)
		moved.Time[event] += seconds
		if slices.Equal(scores(moved), want) {
			t.Errorf("the time of event %d does not count", event)
		}
	}
}
