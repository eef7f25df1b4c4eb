package nn

import (
	"fmt"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
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
// nodes) and e, the edges times We (rows x D)
//
//	q = centres Wq + bq, k = nodes Wk + bk, v = nodes Wv + bv
//	out = Attend(q, k, v, e) + centres Ws + bs
func NeighbourAttention(centres, nodes, e *G.Node, list Neighbours, p AttentionParams) *G.Node {
	q := Dense(centres, p.Query, p.QueryBias, false)
	k := Dense(nodes, p.Key, p.KeyBias, false)
	v := Dense(nodes, p.Value, p.ValueBias, false)
	skip := Dense(centres, p.Skip, p.SkipBias, false)
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
	in, shapes, drop := G.Nodes{q, k, v, e, list.Offsets, list.Index}, "ck nk nk ek #o #i", list.Drop != nil
	if drop {
		in, shapes = append(in, list.Drop), fmt.Sprintf("%s e%d", shapes, heads)
	}
	name := fmt.Sprintf("attend heads %d dropout %t", heads, drop)
	return op{
		name: name, shapes: fmt.Sprintf("%s -> ck|e%d", shapes, heads), // out | weights
		smooth: []bool{true, true, true, true},
		call: func(c *call) func() {
			a, activate := c.attention(heads, drop, 0)
			a.Out, a.Weights = c.results[0], c.results[1]
			return func() {
				activate()
				c.device.Attend(a)
			}
		},
		grad: func(in G.Nodes, _, g *G.Node) G.Nodes {
			last := len(in) - 1
			return op{ // q | k | v | e | scores
				name: name + " gradient", shapes: fmt.Sprintf("ck ck|e%d %s -> ck|nk|nk|ek|e%[1]d", heads, shapes),
				call: func(c *call) func() {
					a, activate := c.attention(heads, drop, 2)
					p, d := c.packed(1), c.results
					a.Out, a.Weights = p[0], p[1]
					g := &kernels.AttentionGrad{Out: c.in[0], Q: d[0], K: d[1], V: d[2], E: d[3], Scores: d[4]}
					return func() {
						activate()
						c.device.AttendGrad(a, g)
					}
				},
			}.results(4, append(G.Nodes{g, in[last]}, in[:last]...)...)
		},
	}.apply(in...)
}

// attention is the kernel's argument, with q at input first. Before each call,
// activate makes the rows of the batch the active ones.
func (c *call) attention(heads int, drop bool, first int) (a *kernels.Attention, activate func()) {
	in, lists := c.in[first:], c.ints[first:]
	a = &kernels.Attention{
		Heads: heads, Channels: c.cols(first) / heads, Offsets: lists[4], Index: lists[5],
		Q: in[0], K: in[1], V: in[2], E: in[3],
	}
	if drop && c.mode == ForTraining {
		a.Drop = in[6]
	}
	return a, func() { a.Centres, a.Nodes, a.Edges = c.rows(first), c.rows(first+1), c.rows(first+3) }
}
