package nn

import (
	"fmt"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Neighbours is a ragged list: the edges of centre i are those from
// Offsets[i] to Offsets[i+1]-1, and edge e leads to row Index[e] of the
// nodes. A neighbour may occur several times, and a centre have none.
type Neighbours struct {
	Offsets *G.Node // of the centres, as Graph.Offsets makes it
	Index   *G.Node // of the edges, as Graph.Index makes it
	// Drop, where it is not nil, are factors of dropout on the attention
	// weights (edges x heads; DrawMask). Programs for inference leave them
	// out.
	Drop *G.Node
}

// AttentionParams are those of one attention layer, M to D columns. The
// matrices are in x out, as those of Dense.
type AttentionParams struct {
	Heads int
	Query, QueryBias,
	Key, KeyBias,
	Value, ValueBias,
	Skip, SkipBias *G.Node // M x D and D
	Edge *G.Node // columns of the edges x D, without bias
}

// NeighbourAttention is PyTorch Geometric's TransformerConv without gate: for
// centres (rows x M), nodes (rows x M; the same node if the centres are all
// nodes) and edges (rows x features)
//
//	q = centres Wq + bq, k = nodes Wk + bk, v = nodes Wv + bv, e = edges We
//	out = Attend(q, k, v, e) + centres Ws + bs
func NeighbourAttention(centres, nodes, edges *G.Node, list Neighbours, p AttentionParams) *G.Node {
	q := dense.apply(centres, p.Query, p.QueryBias)
	k := dense.apply(nodes, p.Key, p.KeyBias)
	v := dense.apply(nodes, p.Value, p.ValueBias)
	e := linear.apply(edges, p.Edge)
	skip := dense.apply(centres, p.Skip, p.SkipBias)
	return Add(Attend(q, k, v, e, list, p.Heads), skip)
}

// Attend is attention of centres to their neighbours: q has a row per
// centre, k and v one per node, e one per edge, all of D columns, the heads
// side by side. For each head, on its C = D/heads columns,
//
//	weight[e] = softmax over the edges of i of q[i] . (k[Index[e]] + e[e]) / sqrt(C)
//	out[i] = sum over the edges of i of weight[e] (v[Index[e]] + e[e])
//
// and zeros for a centre without neighbours.
func Attend(q, k, v, e *G.Node, list Neighbours, heads int) *G.Node {
	if cols := q.Shape()[q.Dims()-1]; heads < 1 || cols%heads != 0 {
		panic(fmt.Sprintf("nn: attend: %d columns do not divide into %d heads", cols, heads))
	}
	in := G.Nodes{q, k, v, e, list.Offsets, list.Index}
	if list.Drop != nil {
		in = append(in, list.Drop)
	}
	packed := attendPacked(heads, list.Drop != nil).apply(in...)
	return attend(heads, list.Drop != nil).apply(append(in, packed)...)
}

// attentionInputs are q, k, v, e, offsets, index and, where asked for, drop.
func attentionInputs(drop bool) []int {
	if drop {
		return []int{2, 2, 2, 2, ints, ints, 2}
	}
	return []int{2, 2, 2, 2, ints, ints}
}

func attentionName(heads int, drop bool) string {
	return fmt.Sprintf("attend heads %d dropout %t", heads, drop)
}

// attendPacked is out | weights.
func attendPacked(heads int, drop bool) *op {
	return &op{
		name: attentionName(heads, drop) + " packed", in: attentionInputs(drop), out: 1, rows: fixed,
		sizes:  []string{"ck", "nk", "nk", "ek", "", ""},
		packed: func(s []tensor.Shape) []int { return []int{s[0].TotalSize(), s[3][0] * heads} },
		call: func(c *call) func() {
			a := c.attention(heads, drop, 0)
			a.Out, a.Weights = c.results[0], c.results[1]
			return func() {
				a.Centres, a.Nodes, a.Edges = c.rows(0), c.rows(1), c.rows(3)
				c.device.Attend(a)
			}
		},
	}
}

// attend is out; its last input is the packed result.
func attend(heads int, drop bool) *op {
	in := attentionInputs(drop)
	smooth := make([]bool, len(in)+1)
	copy(smooth, []bool{true, true, true, true})
	return &op{
		name: attentionName(heads, drop), in: append(in, 1), out: 2, smooth: smooth,
		view: &window{len(in), 0},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			last := len(in) - 1
			packed := attendGrad(heads, drop).apply(append(G.Nodes{g, in[last]}, in[:last]...)...)
			return append(parts(packed, in[:4]...), make(G.Nodes, len(in)-4)...)
		},
	}
}

// attendGrad is the gradients of q | k | v | e | scores, from that of out,
// the packed result and the inputs.
func attendGrad(heads int, drop bool) *op {
	return &op{
		name: attentionName(heads, drop) + " gradient", in: append([]int{2, 1}, attentionInputs(drop)...), out: 1, rows: fixed,
		packed: func(s []tensor.Shape) []int {
			return []int{s[2].TotalSize(), s[3].TotalSize(), s[4].TotalSize(), s[5].TotalSize(), s[5][0] * heads}
		},
		call: func(c *call) func() {
			a, d := c.attention(heads, drop, 2), c.results
			p := c.sections(c.in[1], c.size(2), c.shapes[5][0]*heads)
			a.Out, a.Weights = p[0], p[1]
			g := &kernels.AttentionGrad{Out: c.in[0], Q: d[0], K: d[1], V: d[2], E: d[3], Scores: d[4]}
			return func() {
				a.Centres, a.Nodes, a.Edges = c.rows(2), c.rows(3), c.rows(5)
				c.device.AttendGrad(a, g)
			}
		},
	}
}

// attention is the kernel's argument, with q at input first.
func (c *call) attention(heads int, drop bool, first int) *kernels.Attention {
	in, lists := c.in[first:], c.ints[first:]
	a := &kernels.Attention{
		Heads: heads, Channels: c.cols(first) / heads, Offsets: lists[4], Index: lists[5],
		Q: in[0], K: in[1], V: in[2], E: in[3],
	}
	if drop && c.mode == ForTraining {
		a.Drop = in[6]
	}
	return a
}
