package dgs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/ram"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/nn"
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
	"decay":     func(o *Options) { o.Optimiser.WeightDecay = .1 },
	"adam":      func(o *Options) { o.Optimiser = Optimiser{Method: Adam, LR: 1e-3} },
	"layers":    func(o *Options) { o.Head.Hidden = []int{20, 10} },
	"layer":     func(o *Options) { o.Head.Norm = nn.WithLayer },
	"batch":     func(o *Options) { o.Head.Norm = nn.WithBatch },
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
	kind, err := models.Lookup(kindName)
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
		kind.Tasks = []models.Task{models.NodeClassification}
		modeltest.Check(t, kind, o)
	})
}

func TestOptionsAreWired(t *testing.T) {
	kind := kindOf(t)
	for name := range changes {
		k := kind
		if name == "pos" { // there are no labels in link prediction
			k.Tasks = []models.Task{models.NodeClassification}
		}
		t.Run(name, func(t *testing.T) { modeltest.Differ(t, k, Defaults(), changed(name)) })
	}
	truncated := Defaults()
	truncated.Gradient = Truncated
	kind.Tasks = []models.Task{models.NodeClassification}
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
		"optimiser.method":       func(o *Options) { o.Optimiser.Method = "rmsprop" },
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
		m, err := New(models.Setup{Task: models.NodeClassification, NumNodes: 3, NumFeat: f, MaxBatch: 2, Threads: 1}, o)
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
	_, err := New(models.Setup{Task: models.LinkPrediction, NumNodes: 3, NumFeat: 2, MaxBatch: 2, Threads: 1}, o)
	if err == nil || !strings.Contains(err.Error(), "gradient: forward") {
		t.Errorf("%v, expected what to use instead", err)
	}
}

// TestMemoryIsRefused: four million nodes of 172 features need terabytes.
func TestMemoryIsRefused(t *testing.T) {
	const nodes = 4_000_000
	s := datasets.Stream{NumNodes: nodes, NumFeat: 172}
	for n := range int32(nodes / 2) {
		s.Src, s.Dst = append(s.Src, 2*n), append(s.Dst, 2*n+1)
	}
	o := Defaults()
	o.Size, o.Blocks = 250, 50
	setup := models.Setup{Task: models.LinkPrediction, NumNodes: nodes, NumFeat: 172, MaxBatch: 200, Train: s, Threads: 1}
	// A node has 250 x 4 x 172 derivatives by W, and a state, two more
	// derivatives of it, and a hundred numbers of the head; a write has 1,000
	// lanes, and a mask of 250 for each of five rows.
	const dense, drive = nodes * 4 * (3*250 + 100), 4 * 400 * (1000 + 5*250)
	if got, want := Bytes(o, setup), int64(nodes)*4*250*4*172+dense+drive; got != want {
		t.Errorf("%d bytes, expected %d", got, want)
	}
	if _, known := ram.Available(); !known {
		t.Skip("this system does not say how much memory it has")
	}
	for _, o.Jacobian = range []Precision{Float32, BFloat16} {
		_, err := trainOnce(t, setup, o)
		if err == nil || !strings.Contains(err.Error(), "derivatives of 4000000 nodes") || !strings.Contains(err.Error(), "bfloat16") {
			t.Errorf("%v, expected the numbers and what to change", err)
		}
	}
	o.Jacobian = BFloat16
	if got, want := Bytes(o, setup), int64(nodes)*2*250*4*172+dense+drive; got != want {
		t.Errorf("bfloat16: %d bytes, expected %d", got, want)
	}
	o.Gradient = Truncated
	if got, want := Bytes(o, setup), int64(nodes)*4*(250+100); got != want {
		t.Errorf("truncated: %d bytes, expected %d", got, want)
	}
}

