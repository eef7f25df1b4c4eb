package nn

import (
	"testing"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// dgsFixture is testdata/dgs.json: Deep-Graph-Sprints on a short stream with
// parameters that never change. The embeddings E, the heads, their losses and
// gradients are checked here; the states come from the plain recursion.
type dgsFixture struct {
	Dims struct {
		N, S, M, H, F int
		T             float64
	}
	Events struct{ Src, Dst, Neg, Label, Feat array }
	ER     struct{ W array }           `json:"er"`
	Values struct{ Alpha, Beta array } `json:"er_values"`
	E      array
	NC     map[string]array  `json:"head_nc"`
	LP     map[string]array  `json:"head_lp"`
	A      map[string]dgsRun `json:"a_node_classification"`
	B      map[string]dgsRun `json:"b_link_prediction"`
	D      struct {
		BatchSize int   `json:"batch_size"`
		WSum      array `json:"W_sum"`
		Sum       dgsRun
	} `json:"d_variants"`
}

type dgsRun struct {
	Loss      array
	Logits    array
	PosLogits array `json:"pos_logits"`
	NegLogits array `json:"neg_logits"`
	Grad      struct{ Head map[string]array }
}

// embed runs features and W through the embedding of blocks.
func (f *dgsFixture) embed(t *testing.T, d kernels.Device, w array, blocks func(z *G.Node) (*G.Node, error)) (kernels.Buffer, []float64) {
	t.Helper()
	g, rows := NewGraph(d), NewRows(f.Events.Feat.shape[0])
	feat := g.Input("feat", rows, f.Dims.F)
	d.Write(g.Buffer(feat), f.Events.Feat.single())
	e := G.Must(blocks(G.Must(Linear(feat, fixtureParams(g, map[string]array{"W": w})["W"]))))
	p, err := g.Compile(ForInference, e)
	if err != nil {
		t.Fatal(err)
	}
	p.Run()
	var out []float64
	for _, v := range download(d, p.Buffer(e), rows.capacity*f.Dims.S) {
		out = append(out, float64(v))
	}
	return p.Buffer(e), out
}

func TestEmbeddingMatchesPyTorch(t *testing.T) {
	var f dgsFixture
	readFixture(t, "dgs.json", &f)
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		e, _ := f.embed(t, d, f.ER.W, f.softmax)
		f.E.matches(t, "E", d, e)
	})
}

func (f *dgsFixture) softmax(z *G.Node) (*G.Node, error) {
	return Softmax(z, f.Dims.H, f.Dims.T)
}

// states are those of both ends of every event, before and after it. All
// events of a batch read what was before the batch.
func (f *dgsFixture) states(embedding []float64, batch int) (before, after func(node array, event int) []float32) {
	s, n := f.Dims.S, len(f.Events.Src.values)
	olds, news := make([]map[float64][]float64, n), make([]map[float64][]float64, n)
	now := map[float64][]float64{}
	for v := range f.Dims.N {
		now[float64(v)] = make([]float64, s)
	}
	for lo := 0; lo < n; lo += batch {
		next := map[float64][]float64{}
		for v, state := range now {
			next[v] = state
		}
		for k := lo; k < min(n, lo+batch); k++ {
			u, v := f.Events.Src.values[k], f.Events.Dst.values[k]
			e := embedding[k*s:][:s]
			olds[k] = now
			news[k] = map[float64][]float64{u: f.step(now[u], now[v], e), v: f.step(now[v], now[u], e)}
			next[u], next[v] = news[k][u], news[k][v]
		}
		now = next
	}
	at := func(all []map[float64][]float64) func(array, int) []float32 {
		return func(node array, event int) []float32 {
			return array{values: all[event][node.values[event]]}.single()
		}
	}
	return at(olds), at(news)
}

// step is S' = beta S + (1 - beta) ((1 - alpha) E + alpha other).
func (f *dgsFixture) step(self, other, e []float64) []float64 {
	out := make([]float64, len(self))
	for j := range out {
		a, b := f.Values.Alpha.values[j], f.Values.Beta.values[j]
		out[j] = b*self[j] + (1-b)*((1-a)*e[j]+a*other[j])
	}
	return out
}

// headExamples are the rows, targets and weights of one batch.
type headExamples struct {
	x, y, w []float32
	logits  []float64 // expected
}

