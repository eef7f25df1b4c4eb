package nn

import (
	"fmt"
	"testing"

	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
)

// tape builds the mathematics of an operation from gorgonia's own. Leaves
// have the numbers of the bench's leaves of that name.
type tape struct {
	graph *G.ExprGraph
	wrt   G.Nodes
}

// param has a gradient. Vectors are matrices of one row here.
func (p *tape) param(name string, rows, cols int) *G.Node {
	n := valueNode(p.graph, name, drawn(name, rows*cols), rows, cols)
	p.wrt = append(p.wrt, n)
	return n
}

// gate is one of three blocks of columns of a leaf.
func (p *tape) gate(name string, block, rows, cols int) *G.Node {
	all, values := drawn(name, rows*3*cols), make([]float32, 0, rows*cols)
	for i := range rows {
		values = append(values, all[(3*i+block)*cols:][:cols]...)
	}
	n := valueNode(p.graph, name+[]string{" r", " z", " n"}[block], values, rows, cols)
	p.wrt = append(p.wrt, n)
	return n
}

func (p *tape) all(v float32, rows, cols int) *G.Node {
	return valueNode(p.graph, fmt.Sprintf("%v, %d x %d", v, rows, cols), constant(rows*cols, v), rows, cols)
}

// down repeats a row.
func (p *tape) down(row *G.Node, rows int) *G.Node { return mul(p.all(1, rows, 1), row) }

func mul(a, b *G.Node) *G.Node { return G.Must(G.Mul(a, b)) }
func add(a, b *G.Node) *G.Node { return G.Must(G.Add(a, b)) }
func sub(a, b *G.Node) *G.Node { return G.Must(G.Sub(a, b)) }
func had(a, b *G.Node) *G.Node { return G.Must(G.HadamardProd(a, b)) }
func div(a, b *G.Node) *G.Node { return G.Must(G.HadamardDiv(a, b)) }

// tapeCases are operations that gorgonia can express.
var tapeCases = []struct {
	name string
	test opTest
	tape func(p *tape) *G.Node
}{
	{"gru", gruTest, tapeGRU},
	{"time encoding", timeEncodeTest, func(p *tape) *G.Node {
		dt := valueNode(p.graph, "dt", drawn("dt", 6), 6, 1)
		return G.Must(G.Cos(add(mul(dt, p.param("w", 1, 19)), p.down(p.param("b", 1, 19), 6))))
	}},
	{"time projection", timeProjectTest, func(p *tape) *G.Node {
		dt := valueNode(p.graph, "dt", drawn("dt", 6), 6, 1)
		m := p.param("m", 6, 19)
		return had(m, add(p.all(1, 6, 19), add(mul(dt, p.param("w", 1, 19)), p.down(p.param("b", 1, 19), 6))))
	}},
	{"sigmoid", sigmoidTest, func(p *tape) *G.Node { return G.Must(G.Sigmoid(p.param("x", 6, 19))) }},
	{"gelu", geluTest, func(p *tape) *G.Node {
		x := p.param("x", 6, 19)
		cube := had(x, had(x, x))
		inner := add(x, had(p.all(.044715, 6, 19), cube))
		return had(x, G.Must(G.Sigmoid(had(p.all(1.5957691, 6, 19), inner))))
	}},
	{"mix", mixTest(false), func(p *tape) *G.Node {
		return tapeMix(p, p.down(p.param("alpha", 1, 19), 6), p.down(p.param("beta", 1, 19), 6))
	}},
	{"mix per row", mixTest(true), func(p *tape) *G.Node {
		return tapeMix(p, p.param("alpha", 6, 19), p.param("beta", 6, 19))
	}},
	{"softmax", blockTest(5, func(x *G.Node) *G.Node { return Softmax(x, 5, 2.5) }), func(p *tape) *G.Node {
		x := G.Must(G.Reshape(p.param("x", 5, 15), []int{15, 5}))
		e := G.Must(G.Exp(div(x, p.all(2.5, 15, 5))))
		return G.Must(G.Reshape(div(e, mul(e, p.all(1, 5, 5))), []int{5, 15}))
	}},
	{"divide by sum", blockTest(5, func(x *G.Node) *G.Node { return DivideSum(x, 5, .5, 0) }), func(p *tape) *G.Node {
		x := G.Must(G.Reshape(p.param("x", 5, 15), []int{15, 5}))
		return G.Must(G.Reshape(div(x, add(mul(x, p.all(1, 5, 5)), p.all(.5, 15, 5))), []int{5, 15}))
	}},
	{"layer norm", layerNormTest, func(p *tape) *G.Node {
		x, mean := p.param("x", 6, 19), p.all(1./19, 19, 19)
		deviation := sub(x, mul(x, mean))
		variance := mul(had(deviation, deviation), mean)
		hat := div(deviation, G.Must(G.Sqrt(add(variance, p.all(1e-5, 6, 19)))))
		return add(had(hat, p.down(p.param("scale", 1, 19), 6)), p.down(p.param("shift", 1, 19), 6))
	}},
	{"pair decoder", decoderTest, func(p *tape) *G.Node {
		left, right := p.param("left", 6, 5), p.param("right", 6, 5)
		u := add(mul(left, p.param("wl", 5, 19)), p.down(p.param("bl", 1, 19), 6))
		v := add(mul(right, p.param("wr", 5, 19)), p.down(p.param("br", 1, 19), 6))
		h := G.Must(G.Rectify(add(u, v)))
		return add(mul(h, p.param("wo", 19, 1)), p.down(p.param("bo", 1, 1), 6))
	}},
}