// TestBytesHold: a model of few trained nodes among many takes about what
// Bytes says.
func TestBytesHold(t *testing.T) {
	const nodes = 300_000
	stream := modeltest.Random(5, 400)
	stream.NumNodes = nodes
	setup := models.Setup{Task: models.NodeClassification, NumNodes: nodes, NumFeat: stream.NumFeat, MaxBatch: 200, Threads: 1, Train: stream}
	want := Bytes(Defaults(), setup)
	before := heap()
	m, err := New(setup, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Train(stream.Slice(0, 200), nil); err != nil {
		t.Fatal(err)
	}
	if got := heap() - before; float64(got) < .9*float64(want) || float64(got) > 1.1*float64(want)+16<<20 {
		t.Errorf("%d bytes taken, Bytes says %d", got, want)
	}
	runtime.KeepAlive(m)
}

func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// trainOnce builds the model, which takes nothing, and trains it on a batch.
func trainOnce(t *testing.T, s models.Setup, o *Options) (float64, error) {
	t.Helper()
	nodes := s.NumNodes
	s.NumNodes = 2 // this test does not need the states
	m, err := New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	m.setup.NumNodes = nodes
	b := datasets.Stream{Src: []int32{0}, Dst: []int32{1}, Time: []float64{0}, Label: []int8{1}, Feat: make([]float32, s.NumFeat), NumFeat: s.NumFeat, NumNodes: 2}
	return m.Train(b, []int32{1})
}

// TestLearningRates: the paper's whole range either trains or fails with a
// cause that names what happened.
func TestLearningRates(t *testing.T) {
	stream := modeltest.Random(3, 160)
	for _, embedding := range []Embedding{Softmax, Sum, Sparsemax, Entmax, Buckets} {
		for e := -4; e <= 3; e++ {
			for _, method := range []Method{SGD, Adam} {
				o := Defaults()
				o.Embedding, o.SumFloor, o.Optimiser = embedding, 0, Optimiser{Method: method, LR: math.Pow(10, float64(e))}
				checkRate(t, stream, o)
			}
		}
	}
}

func checkRate(t *testing.T, stream datasets.Stream, o *Options) {
	what := fmt.Sprintf("%s, %s %g", o.Embedding, o.Optimiser.Method, o.Optimiser.LR)
	m, err := New(models.Setup{
		Task: models.NodeClassification, NumNodes: stream.NumNodes, NumFeat: stream.NumFeat, MaxBatch: 10, Threads: 1, Train: stream,
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	for epoch := range 10 {
		m.Reset()
		for lo := 0; lo < stream.Len(); lo += 10 {
			loss, err := m.Train(stream.Slice(lo, lo+10), nil)
			if err != nil {
				t.Logf("%s fails in epoch %d: %v", what, epoch+1, err)
				if !strings.Contains(err.Error(), "events") {
					t.Errorf("%s: %v, expected the events", what, err)
				}
				return
			}
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				t.Fatalf("%s: loss %v without an error", what, loss)
			}
		}
	}
	for _, p := range m.Snapshot(models.Everything).Params {
		for _, v := range p.F32 {
			if !models.Finite(v) {
				t.Fatalf("%s: %s holds %v without an error", what, p.Name, v)
			}
		}
	}
}

// faint is a stream on which the embedding must be learnt through memory. A
// user's unlabelled event shows a bit among noise in fifteen other features; the labelled
// event that follows, in a later batch, has noise alone and that bit as its
// label. So no labelled event's own features say anything about W.
func faint(seed uint64, n int) datasets.Stream {
	const users, items, f = 40, 10, 16
	r := rand.New(rand.NewPCG(seed, 7))
	s := datasets.Stream{NumNodes: users + items, Users: users, NumFeat: f}
	bit := make([]int8, users)
	for k := range n {
		u := k % users
		x := make([]float32, f)
		for c := 1; c < f; c++ {
			x[c] = float32(r.NormFloat64())
		}
		label := datasets.Unlabelled
		if k/users%2 == 0 {
			bit[u] = int8(r.IntN(2))
			x[0] = 2*float32(bit[u]) - 1
		} else {
			label = bit[u]
		}
		s.Src, s.Dst = append(s.Src, int32(u)), append(s.Dst, int32(users+r.IntN(items)))
		s.Time, s.Label, s.Feat = append(s.Time, float64(k)), append(s.Label, label), append(s.Feat, x...)
	}
	return s
}

// faintAUC trains a small model and returns its AUC on the unseen
// second half.
func faintAUC(t *testing.T, o *Options, seed uint64) float64 {
	t.Helper()
	const batch, epochs = 10, 40
	stream := faint(seed, 400*batch)
	train, test := stream.Slice(0, stream.Len()/2), stream.Slice(stream.Len()/2, stream.Len())
	m, err := New(models.Setup{
		Task: models.NodeClassification, NumNodes: stream.NumNodes, NumFeat: stream.NumFeat, MaxBatch: batch, Train: train, Seed: seed, Threads: 1,
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	for range epochs {
		m.Reset()
		for lo := 0; lo < train.Len(); lo += batch {
			if _, err := m.Train(train.Slice(lo, lo+batch), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	m.Reset()
	facts := metrics.Facts{}
	for _, part := range []datasets.Stream{train, test} {
		facts = metrics.Facts{Score: make([]float32, part.Len()), Label: part.Label}
		for lo := 0; lo < part.Len(); lo += batch {
			if err := m.Classify(part.Slice(lo, lo+batch), facts.Score[lo:]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, metric := range metrics.Of(string(models.NodeClassification)) {
		if metric.Name == "auc" {
			value, err := metric.Value(facts)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Fatal("no metric auc")
	return 0
}

// TestMemoryBeyondTheBatch: DGS learns what DGS-bp cannot.
func TestMemoryBeyondTheBatch(t *testing.T) {
	for seed := range uint64(3) {
		o := Defaults()
		o.Size, o.Blocks, o.Temperature = 8, 4, 1
		forward := faintAUC(t, o, seed)
		o.Gradient = Truncated
		truncated := faintAUC(t, o, seed)
		t.Logf("seed %d: DGS %.3f, DGS-bp %.3f", seed, forward, truncated)
		if forward < .8 || truncated > .6 {
			t.Errorf("seed %d: AUC of DGS %.3f and of DGS-bp %.3f, expected above .8 and below .6", seed, forward, truncated)
		}
	}
}

// TestLargeBatch: link prediction reads four states an event.
func TestLargeBatch(t *testing.T) {
	stream := modeltest.Random(5, 400)
	m, err := New(models.Setup{
		Task: models.LinkPrediction, NumNodes: stream.NumNodes, NumFeat: stream.NumFeat, MaxBatch: stream.Len(), Threads: 1, Train: stream,
	}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Train(stream, stream.Dst); err != nil {
		t.Fatal(err)
	}
}
