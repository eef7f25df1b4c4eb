package tgn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/modeltest"
	"dgsbench/nn"
	"dgsbench/protocol"
)

func kind(t *testing.T) models.Kind {
	t.Helper()
	k, err := models.Lookup("tgn")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// with changes the defaults.
func with(change func(o *Options)) *Options {
	o := Defaults()
	change(o)
	return o
}

// variants are option sets that take other ways through the code.
var variants = map[string]*Options{
	"identity":     with(func(o *Options) { o.Embedding = Identity }),
	"cell rnn":     with(func(o *Options) { o.Memory.Cell = memory.RNN }),
	"two layers":   with(func(o *Options) { o.Attention.Layers = 2 }),
	"three layers": with(func(o *Options) { o.Attention.Layers = 3 }),
	"no dropout":   with(func(o *Options) { o.Attention.Dropout = 0 }),
	"size":         with(func(o *Options) { o.Attention.Size = 32 }),
	"heads":        with(func(o *Options) { o.Attention.Heads = 4 }),
	"neighbours":   with(func(o *Options) { o.Attention.Neighbours = 2 }),
	"memory size":  with(func(o *Options) { o.Memory.Size = 20 }),
	"time size":    with(func(o *Options) { o.Memory.Time = 10 }),
	"lr":           with(func(o *Options) { o.Optimiser.LR = 1e-2 }),
	"weight decay": with(func(o *Options) { o.Optimiser.WeightDecay = 1e-1 }),
}

// classVariants matter for node classification alone.
var classVariants = map[string]*Options{
	"pyg_last":       with(func(o *Options) { o.NCMemory = memory.PyGLast }),
	"hidden":         with(func(o *Options) { o.Head.Hidden = []int{20, 10} }),
	"norm":           with(func(o *Options) { o.Head.Norm = nn.WithLayer }),
	"head's dropout": with(func(o *Options) { o.Head.Dropout = .3 }),
	"pos_weight":     with(func(o *Options) { o.Head.PosWeight = 5 }),
}

func TestVariantsConform(t *testing.T) {
	for _, name := range []string{"identity", "cell rnn", "two layers", "three layers"} {
		t.Run(name, func(t *testing.T) { modeltest.Check(t, kind(t), variants[name]) })
	}
	for _, change := range []func(o *Options){
		func(*Options) {},
		func(o *Options) { o.Embedding = Identity },
		func(o *Options) { o.Attention.Layers = 2 },
	} {
		o := *classVariants["pyg_last"]
		o.Memory.Size, o.Memory.Time, o.Attention.Size = 16, 8, 8
		change(&o)
		t.Run(fmt.Sprintf("pyg_last, %s, %d layers", o.Embedding, o.Attention.Layers), func(t *testing.T) {
			modeltest.Check(t, only(t, protocol.NodeClassification), &o)
		})
	}
}

// only is the kind with one task.
func only(t *testing.T, task protocol.Task) models.Kind {
	k := kind(t)
	k.Tasks = []protocol.Task{task}
	return k
}

func TestOptionsAreWired(t *testing.T) {
	for name, o := range variants {
		t.Run(name, func(t *testing.T) { modeltest.Differ(t, kind(t), Defaults(), o) })
	}
	for name, o := range classVariants {
		t.Run(name, func(t *testing.T) { modeltest.Differ(t, kind(t), Defaults(), o, protocol.NodeClassification) })
	}
}

func TestValidateNamesTheValue(t *testing.T) {
	for want, spoil := range map[string]func(o *Options){
		`embedding is "mean"`:                        func(o *Options) { o.Embedding = "mean" },
		"memory.size is 0":                           func(o *Options) { o.Memory.Size = 0 },
		"memory.time is -1":                          func(o *Options) { o.Memory.Time = -1 },
		`memory.cell is "lstm", expected gru or rnn`: func(o *Options) { o.Memory.Cell = "lstm" },
		"attention.heads is 0":                       func(o *Options) { o.Attention.Heads = 0 },
		"attention.size is 99":                       func(o *Options) { o.Attention.Size = 99 },
		"attention.layers is 4":                      func(o *Options) { o.Attention.Layers = 4 },
		"attention.neighbours is 0":                  func(o *Options) { o.Attention.Neighbours = 0 },
		"attention.dropout is 1":                     func(o *Options) { o.Attention.Dropout = 1 },
		"optimiser.lr is 0":                          func(o *Options) { o.Optimiser.LR = 0 },
		`nc_memory is "last"`:                        func(o *Options) { o.NCMemory = "last" },
		"head.dropout is 1":                          func(o *Options) { o.Head.Dropout = 1 },
		"optimiser.weight_decay is -1,":              func(o *Options) { o.Optimiser.WeightDecay = -1 },
	} {
		err := with(spoil).Validate()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %q in it", err, want)
		}
	}
}

// stream is bipartite, with as many features as asked for.
func stream(features int) datasets.Stream {
	s := datasets.Stream{NumNodes: 6, Users: 3, NumFeat: features}
	for k := range 30 {
		s.Src, s.Dst = append(s.Src, int32(k%3)), append(s.Dst, int32(3+k/2%3))
		s.Time, s.Label = append(s.Time, float64(10*k)), append(s.Label, 0)
		for c := range features {
			s.Feat = append(s.Feat, float32((k+c)%5)/4)
		}
	}
	return s
}

func newModel(t *testing.T, o *Options, s datasets.Stream) models.Model {
	t.Helper()
	m, err := memory.Build(models.Setup{
		Task: protocol.LinkPrediction, NumNodes: s.NumNodes, Users: s.Users, NumFeat: s.NumFeat, MaxBatch: 10, Train: s, Seed: 1, Threads: 1,
	}, o.Config())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestParameterCounts are those of PyTorch Geometric's example.
func TestParameterCounts(t *testing.T) {
	for features, want := range map[int]int{172: 260_301, 4: 193_101} {
		if got := newModel(t, Defaults(), stream(features)).NumParams(); got != want {
			t.Errorf("%d parameters with %d features, expected %d", got, features, want)
		}
	}
}

// TestNeighbourMatters: a memory changes the scores of the node's neighbours
// and of nobody else but the node.
func TestNeighbourMatters(t *testing.T) {
	s := stream(2)
	s.Dst = slices.Clone(s.Dst)
	for k := range s.Dst {
		s.Dst[k] = 3 + s.Src[k] // three pairs
	}
	m := newModel(t, Defaults(), s)
	if err := m.Observe(s.Slice(0, 10)); err != nil {
		t.Fatal(err)
	}
	score := func() []float32 {
		out := make([]float32, 6)
		if err := m.Score(s.Slice(0, 1), []int32{0, 1, 2, 3, 4, 5}, out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := score()
	all := m.Snapshot(models.Everything)
	for i, x := range all.State {
		if x.Name == "memory" {
			all.State[i].F32[5*100]++ // the partner of node 2
		}
	}
	if err := m.Restore(all); err != nil {
		t.Fatal(err)
	}
	for v, got := range score() {
		if changed := got != before[v]; changed != (v == 2 || v == 5) {
			t.Errorf("node %d: score %v, before %v", v, got, before[v])
		}
	}
}
