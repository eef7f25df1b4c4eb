package nn

import (
	"fmt"
	"math"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
)

// blockTest is an operation on blocks of h columns.
func blockTest(h int, f func(x *G.Node) *G.Node) opTest {
	return func(b *opBench) (*G.Node, []func()) {
		rows := NewRows(5)
		return f(b.input("x", rows, 3*h)), []func(){func() { rows.Set(5) }, func() { rows.Set(2) }, func() { rows.Set(0) }}
	}
}

func TestSoftmax(t *testing.T) {
	for _, h := range []int{1, 2, 5, 10, 19} {
		for _, temperature := range []float64{1, 2.5} {
			t.Run(fmt.Sprintf("%d at %g", h, temperature), func(t *testing.T) {
				checkOp(t, blockTest(h, func(x *G.Node) *G.Node { return Softmax(x, h, temperature) }))
			})
		}
	}
}

// TestSparsemaxAndEntmax: the numbers drawn lie off the kinks, where an
// element enters the support.
func TestSparsemaxAndEntmax(t *testing.T) {
	for name, f := range map[string]func(*G.Node, int, float64) *G.Node{"sparsemax": Sparsemax, "entmax": Entmax} {
		for _, h := range []int{1, 2, 5, 19} {
			for _, temperature := range []float64{1, 2.5} {
				t.Run(fmt.Sprintf("%s %d at %g", name, h, temperature), func(t *testing.T) {
					checkOp(t, blockTest(h, func(x *G.Node) *G.Node { return f(x, h, temperature) }))
				})
			}
		}
	}
}

// TestDivideSum: without a floor, where a sum near zero spoils the numbers of
// float32, the blocks are long and of one sign for most part.
func TestDivideSum(t *testing.T) {
	for _, h := range []int{1, 2, 5, 19} {
		for _, floor := range []float64{.5, 2} {
			t.Run(fmt.Sprintf("%d above %g", h, floor), func(t *testing.T) {
				checkOp(t, blockTest(h, func(x *G.Node) *G.Node { return DivideSum(x, h, 1e-6, floor) }))
			})
		}
	}
}

// TestDivideSumFloor: eps has no sign, the floor has the sum's.
func TestDivideSumFloor(t *testing.T) {
	cases := []struct {
		eps, floor float64
		z, want    []float32
	}{
		{0, 0, []float32{1, 3}, []float32{.25, .75}},
		{.5, 0, []float32{-2, 1}, []float32{4, -2}},
		{0, 2, []float32{-.5, -.5}, []float32{.25, .25}},
		{1, 4, []float32{2, -3}, []float32{-2. / 3, 1}},
	}
	for _, c := range cases {
		onEveryDevice(t, func(t *testing.T, d kernels.Device) {
			g := NewGraph(d)
			z := g.Input("z", NewRows(1), 2)
			d.Write(g.Buffer(z), c.z)
			out := DivideSum(z, 2, c.eps, c.floor)
			p := g.Compile(ForInference, out)
			p.Run()
			closeTo(t, download(d, p.Buffer(out), 2), c.want)
		})
	}
}

// TestBlocksMustFit: a wrong size panics and gives no wrong result.
func TestBlocksMustFit(t *testing.T) {
	x := NewGraph(reference.New()).Input("x", NewRows(2), 10)
	for _, h := range []int{0, 3, 20} {
		if panicOf(func() { Softmax(x, h, 1) }) == "" {
			t.Errorf("blocks of %d in 10 columns are accepted", h)
		}
		if panicOf(func() { Sparsemax(x, h, 1) }) == "" {
			t.Errorf("sparsemax of %d in 10 columns is accepted", h)
		}
		if panicOf(func() { Entmax(x, h, 1) }) == "" {
			t.Errorf("entmax of %d in 10 columns is accepted", h)
		}
		if panicOf(func() { DivideSum(x, h, 0, 0) }) == "" {
			t.Errorf("sums of %d in 10 columns are accepted", h)
		}
	}
}

// TestParametersAreNotMerged: operations that differ in a parameter alone
// stay two, although gorgonia merges equal ones.
func TestParametersAreNotMerged(t *testing.T) {
	d := reference.New()
	g := NewGraph(d)
	x := g.Input("x", NewRows(1), 4)
	d.Write(g.Buffer(x), []float32{1, 2, 3, 4})
	outputs := G.Nodes{
		Softmax(x, 2, 1), Softmax(x, 4, 1), Softmax(x, 2, 1.0000001), Softmax(x, 2, 3),
		Sparsemax(x, 2, 5), Sparsemax(x, 2, 4), Entmax(x, 2, 4), Entmax(x, 4, 4),
		DivideSum(x, 2, 0, 0), DivideSum(x, 2, 1, 0), DivideSum(x, 2, 0, 9), DivideSum(x, 4, 0, 0),
	}
	p := g.Compile(ForTraining, outputs...)
	p.Run()
	for i, a := range outputs {
		for j, b := range outputs[:i] {
			if a == b {
				t.Errorf("%v and %v are one node", a, b)
			}
			if x, y := d.Exact(p.Buffer(a))[0], d.Exact(p.Buffer(b))[0]; math.Abs(x-y) < 1e-12 {
				t.Errorf("outputs %d and %d are both %v", i, j, x)
			}
		}
	}
}
