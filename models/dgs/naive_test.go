package dgs

import (
	"math"
	"math/rand/v2"
	"sort"
)

// naive is the forward pass written out in float64 from the paper's
// equation, without any derivative: those of the model are compared with
// central differences of its loss.
type naive struct {
	o       *Options
	size, f int
	// W is size x f; alpha and beta are as learned: logits, or values with
	// Clamp; alphaW and betaW (size x f) are for Input.
	w, alphaW, betaW [][]float64
	alpha, beta      []float64
	head             naiveHead
	s                [][]float64
}

// naiveHead is W2 relu(W1 x + b1) + b2.
type naiveHead struct {
	w1     [][]float64
	b1, w2 []float64
	b2     float64
}

func (h naiveHead) logit(x []float64) float64 {
	z := h.b2
	for i, row := range h.w1 {
		sum := h.b1[i]
		for j, w := range row {
			sum += w * x[j]
		}
		z += h.w2[i] * max(sum, 0)
	}
	return z
}

func bce(z, y float64) float64 { return math.Log1p(math.Exp(-math.Abs(z))) + max(z, 0) - z*y }

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// factor is alpha or beta of number j at an event.
func (n *naive) factor(values []float64, weights [][]float64, x []float64, j int) float64 {
	z := values[j%len(values)]
	if n.o.Factors == Input {
		for c, v := range x {
			z += weights[j][c] * v
		}
	}
	if n.o.Range == Clamp {
		return z
	}
	return sigmoid(z)
}

// embed is E(x).
func (n *naive) embed(x []float64) []float64 {
	z := make([]float64, n.size)
	for j := range z {
		for c, v := range x {
			z[j] += n.w[j][c] * v
		}
	}
	h := n.o.Size / n.o.Blocks
	for lo := 0; lo < n.size; lo += h {
		n.normalise(z[lo : lo+h])
	}
	return z
}

func (n *naive) normalise(z []float64) {
	if n.o.Embedding != Sum {
		for i := range z {
			z[i] /= n.o.Temperature
		}
	}
	switch n.o.Embedding {
	case Softmax:
		sum := 0.0
		for i := range z {
			z[i] = math.Exp(z[i])
			sum += z[i]
		}
		for i := range z {
			z[i] /= sum
		}
	case Sum:
		sum := sumEps
		for _, v := range z {
			sum += v
		}
		for i := range z {
			z[i] /= sum
		}
	case Sparsemax:
		simplex(z, func(v, tau float64) float64 { return max(v-tau, 0) })
	case Entmax:
		simplex(z, func(v, tau float64) float64 { return math.Pow(max(v/2-tau, 0), 2) })
	}
}

// simplex finds by bisection the tau for which the weights add up to one.
func simplex(z []float64, weight func(v, tau float64) float64) {
	sorted := append([]float64(nil), z...)
	sort.Float64s(sorted)
	lo, hi := sorted[0]-2, sorted[len(z)-1]+2
	for range 200 {
		tau, sum := (lo+hi)/2, 0.0
		for _, v := range z {
			sum += weight(v, tau)
		}
		if sum > 1 {
			lo = tau
		} else {
			hi = tau
		}
	}
	for i, v := range z {
		z[i] = weight(v, (lo+hi)/2)
	}
}

// after is the state of self after an event with other.
func (n *naive) after(self, other, x []float64) []float64 {
	e, out := n.embed(x), make([]float64, n.size)
	for j := range out {
		a, b := n.factor(n.alpha, n.alphaW, x, j), n.factor(n.beta, n.betaW, x, j)
		out[j] = b*self[j] + (1-b)*((1-a)*e[j]+a*other[j])
	}
	return out
}

// event is one of a stream.
type event struct {
	src, dst, neg int
	label         float64
	x             []float64
}

// loss is that of a batch, from the given states.
func (n *naive) loss(batch []event, pairs bool) float64 {
	sum := 0.0
	for _, e := range batch {
		if pairs {
			left := n.s[e.src]
			sum += bce(n.head.logit(append(append([]float64{}, left...), n.s[e.dst]...)), 1)
			sum += bce(n.head.logit(append(append([]float64{}, left...), n.s[e.neg]...)), 0)
		} else {
			sum += bce(n.head.logit(n.after(n.s[e.src], n.s[e.dst], e.x)), e.label)
		}
	}
	return sum / float64(len(batch))
}

// fold replaces the states by those after the batch: all read the old ones,
// the last write stays.
func (n *naive) fold(batch []event) {
	next := append([][]float64(nil), n.s...)
	for _, e := range batch {
		next[e.src] = n.after(n.s[e.src], n.s[e.dst], e.x)
		next[e.dst] = n.after(n.s[e.dst], n.s[e.src], e.x)
	}
	n.s = next
}

// reset sets the states of all nodes to zero; nodes is their number.
func (n *naive) reset(nodes int) {
	n.s = make([][]float64, nodes)
	for i := range n.s {
		n.s[i] = make([]float64, n.size)
	}
}

// total is the sum of the losses of all batches from zero states.
func (n *naive) total(events []event, size, nodes int, pairs bool) float64 {
	n.reset(nodes)
	sum := 0.0
	for lo := 0; lo < len(events); lo += size {
		batch := events[lo:min(lo+size, len(events))]
		sum += n.loss(batch, pairs)
		n.fold(batch)
	}
	return sum
}

// parameters lists all numbers below the head, by the model's names.
func (n *naive) parameters() map[string][]*float64 {
	out := map[string][]*float64{}
	vector := func(name string, v []float64) {
		for i := range v {
			out[name] = append(out[name], &v[i])
		}
	}
	matrix := func(name string, rows [][]float64) { // the model's is in x out
		if rows == nil {
			return
		}
		for c := range n.f {
			for j := range rows {
				out[name] = append(out[name], &rows[j][c])
			}
		}
	}
	suffix := "_logit"
	if n.o.Range == Clamp {
		suffix = ""
	}
	vector("alpha"+suffix, n.alpha)
	vector("beta"+suffix, n.beta)
	matrix("W", n.w)
	matrix("alpha_weights", n.alphaW)
	matrix("beta_weights", n.betaW)
	return out
}

// drawNaive has random parameters, rounded to float32 so that a model can
// have the same.
func drawNaive(r *rand.Rand, o *Options, f, hidden int, pairs bool) *naive {
	n := &naive{o: o, size: o.Size, f: f}
	vector := func(count int, low, high float64) []float64 {
		out := make([]float64, count)
		for i := range out {
			out[i] = float64(float32(low + r.Float64()*(high-low)))
		}
		return out
	}
	matrix := func(rows, cols int) [][]float64 {
		out := make([][]float64, rows)
		for i := range out {
			out[i] = vector(cols, -1, 1)
		}
		return out
	}
	count, low := n.size, -2.0
	if o.Factors == Scalar {
		count = 1
	}
	if o.Range == Clamp {
		low = .1
	}
	n.alpha, n.beta = vector(count, low, .9), vector(count, low, .9)
	n.w = matrix(n.size, f)
	if o.Embedding == Sum { // away from sums of zero, with positive features
		for _, row := range n.w {
			for c := range row {
				row[c] = float64(float32(math.Abs(row[c]) + .2))
			}
		}
	}
	if o.Factors == Input {
		n.alphaW, n.betaW = matrix(n.size, f), matrix(n.size, f)
	}
	in := n.size
	if pairs {
		in *= 2
	}
	n.head = naiveHead{w1: matrix(hidden, in), b1: vector(hidden, -1, 1), w2: vector(hidden, -1, 1), b2: vector(1, -1, 1)[0]}
	return n
}
