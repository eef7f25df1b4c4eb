package portable_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"dgsbench/kernels/portable"
)

// ragged is an attention with a repeated pair and centres without edges.
func ragged(drop bool) *portable.Attention[float64] {
	const heads, channels, centres, nodes, edges = 2, 3, 4, 5, 6
	const width = heads * channels
	rng := newRand(6)
	a := &portable.Attention[float64]{
		Heads: heads, Channels: channels,
		Offsets: []int32{0, 3, 3, 6, 6}, Index: []int32{1, 4, 1, 0, 4, 2},
		Q: random(rng, centres*width), K: random(rng, nodes*width), V: random(rng, nodes*width), E: random(rng, edges*width),
		Out: make([]float64, centres*width), Weights: make([]float64, edges*heads),
	}
	if drop {
		a.Drop = []float64{0, 1.25, 1.25, 1.25, 1.25, 0, 1.25, 1.25, 0, 1.25, 1.25, 1.25}
	}
	return a
}

func TestAttendGrad(t *testing.T) {
	k := portable.Go[float64]()
	for _, drop := range []bool{false, true} {
		a := ragged(drop)
		w := random(newRand(7), len(a.Out))
		loss := func() float64 {
			k.Attend(a)
			return weighted(w, a.Out)
		}
		loss()
		g := &portable.AttentionGrad[float64]{
			Out: w, Q: make([]float64, len(a.Q)), E: make([]float64, len(a.E)),
			K: make([]float64, len(a.K)), V: make([]float64, len(a.V)), Scores: make([]float64, len(a.Weights)),
		}
		k.AttendGrad(a, g)
		checkGradient(t, "Q", a.Q, g.Q, loss)
		checkGradient(t, "K", a.K, g.K, loss)
		checkGradient(t, "V", a.V, g.V, loss)
		checkGradient(t, "E", a.E, g.E, loss)
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
	text, err := os.ReadFile("testdata/tgn_attention.json")
	if err != nil {
		t.Fatal(err)
	}
	var f attentionFixture
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// linear is x W' + b for the rows of x; the bias may be missing.
func (f attentionFixture) linear(t *testing.T, name string, x [][]float64) []float64 {
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
	var out []float64
	for _, row := range x {
		for i, w := range weight {
			out = append(out, weighted(w, row)+bias[i])
		}
	}
	return out
}

// offsets are the edges of each centre; edges must be sorted by centre.
func (f attentionFixture) offsets(t *testing.T) []int32 {
	t.Helper()
	centres := f.EdgeIndex[1]
	if !slices.IsSorted(centres) {
		t.Fatal("the fixture's edges are not grouped by centre")
	}
	out := []int32{0}
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
	a := &portable.Attention[float64]{
		Heads: f.Dims.Heads, Channels: f.Dims.D / f.Dims.Heads,
		Offsets: f.offsets(t), Index: f.EdgeIndex[0],
		Q: f.linear(t, "lin_query", f.Z), K: f.linear(t, "lin_key", f.Z), V: f.linear(t, "lin_value", f.Z),
		E:       f.linear(t, "lin_edge", f.EdgeAttr),
		Out:     make([]float64, f.Dims.N*f.Dims.D),
		Weights: make([]float64, len(f.EdgeAttr)*f.Dims.Heads),
	}
	k := portable.Go[float64]()
	k.Attend(a)
	skip := f.linear(t, "lin_skip", f.Z)
	k.Add(a.Out, a.Out, skip)
	equalRows(t, "attention weight", a.Weights, f.Attention)
	equalRows(t, "output", a.Out, f.Out)
}

func equalRows(t *testing.T, what string, got []float64, want [][]float64) {
	t.Helper()
	for i, w := range slices.Concat(want...) {
		if math.Abs(got[i]-w) > 1e-10*(1+math.Abs(w)) {
			t.Errorf("%s %d is %v, PyTorch Geometric has %v", what, i, got[i], w)
		}
	}
}