func (h *headExamples) add(x []float32, y, w, logit float64) {
	h.x, h.y, h.w = append(h.x, x...), append(h.y, float32(y)), append(h.w, float32(w))
	h.logits = append(h.logits, logit)
}

func TestHeadsMatchPyTorch(t *testing.T) {
	var f dgsFixture
	readFixture(t, "dgs.json", &f)
	if len(f.A) == 0 || len(f.B) == 0 {
		t.Fatal("the file has no runs")
	}
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		for name, run := range f.A {
			t.Run("classification "+name, func(t *testing.T) { f.classify(t, d, f.E.values, run) })
		}
		for name, run := range f.B {
			t.Run("ranking "+name, func(t *testing.T) { f.rank(t, d, run) })
		}
		t.Run("classification DGS-sum", func(t *testing.T) {
			_, e := f.embed(t, d, f.D.WSum, func(z *G.Node) (*G.Node, error) { return DivideSum(z, f.Dims.H, 1e-6, 0) })
			f.classify(t, d, e, f.D.Sum)
		})
	})
}

// batches of a run: so many events in each.
func (r dgsRun) batchSize(events int) int {
	n := len(r.Loss.values)
	return (events + n - 1) / n
}

func (f *dgsFixture) classify(t *testing.T, d kernels.Device, embedding []float64, run dgsRun) {
	n := len(f.Events.Src.values)
	size := run.batchSize(n)
	_, after := f.states(embedding, size)
	var batches []headExamples
	for lo := 0; lo < n; lo += size {
		var b headExamples
		hi := min(n, lo+size)
		for k := lo; k < hi; k++ {
			b.add(after(f.Events.Src, k), f.Events.Label.values[k], 1/float64(hi-lo), run.Logits.values[k])
		}
		batches = append(batches, b)
	}
	checkHead(t, d, f.NC, batches, run)
}

func (f *dgsFixture) rank(t *testing.T, d kernels.Device, run dgsRun) {
	n := len(f.Events.Src.values)
	size := run.batchSize(n)
	before, _ := f.states(f.E.values, size)
	var batches []headExamples
	for lo := 0; lo < n; lo += size {
		var b headExamples
		hi := min(n, lo+size)
		for k := lo; k < hi; k++ {
			left, weight := before(f.Events.Src, k), 1/float64(hi-lo)
			b.add(append(append([]float32{}, left...), before(f.Events.Dst, k)...), 1, weight, run.PosLogits.values[k])
			b.add(append(append([]float32{}, left...), before(f.Events.Neg, k)...), 0, weight, run.NegLogits.values[k])
		}
		batches = append(batches, b)
	}
	checkHead(t, d, f.LP, batches, run)
}

// checkHead compares logits and loss of every batch, and the sum of the
// gradients.
func checkHead(t *testing.T, d kernels.Device, head map[string]array, batches []headExamples, run dgsRun) {
	t.Helper()
	rows, in := 0, head["W1"].shape[1]
	for _, b := range batches {
		rows = max(rows, len(b.y))
	}
	m, err := NewMLP(d, MLPConfig{In: in, Hidden: []int{head["W1"].shape[0]}, MaxRows: rows}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Grad.Head) != len(m.Params()) {
		t.Fatalf("gradients of %d tensors, the head has %d", len(run.Grad.Head), len(m.Params()))
	}
	sums := map[string][]float32{}
	var values [][]float32
	for _, p := range m.Params() {
		values = append(values, head[p.Name].transposed().single())
		sums[p.Name] = make([]float32, len(p.Values))
	}
	m.SetParams(values)
	for i, b := range batches {
		logits := make([]float32, len(b.y))
		m.Forward(b.x, len(b.y), logits)
		closeTo(t, logits, array{values: b.logits}.single())
		loss := m.Gradient(b.x, b.y, b.w, len(b.y))
		closeTo(t, []float32{loss}, []float32{float32(run.Loss.values[i])})
		for j, p := range m.Params() {
			for k, g := range download(d, m.train.Gradients()[j], len(p.Values)) {
				sums[p.Name][k] += g
			}
		}
	}
	for name, want := range run.Grad.Head {
		closeTo(t, sums[name], want.transposed().single())
	}
}
