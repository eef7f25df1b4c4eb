package nn

import (
	"math"
	"testing"

	"dgsbench/kernels/cpu"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// network is the same two-layer network with dropout and loss in three ways
// of running it.
type network struct {
	rows, in, hidden     int
	x, w1, b1, w2, b2    []float32
	mask, target, weight []float32
}

func newNetwork() network {
	n := network{rows: 6, in: 5, hidden: 4}
	r := Rand(9, "network")
	draw := func(size int) []float32 {
		out := make([]float32, size)
		for i := range out {
			out[i] = float32(r.NormFloat64())
		}
		return out
	}
	n.x, n.w1, n.b1 = draw(n.rows*n.in), draw(n.in*n.hidden), draw(n.hidden)
	n.w2, n.b2 = draw(n.hidden), draw(1)
	n.mask = make([]float32, n.rows*n.hidden)
	DrawMask(n.mask, .3, source(9, ForDropout))
	for k := range n.rows {
		n.target, n.weight = append(n.target, float32(k%2)), append(n.weight, float32(r.Float64()))
	}
	return n
}

// node binds values, so that gorgonia's own machine can run the graph.
func valueNode(g *G.ExprGraph, name string, values []float32, shape ...int) *G.Node {
	t := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
	return G.NewTensor(g, tensor.Float32, len(shape), G.WithShape(shape...), G.WithName(name), G.WithValue(t))
}

// onTape runs loss and gradients on gorgonia's tape machine.
func onTape(t *testing.T, g *G.ExprGraph, loss *G.Node, params G.Nodes) (float32, [][]float32) {
	t.Helper()
	grads := Gradients(loss, params...)
	values := make([]G.Value, len(grads)+1)
	for i, n := range append(grads, loss) {
		G.Read(n, &values[i])
	}
	vm := G.NewTapeMachine(g)
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		t.Fatal(err)
	}
	var out [][]float32
	for _, v := range values {
		out = append(out, append([]float32(nil), numbers(v)...))
	}
	return out[len(grads)][0], out[:len(grads)]
}

// composed is the network of gorgonia's own operations.
func (n network) composed(t *testing.T) (float32, [][]float32) {
	g := G.NewGraph()
	ones := valueNode(g, "ones", constant(n.rows, 1), n.rows, 1)
	w1, b1 := valueNode(g, "w1", n.w1, n.in, n.hidden), valueNode(g, "b1", n.b1, 1, n.hidden)
	w2, b2 := valueNode(g, "w2", n.w2, n.hidden, 1), valueNode(g, "b2", n.b2, 1, 1)
	dense := func(x, w, b *G.Node) *G.Node { return G.Must(G.Add(G.Must(G.Mul(x, w)), G.Must(G.Mul(ones, b)))) }
	h := G.Must(G.Rectify(dense(valueNode(g, "x", n.x, n.rows, n.in), w1, b1)))
	h = G.Must(G.HadamardProd(h, valueNode(g, "mask", n.mask, n.rows, n.hidden)))
	z := dense(h, w2, b2)
	y := valueNode(g, "y", n.target, n.rows, 1)
	each := G.Must(G.Sub(G.Must(G.Softplus(z)), G.Must(G.HadamardProd(z, y))))
	loss := G.Must(G.Sum(G.Must(G.HadamardProd(each, valueNode(g, "w", n.weight, n.rows, 1)))))
	return onTape(t, g, loss, G.Nodes{w1, b1, w2, b2})
}

// fused is the network of our operations, on gorgonia's machine.
func (n network) fused(t *testing.T) (float32, [][]float32) {
	g := G.NewGraph()
	w1, b1 := valueNode(g, "w1", n.w1, n.in, n.hidden), valueNode(g, "b1", n.b1, n.hidden)
	w2, b2 := valueNode(g, "w2", n.w2, n.hidden, 1), valueNode(g, "b2", n.b2, 1)
	h := Dense(valueNode(g, "x", n.x, n.rows, n.in), w1, b1, true)
	h = Dropout(h, valueNode(g, "mask", n.mask, n.rows, n.hidden))
	z := Dense(h, w2, b2, false)
	loss := BCE(z, valueNode(g, "y", n.target, n.rows, 1), valueNode(g, "w", n.weight, n.rows, 1))
	return onTape(t, g, loss, G.Nodes{w1, b1, w2, b2})
}

// compiled is the network of our operations as a program.
func (n network) compiled(t *testing.T) (float32, [][]float32) {
	d := cpu.NewDevice(cpu.Best(), 1)
	g, rows := NewGraph(d), NewRows(n.rows)
	input := func(name string, values []float32, cols int) *G.Node {
		in := g.Input(name, rows, cols)
		d.Write(g.Buffer(in), values)
		return in
	}
	w1, b1 := g.Param("w1", n.w1, n.in, n.hidden), g.Param("b1", n.b1, n.hidden)
	w2, b2 := g.Param("w2", n.w2, n.hidden, 1), g.Param("b2", n.b2, 1)
	h := Dense(input("x", n.x, n.in), w1, b1, true)
	h = Dropout(h, input("mask", n.mask, n.hidden))
	z := Dense(h, w2, b2, false)
	loss := BCE(z, input("y", n.target, 1), input("w", n.weight, 1))
	params := G.Nodes{w1, b1, w2, b2}
	grads := Gradients(loss, params...)
	p := g.Compile(ForTraining, append(grads, loss)...)
	p.Run()
	var out [][]float32
	for i, n := range grads {
		out = append(out, download(d, p.Buffer(n), params[i].Shape().TotalSize()))
	}
	return download(d, p.Buffer(loss), 1)[0], out
}

func constant(n int, v float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// TestThreeWaysAgree: gorgonia's operations on its tape machine, ours on the
// tape machine, and ours compiled.
func TestThreeWaysAgree(t *testing.T) {
	n := newNetwork()
	wantLoss, want := n.composed(t)
	for name, run := range map[string]func(*testing.T) (float32, [][]float32){"fused": n.fused, "compiled": n.compiled} {
		loss, grads := run(t)
		if math.Abs(float64(loss-wantLoss)) > 1e-5 {
			t.Errorf("%s: loss %v, expected %v", name, loss, wantLoss)
		}
		for i := range want {
			closeTo(t, grads[i], want[i])
		}
	}
}
