package memory_test

import (
	"fmt"
	"slices"
	"testing"

	"dgsbench/internal/fixture"
	"dgsbench/kernels"
	"dgsbench/kernels/reference"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/jodie"
	"dgsbench/models/ring"
	"dgsbench/models/tgn"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// ncFixture is testdata/tgn_nc.json: three models that are trained to
// classify the events of one stream.
type ncFixture struct {
	Dims struct {
		N, M, D, Td, F, Hidden, Ring, Heads int
		LR                                  float64
	}
	Sides   sides `json:"jodie_sides"`
	Stream  struct{ Train, Eval []events }
	Attn    ncRun `json:"tgn_attn"`
	ID      ncRun `json:"tgn_id"`
	Jodie   ncRun
	PyGLast ncRun `json:"pyg_last"`
}

type ncRun struct {
	Params map[string]fixture.Array
	Train  []struct {
		Loss, Logits    fixture.Array
		Grad            map[string]fixture.Array
		Edges           [][3]int32
		AfterMemory     fixture.Array `json:"after_memory"`
		AfterLastUpdate fixture.Array `json:"after_last_update"`
	}
	Eval []struct {
		Logits fixture.Array
		Edges  [][3]int32
	}
	FinalParams     map[string]fixture.Array `json:"final_params"`
	FinalMemory     fixture.Array            `json:"final_memory"`
	FinalLastUpdate fixture.Array            `json:"final_last_update"`
}

func TestClassificationMatchesPyTorch(t *testing.T) {
	var f ncFixture
	fixture.Read(t, "tgn_nc.json", &f)
	f.PyGLast.Params = f.ID.Params
	m := memory.Options{Size: f.Dims.M, Time: f.Dims.Td, Cell: memory.GRU}
	adam := memory.Optimiser{LR: f.Dims.LR}
	attention := memory.AttentionOptions{Size: f.Dims.D, Heads: f.Dims.Heads, Layers: 1, Neighbours: f.Dims.Ring}
	how := memory.ClassificationDefaults()
	how.Head = memory.HeadOptions{Hidden: []int{f.Dims.Hidden}, Norm: nn.NoNorm, PosWeight: 1}
	of := func(e tgn.Embedding, n memory.NCMemory) memory.Config {
		c := how
		c.NCMemory = n
		return (&tgn.Options{Embedding: e, Memory: m, Attention: attention, Optimiser: adam, Classification: c}).Config()
	}
	for _, c := range []struct {
		name   string
		run    ncRun
		config memory.Config
	}{
		{"tgn-attn", f.Attn, of(tgn.Attention, memory.PerEvent)},
		{"tgn-id", f.ID, of(tgn.Identity, memory.PerEvent)},
		{"pyg_last", f.PyGLast, of(tgn.Identity, memory.PyGLast)},
		{"jodie", f.Jodie, (&jodie.Options{Memory: m, Optimiser: adam, Classification: how}).Config()},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEveryDevice(t, func(t *testing.T, d kernels.Device) {
				r := &ncReplay{f: &f, run: c.run, device: d}
				r.replay(t, c.config)
			})
		})
	}
}

// ncReplay runs one model through the file.
type ncReplay struct {
	f      *ncFixture
	run    ncRun
	device kernels.Device
	model  *memory.Classifier
	events int
}