// tapeGRU has a matrix for each gate.
func tapeGRU(p *tape) *G.Node {
	const rows, in, units = 6, 7, 19
	a, q := p.param("a", rows, in), p.param("q", rows, units)
	input := func(gate int) *G.Node {
		return add(mul(a, p.gate("wi", gate, in, units)), p.down(p.gate("bi", gate, 1, units), rows))
	}
	state := func(gate int) *G.Node {
		return add(mul(q, p.gate("wh", gate, units, units)), p.down(p.gate("bh", gate, 1, units), rows))
	}
	r := G.Must(G.Sigmoid(add(input(0), state(0))))
	z := G.Must(G.Sigmoid(add(input(1), state(1))))
	n := G.Must(G.Tanh(add(input(2), had(r, state(2)))))
	return add(had(sub(p.all(1, rows, units), z), n), had(z, q))
}

func tapeMix(p *tape, alpha, beta *G.Node) *G.Node {
	one := p.all(1, 6, 19)
	inner := add(had(sub(one, alpha), p.param("e", 6, 19)), had(alpha, p.param("other", 6, 19)))
	return add(had(beta, p.param("self", 6, 19)), had(sub(one, beta), inner))
}

// TestOpsMatchTheTapeMachine: output and gradients.
func TestOpsMatchTheTapeMachine(t *testing.T) {
	for _, c := range tapeCases {
		t.Run(c.name, func(t *testing.T) {
			b := newOpBench(t, reference.New(), c.test)
			got := map[string][]float32{}
			for i, values := range b.results(0)[1:] {
				got[b.wrt[i].Name()] = values
			}
			p := &tape{graph: G.NewGraph()}
			out := c.tape(p)
			weights := valueNode(p.graph, "weights of the loss", drawn("weights of the loss", out.Shape().TotalSize()), out.Shape()...)
			loss, grads := onTape(t, p.graph, G.Must(G.Sum(had(out, weights))), p.wrt)
			closeTo(t, download(b.device, b.train.Buffer(b.loss), 1), []float32{loss})
			for i, n := range p.wrt {
				closeTo(t, gateOf(got, n), grads[i])
			}
		})
	}
}

// gateOf finds the numbers of a leaf, or of a gate of one.
func gateOf(got map[string][]float32, n *G.Node) []float32 {
	if all, ok := got[n.Name()]; ok {
		return all
	}
	name, block := n.Name()[:len(n.Name())-2], map[byte]int{'r': 0, 'z': 1, 'n': 2}[n.Name()[len(n.Name())-1]]
	rows, cols := n.Shape()[0], n.Shape()[1]
	var out []float32
	for i := range rows {
		out = append(out, got[name][(3*i+block)*cols:][:cols]...)
	}
	return out
}
