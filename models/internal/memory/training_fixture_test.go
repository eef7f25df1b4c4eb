package memory_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/fixture"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/jodie"
	"dgsbench/models/tgn"
	"dgsbench/protocol"
)

// trainingFixture is testdata/tgn_training.json: three models that are
// trained on one stream and then evaluated.
type trainingFixture struct {
	Dims struct {
		N, Users, M, D, Td, F, Ring, Heads int
		LR                                 float64
	}
	Sides  sides `json:"jodie_sides"`
	Stream struct{ Train, Eval []events }
	Attn   trainingRun `json:"tgn_attn"`
	ID     trainingRun `json:"tgn_id"`
	Jodie  trainingRun
}

// sides are means and deviations of the intervals of sources and
// destinations.
type sides struct {
	SourceMean      float64 `json:"mu_src"`
	SourceDeviation float64 `json:"sigma_src"`
	TargetMean      float64 `json:"mu_dst"`
	TargetDeviation float64 `json:"sigma_dst"`
}

type trainingRun struct {
	Params      map[string]fixture.Array
	Train, Eval []struct {
		Loss      fixture.Array
		PosLogits fixture.Array `json:"pos_logits"`
		NegLogits fixture.Array `json:"neg_logits"`
		Grad      map[string]fixture.Array
	}
	FinalParams map[string]fixture.Array `json:"final_params"`
	Flush       struct {
		Memory     fixture.Array
		LastUpdate fixture.Array `json:"last_update"`
	}
	FinalMemory     fixture.Array `json:"final_memory"`
	FinalLastUpdate fixture.Array `json:"final_last_update"`
}

func TestTrainingMatchesPyTorch(t *testing.T) {
	var f trainingFixture
	fixture.Read(t, "tgn_training.json", &f)
	m := memory.Options{Size: f.Dims.M, Time: f.Dims.Td, Cell: memory.GRU}
	adam := memory.Optimiser{LR: f.Dims.LR}
	attention := memory.AttentionOptions{Size: f.Dims.D, Heads: f.Dims.Heads, Layers: 1, Neighbours: f.Dims.Ring}
	for _, c := range []struct {
		name   string
		run    trainingRun
		config memory.Config
	}{
		{"tgn-attn", f.Attn, (&tgn.Options{Embedding: tgn.Attention, Memory: m, Attention: attention, Optimiser: adam}).Config()},
		{"tgn-id", f.ID, (&tgn.Options{Embedding: tgn.Identity, Memory: m, Attention: attention, Optimiser: adam}).Config()},
		{"jodie", f.Jodie, (&jodie.Options{Memory: m, Optimiser: adam}).Config()},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEveryDevice(t, func(t *testing.T, d kernels.Device) {
				r := &fixtureReplay{f: &f, run: c.run, device: d}
				r.replay(t, c.config)
			})
		})
	}
}

// intervals is a stream whose nodes come back after intervals of the file's
// means and deviations.
func (s sides) intervals(nodes, users int) datasets.Stream {
	u := int32(users)
	type event struct {
		src, dst int32
		time     float64
	}
	var list []event
	for i, t := range times(s.SourceMean, s.SourceDeviation) {
		list = append(list, event{0, u + int32(i), t})
	}
	last := u + int32(len(list))
	for i, t := range times(s.TargetMean, s.TargetDeviation) {
		list = append(list, event{int32(1 + i), last, t})
	}
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Compare(a.time, b.time) })
	out := datasets.Stream{NumNodes: nodes, Users: users}
	for _, e := range list {
		out.Src, out.Dst, out.Time = append(out.Src, e.src), append(out.Dst, e.dst), append(out.Time, e.time)
	}
	return out
}

// times have intervals of the given mean and deviation, none of them
// negative: all but one are equal.
func times(mean, deviation float64) []float64 {
	n := 1 + math.Ceil(deviation*deviation/(mean*mean))
	out := []float64{0}
	for range int(n) - 1 {
		out = append(out, out[len(out)-1]+mean-deviation/math.Sqrt(n-1))
	}
	return append(out, n*mean)
}

// trained is the tolerance on the reference device: the scalars of an Adam
// step and the weights of the loss are float32 there, too.
const trained = 2e-7

