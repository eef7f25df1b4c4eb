package dgs

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// changes are options that differ from the defaults, by name.
var changes = map[string]func(*Options){
	"size":      func(o *Options) { o.Size = 50; o.Blocks = 25 },
	"blocks":    func(o *Options) { o.Blocks = 20 },
	"sum":       func(o *Options) { o.Embedding = Sum },
	"sparsemax": func(o *Options) { o.Embedding = Sparsemax },
	"entmax":    func(o *Options) { o.Embedding = Entmax },
	"DGS-s":     func(o *Options) { o.Embedding, o.Factors = Buckets, Scalar },
	"DGS-v":     func(o *Options) { o.Embedding = Buckets },
	"buckets":   func(o *Options) { o.Embedding, o.Buckets = Buckets, 4 },
	"input v":   func(o *Options) { o.Embedding, o.Factors = Buckets, Input },
	"scalar":    func(o *Options) { o.Factors = Scalar },
	"input":     func(o *Options) { o.Factors = Input },
	"clamp":     func(o *Options) { o.Range = Clamp },
	"temp":      func(o *Options) { o.Temperature = 5 },
	"bfloat16":  func(o *Options) { o.Jacobian = BFloat16 },
	"eta":       func(o *Options) { o.Optimiser.LR = 3 },
	"momentum":  func(o *Options) { o.Optimiser.Momentum = .9 },
	"decay":     func(o *Options) { o.Optimiser.WeightDecay = .01 }, // of eta 30: .1 would diverge
	"adam":      func(o *Options) { o.Optimiser = Optimiser{Method: Adam, LR: 1e-3} },
	"none":      func(o *Options) { o.Gradient = None },
	"none, v":   func(o *Options) { o.Gradient, o.Embedding = None, Buckets },
	"layers":    func(o *Options) { o.Head.Hidden = []int{20, 10} },
	"layer":     func(o *Options) { o.Head.Norm = nn.WithLayer },
	"dropout":   func(o *Options) { o.Head.Dropout = .3 },
	"pos":       func(o *Options) { o.Head.PosWeight = 3 },
}

func changed(name string) *Options {
	o := Defaults()
	o.Head.Hidden = slices.Clone(o.Head.Hidden)
	changes[name](o)
	return o
}

func kindOf(t *testing.T) models.Kind {
	kind, err := models.Lookup("dgs")
	if err != nil {
		t.Fatal(err)
	}
	return kind
}

func TestConformance(t *testing.T) {
	for name := range changes {
		t.Run(name, func(t *testing.T) { modeltest.Check(t, kindOf(t), changed(name)) })
	}
	t.Run("DGS-bp", func(t *testing.T) {
		o := Defaults()
		o.Gradient = Truncated
		kind := kindOf(t)
		kind.Tasks = []protocol.Task{protocol.NodeClassification}
		modeltest.Check(t, kind, o)
	})
}

func TestOptionsAreWired(t *testing.T) {
	kind := kindOf(t)
	for name := range changes {
		k := kind
		if name == "pos" { // there are no labels in link prediction
			k.Tasks = []protocol.Task{protocol.NodeClassification}
		}
		t.Run(name, func(t *testing.T) { modeltest.Differ(t, k, Defaults(), changed(name)) })
	}
	truncated := Defaults()
	truncated.Gradient = Truncated
	kind.Tasks = []protocol.Task{protocol.NodeClassification}
	modeltest.Differ(t, kind, Defaults(), truncated)
	floor, none := changed("sum"), changed("sum")
	floor.SumFloor, none.SumFloor = 1, 0
	modeltest.Differ(t, kind, floor, none)
}

func TestValidate(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Options){
		"size":                   func(o *Options) { o.Size = 1 },
		"blocks":                 func(o *Options) { o.Blocks = 33 },
		"blocks is 100":          func(o *Options) { o.Blocks = 100 },
		"embedding":              func(o *Options) { o.Embedding = "soft" },
		"temperature":            func(o *Options) { o.Temperature = 0 },
		"sum_floor":              func(o *Options) { o.SumFloor = -1 },
		"buckets":                func(o *Options) { o.Buckets = 1 },
		"factors":                func(o *Options) { o.Factors = "" },
		"range is \"clamp\"":     func(o *Options) { o.Factors, o.Range = Input, Clamp },
		"gradient":               func(o *Options) { o.Gradient = "exact" },
		"jacobian":               func(o *Options) { o.Jacobian = "half" },
		"optimiser.method":       func(o *Options) { o.Optimiser.Method = "adagrad" },
		"optimiser.lr":           func(o *Options) { o.Optimiser.LR = math.NaN() },
		"optimiser.momentum":     func(o *Options) { o.Optimiser = Optimiser{Adam, .1, .9, 0} },
		"optimiser.weight_decay": func(o *Options) { o.Optimiser.WeightDecay = 2 },
		"dropout":                func(o *Options) { o.Head.Dropout = 1 },
	} {
		o := Defaults()
		change(o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestParameterCounts: those that the paper's table has for the recurrent
// part, with the features of Wikipedia and Reddit, and of MOOC.
func TestParameterCounts(t *testing.T) {
	for f, want := range map[int]int{172: 43_500, 7: 2_250} {
		o := Defaults()
		o.Size, o.Head.Hidden = 250, []int{9}
		m, err := New(models.Setup{Task: protocol.NodeClassification, NumNodes: 3, NumFeat: f, MaxBatch: 2, Threads: 1}, o)
		if err != nil {
			t.Fatal(err)
		}
		head := 250*9 + 9 + 9 + 1
		if got := m.NumParams() - head; got != want {
			t.Errorf("%d parameters for %d features, expected %d", got, f, want)
		}
	}
}

func TestTruncatedRefusesLinks(t *testing.T) {
	o := Defaults()
	o.Gradient = Truncated
	_, err := New(models.Setup{Task: protocol.LinkPrediction, NumNodes: 3, NumFeat: 2, MaxBatch: 2, Threads: 1}, o)
	if err == nil || !strings.Contains(err.Error(), "gradient: forward") {
		t.Errorf("%v, expected what to use instead", err)
	}
}

// TestLargeBatch: link prediction reads four states an event.
func TestLargeBatch(t *testing.T) {
	stream := modeltest.Random(5, 400)
	m, err := New(models.Setup{
		Task: protocol.LinkPrediction, NumNodes: stream.NumNodes, NumFeat: stream.NumFeat, MaxBatch: stream.Len(), Threads: 1, Train: stream,
	}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Train(stream, stream.Dst); err != nil {
		t.Fatal(err)
	}
}
