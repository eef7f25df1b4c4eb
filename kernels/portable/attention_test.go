package portable_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"dgsbench/internal/fixture"
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// ragged is an attention with a repeated pair and centres without edges.
func ragged(drop bool) *kernels.Attention {
	const heads, channels, centres, nodes, edges = 2, 3, 4, 5, 6
	const width = heads * channels
	rng := newRand(6)
	a := &kernels.Attention{
		Heads: heads, Channels: channels, Centres: centres, Nodes: nodes, Edges: edges,
		Offsets: portable.Ints{0, 3, 3, 6, 6}, Index: portable.Ints{1, 4, 1, 0, 4, 2},
		Q: random(rng, centres*width), K: random(rng, nodes*width), V: random(rng, nodes*width), E: random(rng, edges*width),
		Out: zeros(centres * width), Weights: zeros(edges * heads),
	}
	if drop {
		a.Drop = numbers{0, 1.25, 1.25, 1.25, 1.25, 0, 1.25, 1.25, 0, 1.25, 1.25, 1.25}
	}
	return a
}

func TestAttendGrad(t *testing.T) {
	for _, drop := range []bool{false, true} {
		a := ragged(drop)
		w := random(newRand(7), a.Out.Len())
		loss := func() float64 {
			device.Attend(a)
			return weighted(w, device.Elements(a.Out))
		}
		loss()
		g := &kernels.AttentionGrad{
			Out: w, Q: zeros(a.Q.Len()), E: zeros(a.E.Len()), K: zeros(a.K.Len()), V: zeros(a.V.Len()), Scores: zeros(a.Weights.Len()),
		}
		device.AttendGrad(a, g)
		for name, x := range map[string][2]kernels.Buffer{"Q": {a.Q, g.Q}, "K": {a.K, g.K}, "V": {a.V, g.V}, "E": {a.E, g.E}} {
			checkGradient(t, name, device.Elements(x[0]), device.Elements(x[1]), loss)
		}
	}
}

// attentionFixture is testdata/tgn_attention.json, a TransformerConv of
// PyTorch Geometric in float64.
type attentionFixture struct {
	Dims   struct{ N, M, D, Heads int } `json:"dims"`
	Params map[string]json.RawMessage   `json:"params"`

	Z         [][]float64 `json:"z"`
	EdgeIndex [2][]int32  `json:"edge_index"` // neighbours, centres
	EdgeAttr  [][]float64 `json:"edge_attr"`
	Attention [][]float64 `json:"attention"`
	Out       [][]float64 `json:"out"`
}

func readAttention(t *testing.T) attentionFixture {
	t.Helper()
	var f attentionFixture
	fixture.Read(t, "tgn_attention.json", &f)
	return f
}

// linear is x W' + b for the rows of x; the bias may be missing.
func (f attentionFixture) linear(t *testing.T, name string, x [][]float64) numbers {
	t.Helper()
	var weight [][]float64
	if err := json.Unmarshal(f.Params["conv."+name+".weight"], &weight); err != nil {
		t.Fatal(err)
	}
	bias := make([]float64, len(weight))
	if raw, ok := f.Params["conv."+name+".bias"]; ok {
		if err := json.Unmarshal(raw, &bias); err != nil {
			t.Fatal(err)
		}
	}
	var out numbers
	for _, row := range x {
		for i, w := range weight {
			out = append(out, weighted(w, row)+bias[i])
		}
	}
	return out
}

// offsets are the edges of each centre; edges must be sorted by centre.
func (f attentionFixture) offsets(t *testing.T) portable.Ints {
	t.Helper()
	centres := f.EdgeIndex[1]
	if !slices.IsSorted(centres) {
		t.Fatal("the fixture's edges are not grouped by centre")
	}
	out := portable.Ints{0}
	for i := range f.Z {
		end := out[i]
		for int(end) < len(centres) && int(centres[end]) == i {
			end++
		}
		out = append(out, end)
	}
	return out
}

func TestAttendAsPyG(t *testing.T) {
	f := readAttention(t)
	out, weights := zeros(f.Dims.N*f.Dims.D), zeros(len(f.EdgeAttr)*f.Dims.Heads)
	device.Attend(&kernels.Attention{
		Heads: f.Dims.Heads, Channels: f.Dims.D / f.Dims.Heads, Centres: f.Dims.N, Nodes: f.Dims.N, Edges: len(f.EdgeAttr),
		Offsets: f.offsets(t), Index: portable.Ints(f.EdgeIndex[0]),
		Q: f.linear(t, "lin_query", f.Z), K: f.linear(t, "lin_key", f.Z), V: f.linear(t, "lin_value", f.Z),
		E: f.linear(t, "lin_edge", f.EdgeAttr), Out: out, Weights: weights,
	})
	device.Add(len(out), out, out, f.linear(t, "lin_skip", f.Z))
	equalRows(t, "attention weight", weights, f.Attention)
	equalRows(t, "output", out, f.Out)
}

func equalRows(t *testing.T, what string, got []float64, want [][]float64) {
	t.Helper()
	for i, w := range slices.Concat(want...) {
		if math.Abs(got[i]-w) > 1e-10*(1+math.Abs(w)) {
			t.Errorf("%s %d is %v, PyTorch Geometric has %v", what, i, got[i], w)
		}
	}
}
