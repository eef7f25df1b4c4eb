package nn

import (
	"fmt"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
	"pgregory.net/rapid"
)

// TestRandomGraphs: whatever the graph, the values of the outputs are those
// that every node has if it is computed by itself, although buffers are used
// again, and for every number of active rows.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const capacity, width = 4, 3
		d := reference.New()
		g, rows := NewGraph(d), NewRows(capacity)
		var nodes G.Nodes
		for i := range 3 {
			in := g.Input(fmt.Sprintf("in%d", i), rows, width)
			values := make([]float32, capacity*width)
			for k := range values {
				values[k] = float32((i+2)*(k+1)%7) - 3
			}
			d.Write(g.Buffer(in), values)
			nodes = append(nodes, in)
		}
		w := g.Param("w", []float32{1, -1, 0, .5, 1, 0, 0, -.5, 1}, width, width)
		b := g.Param("b", []float32{.25, 0, -.25}, width)
		gates, bias := g.Param("gates", drawn("gates", 3*width*width), width, 3*width), g.Param("bias", drawn("bias", 3*width), 3*width)
		for range rapid.IntRange(1, 12).Draw(t, "operations") {
			pick := func(name string) *G.Node { return nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, name)] }
			var n *G.Node
			switch rapid.IntRange(0, 4).Draw(t, "operation") {
			case 0:
				n = Dense(pick("x"), w, b, rapid.Bool().Draw(t, "relu"))
			case 1:
				n = Dropout(pick("h"), pick("mask"))
			case 2: // a view of a packed result
				n = GRU(pick("a"), pick("q"), gates, gates, bias, bias)
			case 3:
				n = LayerNorm(pick("x"), b, b, 1)
			default:
				n = G.Must(G.Add(pick("a"), pick("b")))
			}
			nodes = append(nodes, n)
		}
		mode := rapid.SampledFrom([]Mode{ForTraining, ForInference}).Draw(t, "mode")
		outputs := G.Nodes{nodes[len(nodes)-1], nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, "output")]}
		together := g.Compile(mode, outputs...)
		for _, active := range []int{capacity, 2, 1} {
			rows.Set(active)
			together.Run()
			for _, n := range outputs {
				got := download(d, together.Buffer(n), active*width)
				if want := g.alone(t, mode, n, active*width); !slices.Equal(got, want) {
					t.Fatalf("%v, %d rows: %v, expected %v", n, active, got, want)
				}
			}
		}
	})
}

// alone computes a node with a program for each of the nodes below it, so
// that no two values share a buffer.
func (g *Graph) alone(t *rapid.T, mode Mode, n *G.Node, size int) []float32 {
	sorted, err := G.Sort(g.expr)
	if err != nil {
		t.Fatal(err)
	}
	// Every node is an output: none of the buffers can be used again. (Those
	// of packed vectors never are in inference, and they cannot be outputs.)
	var all G.Nodes
	for _, m := range slices.Backward(sorted) {
		if mode == ForInference && m.Dims() == 1 {
			continue
		}
		if m.Op() != nil || m == n {
			all = append(all, m)
		}
	}
	p := g.Compile(mode, all...)
	p.Run()
	return download(g.device, p.Buffer(n), size)
}

// counting counts the buffers that a compilation allocates.
type counting struct {
	kernels.Device
	buffers int
}

func (c *counting) NewBuffer(n int) kernels.Buffer {
	c.buffers++
	return c.Device.NewBuffer(n)
}

// TestBuffersAreShared: a long chain needs two buffers, sums and dropout
// none of their own, and what no output depends on costs nothing.
func TestBuffersAreShared(t *testing.T) {
	d := &counting{Device: reference.New()}
	g, rows := NewGraph(d), NewRows(5)
	x := g.Input("x", rows, 3)
	h := x
	w, b := g.Param("w", make([]float32, 9), 3, 3), g.Param("b", make([]float32, 3), 3)
	Dropout(h, h) // dead
	for range 10 {
		h = Dense(h, w, b, true)
	}
	before := d.buffers
	p := g.Compile(ForTraining, h)
	if got := d.buffers - before; got != 2 {
		t.Errorf("%d buffers for a chain of ten layers, expected 2", got)
	}
	if len(p.stages) != 1 || len(p.stages[0].calls) != 10 {
		t.Errorf("%d stages, %d calls in the first, expected one with 10", len(p.stages), len(p.stages[0].calls))
	}
	before = d.buffers
	if g.Compile(ForTraining, Add(Dropout(Dense(x, w, b, true), x), x)); d.buffers-before != 1 {
		t.Errorf("%d buffers for a layer, dropout and a sum, expected 1: they are written over their first operand", d.buffers-before)
	}
}

// TestForeignOperations are refused with their name.
func TestForeignOperations(t *testing.T) {
	g := NewGraph(reference.New())
	x := g.Input("x", NewRows(2), 2)
	if panicOf(func() { g.Compile(ForTraining, G.Must(G.Tanh(x))) }) == "" {
		t.Error("an operation without a kernel is accepted")
	}
}