func (r *ncReplay) replay(t *testing.T, c memory.Config) {
	largest := 0
	for _, e := range append(slices.Clone(r.f.Stream.Train), r.f.Stream.Eval...) {
		largest = max(largest, len(e.Src))
	}
	users := r.f.Dims.N / 2 // of the intervals; the stream is not bipartite
	r.model = memory.NewClassifierOn(r.device, models.Setup{
		Task: protocol.NodeClassification, NumNodes: r.f.Dims.N, NumFeat: r.f.Dims.F,
		MaxBatch: largest, Train: r.f.Sides.intervals(r.f.Dims.N, users), Seed: 1, Threads: 1,
	}, c)
	setParams(t, r.model, r.run.Params)
	for i, e := range r.f.Stream.Train {
		r.train(t, i, e)
	}
	for name, want := range r.run.FinalParams {
		if name != "conv.lin_key.bias" { // noise: its gradient is zero
			matches(t, want.Transposed(), "final "+name, r.device, r.model.Parameter(name), trained)
		}
	}
	for i, e := range r.f.Stream.Eval {
		r.evaluate(t, i, e)
	}
	if len(r.run.FinalMemory.Values) > 0 {
		r.state(t, "final", r.run.FinalMemory, r.run.FinalLastUpdate)
	}
}

func (r *ncReplay) train(t *testing.T, i int, e events) {
	t.Helper()
	want := r.run.Train[i]
	b := e.stream(r.f.Dims.N, 0, r.events)
	r.events += b.Len()
	loss, err := r.model.Train(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	what := fmt.Sprintf("batch %d ", i)
	within(t, want.Loss, what+"loss", []float64{loss}, 2e-6, 2e-5)
	matches(t, want.Logits, what+"logits", r.device, r.model.Logits(), trained)
	for name, g := range want.Grad {
		got, ok := r.model.Gradients()[name]
		if !ok {
			t.Fatalf("no gradient of %s", name)
		}
		matches(t, g.Transposed(), what+"gradient of "+name, r.device, got, trained)
	}
	if len(want.AfterMemory.Values) > 0 {
		r.state(t, what, want.AfterMemory, want.AfterLastUpdate)
	}
}

// evaluate classifies a batch. These logits are float32 on every device.
func (r *ncReplay) evaluate(t *testing.T, i int, e events) {
	t.Helper()
	b := e.stream(r.f.Dims.N, 0, r.events)
	r.events += b.Len()
	logits, got := make([]float32, b.Len()), []float64(nil)
	if err := r.model.Classify(b, logits); err != nil {
		t.Fatal(err)
	}
	for _, z := range logits {
		got = append(got, float64(z))
	}
	within(t, r.run.Eval[i].Logits, fmt.Sprintf("evaluated batch %d", i), got, 2e-6, 2e-5)
}

func (r *ncReplay) state(t *testing.T, what string, memories, updated fixture.Array) {
	t.Helper()
	matches(t, memories, what+" memory", r.device, r.model.Memories(), trained)
	within(t, updated, what+" last update", r.model.LastUpdates(), 0, 0)
}

// TestNeighboursMatchPyTorch: the edges that the file's model used are those
// that the ring has for the batch's sources, one centre an event.
func TestNeighboursMatchPyTorch(t *testing.T) {
	var f ncFixture
	fixture.Read(t, "tgn_nc.json", &f)
	r, first := ring.New(reference.New(), f.Dims.N, f.Dims.Ring, 0, 0), 0
	check := func(e events, want [][3]int32) {
		t.Helper()
		g, got, numbers := r.Query(e.Src, 1, true), [][3]int32{}, r.Fields()[2].Ints()
		for k := range e.Src {
			for i := g.Offsets[k]; i < g.Offsets[k+1]; i++ {
				got = append(got, [3]int32{int32(first + k), int32(numbers[g.Places[i]]), g.Nodes[g.Index[i]]})
			}
		}
		slices.SortFunc(got, func(a, b [3]int32) int { return slices.Compare(a[:], b[:]) })
		if !slices.Equal(got, want) {
			t.Errorf("events from %d: edges %v, expected %v", first, got, want)
		}
		r.Insert(e.stream(f.Dims.N, 0, first), nil)
		first += len(e.Src)
	}
	for i, e := range f.Stream.Train {
		check(e, f.Attn.Train[i].Edges)
	}
	for i, e := range f.Stream.Eval {
		check(e, f.Attn.Eval[i].Edges)
	}
}