// fixtureReplay runs one model through the file.
type fixtureReplay struct {
	f      *trainingFixture
	run    trainingRun
	device kernels.Device
	model  *memory.Model
	events int
}

func (r *fixtureReplay) replay(t *testing.T, c memory.Config) {
	largest := 0
	for _, e := range append(slices.Clone(r.f.Stream.Train), r.f.Stream.Eval...) {
		largest = max(largest, len(e.Src))
	}
	r.model = memory.NewOn(r.device, models.Setup{
		Task: protocol.LinkPrediction, NumNodes: r.f.Dims.N, Users: r.f.Dims.Users, NumFeat: r.f.Dims.F,
		MaxBatch: largest, Train: r.f.Sides.intervals(r.f.Dims.N, r.f.Dims.Users), Seed: 1, Threads: 1,
	}, c)
	setParams(t, r.model, r.run.Params)
	for i, e := range r.f.Stream.Train {
		r.train(t, i, e)
	}
	for name, want := range r.run.FinalParams {
		if name != "conv.lin_key.bias" { // noise: its gradient is zero
			matches(t, want.Transposed(), "final "+name, r.device, r.param(name), trained)
		}
	}
	r.model.Flush()
	r.state(t, "flush", r.run.Flush.Memory, r.run.Flush.LastUpdate)
	for i, e := range r.f.Stream.Eval {
		r.evaluate(t, i, e)
	}
	r.state(t, "final", r.run.FinalMemory, r.run.FinalLastUpdate)
}

func (r *fixtureReplay) train(t *testing.T, i int, e events) {
	t.Helper()
	want := r.run.Train[i]
	b := e.stream(r.f.Dims.N, r.f.Dims.Users, r.events)
	r.events += b.Len()
	loss, err := r.model.Train(b, e.Neg)
	if err != nil {
		t.Fatal(err)
	}
	what := fmt.Sprintf("batch %d ", i)
	within(t, want.Loss, what+"loss", []float64{loss}, 2e-6, 2e-5)
	logits := fixture.Array{Values: append(slices.Clone(want.PosLogits.Values), want.NegLogits.Values...)}
	matches(t, logits, what+"logits", r.device, r.model.Logits(), trained)
	for name, g := range want.Grad {
		got, ok := r.model.Gradients()[name]
		if !ok {
			t.Fatalf("no gradient of %s", name)
		}
		matches(t, g.Transposed(), what+"gradient of "+name, r.device, got, trained)
	}
}

// evaluate scores all nodes as destinations of a batch and folds it in.
// Scores are float32 on every device, and without the decoder's last bias.
func (r *fixtureReplay) evaluate(t *testing.T, i int, e events) {
	t.Helper()
	want := r.run.Eval[i]
	b := e.stream(r.f.Dims.N, r.f.Dims.Users, r.events)
	r.events += b.Len()
	n := r.f.Dims.N
	everyone := make([]int32, n)
	for v := range everyone {
		everyone[v] = int32(v)
	}
	scores := make([]float32, n*b.Len())
	if err := r.model.Score(b, everyone, scores); err != nil {
		t.Fatal(err)
	}
	bias := make([]float32, 1)
	r.device.Read(bias, r.param("pred.lin_final.bias"))
	for _, side := range []struct {
		nodes []int32
		want  fixture.Array
	}{{e.Dst, want.PosLogits}, {e.Neg, want.NegLogits}} {
		var got []float64
		for k, v := range side.nodes {
			got = append(got, float64(scores[k*n+int(v)]+bias[0]))
		}
		within(t, side.want, fmt.Sprintf("evaluated batch %d", i), got, 2e-6, 2e-5)
	}
	if err := r.model.Observe(b); err != nil {
		t.Fatal(err)
	}
}

func (r *fixtureReplay) state(t *testing.T, what string, memories, updated fixture.Array) {
	t.Helper()
	matches(t, memories, what+" memory", r.device, r.model.Memories(), trained)
	within(t, updated, what+" last update", r.model.LastUpdates(), 0, 0)
}

// param is the live buffer of a parameter.
func (r *fixtureReplay) param(name string) kernels.Buffer { return r.model.Parameter(name) }
