package portable

import "fmt"

// Attention is the elementwise part of attention over a ragged list of
// edges grouped by centre, as PyTorch Geometric's TransformerConv has it. An
// edge e leads from its neighbour, row Index[e] of K and V, to its centre i.
// For each head, on its Channels columns c,
//
//	score[e] = sum over c of Q[i]*(K[Index[e]] + E[e]) / sqrt(Channels)
//	weight[e] = e^(score[e] - top) / (sum over i's edges of the same + 1e-16)
//	Out[i] = sum over i's edges of Drop[e]*weight[e]*(V[Index[e]] + E[e])
//
// with top the largest score of the centre. A centre without edges gets
// zeros. Rows of Q, K, V, E and Out hold the heads side by side.
type Attention[T Float] struct {
	Heads, Channels int

	Offsets []int32 // centres + 1; edges of i are Offsets[i] to Offsets[i+1]-1; those beyond have no centre
	Index   []int32 // edges

	Q, Out  []T // a row per centre
	K, V    []T // a row per node
	E       []T // a row per edge
	Weights []T // edges x Heads, written for the gradient
	Drop    []T // edges x Heads, factors of dropout; nil drops nothing
}

// AttentionGrad are the gradients of an Attention, given that of Out.
type AttentionGrad[T Float] struct {
	Out    []T // the given one
	Q, E   []T // set
	K, V   []T // added to, edge after edge
	Scores []T // edges x Heads, for the kernel's own use
}

// check panics unless the offsets are those of the edges.
func (a *Attention[T]) check() {
	if last := len(a.Offsets) - 1; last < 0 || a.Offsets[0] != 0 || int(a.Offsets[last]) > len(a.Index) {
		panic(fmt.Sprintf("attention: offsets do not run from 0 to at most the number of edges, %d", len(a.Index)))
	}
}

// centre is one node's edges, the rows lo to hi-1.
type centre[T Float] struct {
	*Attention[T]
	row, lo, hi int
}

func (a *Attention[T]) each(f func(centre[T])) {
	for i := range len(a.Offsets) - 1 {
		f(centre[T]{a, i, int(a.Offsets[i]), int(a.Offsets[i+1])})
	}
}

// head is the part of one head in a row of x.
func (c *centre[T]) head(x []T, row, h int) []T {
	return x[(row*c.Heads+h)*c.Channels:][:c.Channels]
}

// Attend computes the weights and the output of a.
func (k *Kernels[T]) Attend(a *Attention[T]) {
	a.check()
	a.each(func(c centre[T]) {
		clear(a.Out[c.row*a.Heads*a.Channels:][:a.Heads*a.Channels])
		c.scores(k)
		c.softmax(k)
		for e := c.lo; e < c.hi; e++ {
			for h := range a.Heads {
				node := int(a.Index[e])
				k.AxpySum(c.head(a.Out, c.row, h), c.head(a.V, node, h), c.head(a.E, e, h), c.kept(e, h))
			}
		}
	})
}

func (c *centre[T]) scores(k *Kernels[T]) {
	root := c.rootChannels()
	for e := c.lo; e < c.hi; e++ {
		for h := range c.Heads {
			node := int(c.Index[e])
			c.Weights[e*c.Heads+h] = k.DotSum(c.head(c.Q, c.row, h), c.head(c.K, node, h), c.head(c.E, e, h)) * root
		}
	}
}

func (a *Attention[T]) rootChannels() T { return 1 / sqrt(T(a.Channels)) }

// softmax turns the centre's scores into weights, head by head.
func (c *centre[T]) softmax(k *Kernels[T]) {
	if c.lo == c.hi {
		return
	}
	w := c.Weights[c.lo*c.Heads : c.hi*c.Heads]
	for h := range c.Heads {
		top := w[h]
		for at := h; at < len(w); at += c.Heads {
			top = max(top, w[at])
		}
		for at := h; at < len(w); at += c.Heads {
			w[at] -= top
		}
	}
	k.Exp(w, w)
	for h := range c.Heads {
		var total T
		for at := h; at < len(w); at += c.Heads {
			total += w[at]
		}
		for at := h; at < len(w); at += c.Heads {
			w[at] /= total + 1e-16
		}
	}
}

// kept is the weight of an edge after dropout.
func (c *centre[T]) kept(e, h int) T {
	return c.Weights[e*c.Heads+h] * c.drop(e, h)
}

func (c *centre[T]) drop(e, h int) T {
	if c.Drop == nil {
		return 1
	}
	return c.Drop[e*c.Heads+h]
}

// AttendGrad computes the gradients of a, which Attend has run. With
// weight' the gradient of a weight,
//
//	weight'[e] = Drop[e] * sum over c of Out'[i]*(V[Index[e]] + E[e])
//	score'[e] = weight[e] * (weight'[e] - sum over i's edges of weight*weight') / sqrt(Channels)
//	Q'[i] = sum of score'[e]*(K[Index[e]] + E[e])
//	K'[Index[e]] += score'[e]*Q[i]
//	V'[Index[e]] += Drop[e]*weight[e]*Out'[i]
//	E'[e] = score'[e]*Q[i] + Drop[e]*weight[e]*Out'[i]
//
// and zeros for an edge without a centre.
func (k *Kernels[T]) AttendGrad(a *Attention[T], g *AttentionGrad[T]) {
	a.check()
	clear(g.E[int(a.Offsets[len(a.Offsets)-1])*a.Heads*a.Channels:])
	a.each(func(c centre[T]) {
		clear(g.Q[c.row*a.Heads*a.Channels:][:a.Heads*a.Channels])
		c.scoresGrad(k, g)
		for e := c.lo; e < c.hi; e++ {
			for h := range a.Heads {
				c.edgeGrad(k, g, e, h)
			}
		}
	})
}

func (c *centre[T]) scoresGrad(k *Kernels[T], g *AttentionGrad[T]) {
	root := c.rootChannels()
	for h := range c.Heads {
		var mean T
		for e := c.lo; e < c.hi; e++ {
			d := k.DotSum(c.head(g.Out, c.row, h), c.head(c.V, int(c.Index[e]), h), c.head(c.E, e, h)) * c.drop(e, h)
			g.Scores[e*c.Heads+h] = d
			mean = fma(c.Weights[e*c.Heads+h], d, mean)
		}
		for at := c.lo*c.Heads + h; at < c.hi*c.Heads; at += c.Heads {
			g.Scores[at] = c.Weights[at] * (g.Scores[at] - mean) * root
		}
	}
}

func (c *centre[T]) edgeGrad(k *Kernels[T], g *AttentionGrad[T], e, h int) {
	node := int(c.Index[e])
	k.EdgeGrad(
		c.head(g.Q, c.row, h), c.head(g.K, node, h), c.head(g.V, node, h), c.head(g.E, e, h),
		c.head(c.Q, c.row, h), c.head(c.K, node, h), c.head(c.E, e, h), c.head(g.Out, c.row, h),
		g.Scores[e*c.Heads+h], c.kept(e, h))
}

func edgeGrad[T Float](dq, dk, dv, de, q, k, e, out []T, score, weight T) {
	for j := range q {
		dq[j] = fma(score, k[j]+e[j], dq[j])
		dk[j] = fma(score, q[j], dk[j])
		dv[j] = fma(weight, out[j], dv[j])
		de[j] = fma(weight, out[j], T(score*q[j]))
	}
}
