package portable

import (
	"fmt"

	"dgsbench/kernels"
)

// attention is a [kernels.Attention] on slices.
type attention[T Float] struct {
	k               *Kernels[T]
	heads, channels int
	root            T // 1/sqrt(channels)
	offsets, index  []int32

	q, out, keys, values, e []T
	weights, drop           []T
	grad                    attentionGrad[T]
}

// attentionGrad is a [kernels.AttentionGrad] on slices.
type attentionGrad[T Float] struct{ out, q, keys, values, e, scores []T }

// setAttention sets the attention that centres are of. It panics unless the
// offsets are those of the edges.
func (d *Device[T]) setAttention(a *kernels.Attention) {
	width := a.Heads * a.Channels
	d.attention = attention[T]{
		k: d.k, heads: a.Heads, channels: a.Channels, root: 1 / sqrt(T(a.Channels)),
		offsets: listed(a.Offsets, a.Centres+1), index: listed(a.Index, a.Edges),
		q: d.in(a.Q, a.Centres*width), out: d.in(a.Out, a.Centres*width),
		keys: d.in(a.K, a.Nodes*width), values: d.in(a.V, a.Nodes*width), e: d.in(a.E, a.Edges*width),
		weights: d.in(a.Weights, a.Edges*a.Heads),
	}
	if a.Drop != nil {
		d.attention.drop = d.in(a.Drop, a.Edges*a.Heads)
	}
	if o := d.attention.offsets; o[0] != 0 || int(o[a.Centres]) > a.Edges {
		panic(fmt.Sprintf("attention: offsets do not run from 0 to at most the number of edges, %d", a.Edges))
	}
}

// centre is one node's edges, the rows lo to hi-1.
type centre[T Float] struct {
	*attention[T]
	row, lo, hi int
}

// centre is that of row i.
func (a *attention[T]) centre(i int) centre[T] {
	return centre[T]{a, i, int(a.offsets[i]), int(a.offsets[i+1])}
}

// head is the part of one head in a row of x.
func (c *centre[T]) head(x []T, row, h int) []T {
	return x[(row*c.heads+h)*c.channels:][:c.channels]
}

func (d *Device[T]) Attend(a *kernels.Attention) {
	d.setAttention(a)
	d.Divide(a.Centres, 3*len(d.attention.e), d.runAttention)
}

// run computes centres lo to hi-1.
func (a *attention[T]) run(lo, hi int) {
	for i := lo; i < hi; i++ {
		c := a.centre(i)
		clear(c.out[i*c.heads*c.channels:][:c.heads*c.channels])
		c.scores()
		c.softmax()
		for e := c.lo; e < c.hi; e++ {
			for h := range c.heads {
				c.k.AxpySum(c.head(c.out, c.row, h), c.head(c.values, int(c.index[e]), h), c.head(c.e, e, h), c.kept(e, h))
			}
		}
	}
}

func (c *centre[T]) scores() {
	for e := c.lo; e < c.hi; e++ {
		for h := range c.heads {
			c.weights[e*c.heads+h] = c.k.DotSum(c.head(c.q, c.row, h), c.head(c.keys, int(c.index[e]), h), c.head(c.e, e, h)) * c.root
		}
	}
}

// softmax turns the centre's scores into weights, head by head.
func (c *centre[T]) softmax() {
	if c.lo == c.hi {
		return
	}
	w := c.weights[c.lo*c.heads : c.hi*c.heads]
	for h := range c.heads {
		top := w[h]
		for at := h; at < len(w); at += c.heads {
			top = max(top, w[at])
		}
		for at := h; at < len(w); at += c.heads {
			w[at] -= top
		}
	}
	c.k.Exp(w, w)
	for h := range c.heads {
		var total T
		for at := h; at < len(w); at += c.heads {
			total += w[at]
		}
		for at := h; at < len(w); at += c.heads {
			w[at] /= total + 1e-16
		}
	}
}

// kept is the weight of an edge after dropout.
func (c *centre[T]) kept(e, h int) T {
	return c.weights[e*c.heads+h] * c.dropped(e, h)
}

// dropped is the factor of dropout of an edge.
func (c *centre[T]) dropped(e, h int) T {
	if c.drop == nil {
		return 1
	}
	return c.drop[e*c.heads+h]
}

// AttendGrad is, with weight' the gradient of a weight,
//
//	weight'[e] = Drop[e] (Out'[i] . (V[Index[e]] + E[e]))
//	score'[e] = weight[e] (weight'[e] - sum over the edges of i of weight weight') / sqrt(Channels)
//	Q'[i] = sum over the edges of i of score'[e] (K[Index[e]] + E[e])
//	K'[Index[e]] += score'[e] Q[i]
//	V'[Index[e]] += Drop[e] weight[e] Out'[i]
//	E'[e] = score'[e] Q[i] + Drop[e] weight[e] Out'[i]
//
// edge after edge, from gradients of zero. E' of an edge without a centre is zero.
func (d *Device[T]) AttendGrad(a *kernels.Attention, g *kernels.AttentionGrad) {
	d.setAttention(a)
	width := a.Heads * a.Channels
	d.attention.grad = attentionGrad[T]{
		out: d.in(g.Out, a.Centres*width), q: d.zeros(g.Q, a.Centres*width), e: d.in(g.E, a.Edges*width),
		keys: d.zeros(g.K, a.Nodes*width), values: d.zeros(g.V, a.Nodes*width), scores: d.in(g.Scores, a.Edges*a.Heads),
	}
	clear(d.attention.grad.e[int(d.attention.offsets[a.Centres])*width:])
	d.Divide(a.Heads, 8*len(d.attention.e), d.runAttentionGrad)
}

// runGrad computes heads lo to hi-1, so that every sum over edges is of one thread.
func (a *attention[T]) runGrad(lo, hi int) {
	for i := range len(a.offsets) - 1 {
		c := a.centre(i)
		for h := lo; h < hi; h++ {
			c.scoresGrad(h)
		}
		for e := c.lo; e < c.hi; e++ {
			for h := lo; h < hi; h++ {
				c.edgeGrad(e, h)
			}
		}
	}
}

func (c *centre[T]) scoresGrad(h int) {
	g := &c.grad
	var mean T
	for e := c.lo; e < c.hi; e++ {
		w := c.k.DotSum(c.head(g.out, c.row, h), c.head(c.values, int(c.index[e]), h), c.head(c.e, e, h)) * c.dropped(e, h)
		g.scores[e*c.heads+h] = w
		mean = fma(c.weights[e*c.heads+h], w, mean)
	}
	for at := c.lo*c.heads + h; at < c.hi*c.heads; at += c.heads {
		g.scores[at] = c.weights[at] * (g.scores[at] - mean) * c.root
	}
}

func (c *centre[T]) edgeGrad(e, h int) {
	g, node := &c.grad, int(c.index[e])
	c.k.EdgeGrad(
		c.head(g.q, c.row, h), c.head(g.keys, node, h), c.head(g.values, node, h), c.head(g.e, e, h),
		c.head(c.q, c.row, h), c.head(c.keys, node, h), c.head(c.e, e, h), c.head(g.out, c.row, h),
		g.scores[e*c.heads+h], c.kept(e, h))
}

func edgeGrad[T Float](dq, dk, dv, de, q, k, e, out []T, score, weight T) {
	for j := range q {
		dq[j] = fma(score, k[j]+e[j], dq[j])
		dk[j] = fma(score, q[j], dk[j])
		dv[j] = fma(weight, out[j], dv[j])
		de[j] = fma(weight, out[j], T(score*q[j]))
	}
}
