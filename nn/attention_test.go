package nn

import (
	"fmt"
	"math"
	"testing"

	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
)

// ragged are edge lists: a repeated pair, a centre that is its own
// neighbour, centres without neighbours in all places; fewer of all; one edge;
// none.
var ragged = []struct {
	nodes          int
	offsets, index []int32
}{
	{6, []int32{0, 0, 3, 3, 8, 8}, []int32{5, 2, 5, 0, 0, 3, 1, 4}},
	{3, []int32{0, 2, 3, 3}, []int32{2, 1, 0}},
	{2, []int32{0, 0, 1}, []int32{0}},
	{1, []int32{0, 0}, nil},
}

// attendTest has separate vectors of centres and of nodes.
func attendTest(heads, width int, dropout bool) opTest {
	return func(b *opBench) (*G.Node, []func()) {
		b.trainingDiffers = dropout
		centres, nodes, edges := NewRows(5), NewRows(6), NewRows(8)
		list := Neighbours{Offsets: b.graph.Offsets("offsets", centres), Index: b.graph.Index("index", edges)}
		if dropout {
			list.Drop = b.leaf("drop", edges, heads)
		}
		out := Attend(b.input("q", centres, width), b.input("k", nodes, width), b.input("v", nodes, width),
			b.input("e", edges, width), list, heads)
		var batches []func()
		for _, r := range ragged {
			batches = append(batches, func() {
				centres.Set(len(r.offsets) - 1)
				nodes.Set(r.nodes)
				edges.Set(len(r.index))
				b.write(list.Offsets, r.offsets...)
				b.write(list.Index, r.index...)
			})
		}
		return out, batches
	}
}

func TestAttend(t *testing.T) {
	for _, heads := range []int{1, 2, 3} {
		for _, channels := range []int{1, 5, 19} {
			for _, dropout := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d heads of %d, dropout %t", heads, channels, dropout), func(t *testing.T) {
					checkOp(t, attendTest(heads, heads*channels, dropout))
				})
			}
		}
	}
}

// TestAttendMatchesLoops: the formula, edge by edge.
func TestAttendMatchesLoops(t *testing.T) {
	const heads, channels = 2, 3
	for _, dropout := range []bool{false, true} {
		b := newOpBench(t, reference.New(), attendTest(heads, heads*channels, dropout))
		for batch, r := range ragged {
			got := b.results(batch)[0]
			for i := range len(r.offsets) - 1 {
				for h := range heads {
					want := attendLoop(r.index, int(r.offsets[i]), int(r.offsets[i+1]), i, h, heads, channels, dropout)
					closeTo(t, got[(i*heads+h)*channels:][:channels], want)
				}
			}
		}
	}
}

// attendLoop is one head of one centre.
func attendLoop(index []int32, lo, hi, centre, head, heads, channels int, dropout bool) []float32 {
	vector := func(name string, row int32) []float32 {
		return drawn(name, 1000)[(int(row)*heads+head)*channels:][:channels]
	}
	exps, total := make([]float64, hi-lo), 0.0
	for e := lo; e < hi; e++ {
		q, k, edge, score := vector("q", int32(centre)), vector("k", index[e]), vector("e", int32(e)), 0.0
		for c := range q {
			score += float64(q[c]) * float64(k[c]+edge[c]) / math.Sqrt(float64(channels))
		}
		exps[e-lo] = math.Exp(score)
		total += exps[e-lo]
	}
	out := make([]float32, channels)
	for e := lo; e < hi; e++ {
		weight := exps[e-lo] / total
		if dropout {
			weight *= float64(drawn("drop", 1000)[e*heads+head])
		}
		v, edge := vector("v", index[e]), vector("e", int32(e))
		for c := range out {
			out[c] += float32(weight) * (v[c] + edge[c])
		}
	}
	return out
}

// TestAttentionDropsInTrainingOnly: inference is attention without a mask.
func TestAttentionDropsInTrainingOnly(t *testing.T) {
	with := newOpBench(t, reference.New(), attendTest(2, 6, true))
	without := newOpBench(t, reference.New(), attendTest(2, 6, false))
	want := without.results(0)[0]
	if got := with.results(0)[0]; got[6] == want[6] {
		t.Error("dropout changes nothing in training")
	}
	with.infer.Run()
	sameBits(t, "inference", [][]float32{with.read(with.infer, with.out)}, [][]float32{want})
}

// TestNeighbourAttention is the whole layer, the centres being all nodes.
func TestNeighbourAttention(t *testing.T) {
	checkOp(t, func(b *opBench) (*G.Node, []func()) {
		const in, out, features = 5, 6, 4
		nodes, edges := NewRows(5), NewRows(8)
		z := b.input("z", nodes, in)
		list := Neighbours{Offsets: b.graph.Offsets("offsets", nodes), Index: b.graph.Index("index", edges)}
		// Without a gradient: it is zero, as a softmax ignores a shift, and what
		// float32 makes of it has no relative accuracy.
		keyBias := b.graph.Param("bk", drawn("bk", out), out)
		layer := NeighbourAttention(z, z, Linear(b.input("edges", edges, features), b.param("we", features, out)), list, AttentionParams{
			Heads: 2,
			Query: b.param("wq", in, out), QueryBias: b.param("bq", out),
			Key: b.param("wk", in, out), KeyBias: keyBias,
			Value: b.param("wv", in, out), ValueBias: b.param("bv", out),
			Skip: b.param("ws", in, out), SkipBias: b.param("bs", out),
		})
		return layer, []func(){
			func() {
				nodes.Set(5)
				edges.Set(8)
				b.write(list.Offsets, 0, 0, 3, 3, 8, 8)
				b.write(list.Index, 4, 2, 4, 0, 0, 3, 1, 4)
			},
			func() {
				nodes.Set(2)
				edges.Set(1)
				b.write(list.Offsets, 0, 0, 1)
				b.write(list.Index, 0)
			},
		}
	})
}
