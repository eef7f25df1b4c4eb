package nn

import (
	"slices"
	"testing"

	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
)

func gruTest(b *opBench) (*G.Node, []func()) {
	const in, units = 7, 19
	rows := NewRows(6)
	a, q := b.input("a", rows, in), b.input("q", rows, units)
	wi, wh := b.param("wi", in, 3*units), b.param("wh", units, 3*units)
	bi, bh := b.param("bi", 3*units), b.param("bh", 3*units)
	return GRU(a, q, wi, wh, bi, bh), []func(){func() { rows.Set(6) }, func() { rows.Set(1) }, func() { rows.Set(0) }}
}

func TestGRU(t *testing.T) { checkOp(t, gruTest) }

// gruOfSomeTest has states without input.
func gruOfSomeTest(b *opBench) (*G.Node, []func()) {
	const in, units = 7, 19
	first, rows := NewRows(6), NewRows(8)
	out := GRU(b.input("a", first, in), b.input("q", rows, units), b.param("wi", in, 3*units), b.param("wh", units, 3*units),
		b.param("bi", 3*units), b.param("bh", 3*units))
	size := func(some, all int) func() {
		return func() {
			first.Set(some)
			rows.Set(all)
		}
	}
	return out, []func(){size(6, 8), size(3, 3), size(0, 2), size(0, 0)}
}

func TestGRUOfSome(t *testing.T) { checkOp(t, gruOfSomeTest) }

// TestGRUWithoutInput: a state beyond the inputs has seen zeros.
func TestGRUWithoutInput(t *testing.T) {
	b := newOpBench(t, reference.New(), gruOfSomeTest)
	got := b.results(1)[0]
	b.batches[0]()
	d := b.device
	d.Zero(7*6, b.graph.Buffer(b.wrt[0]))
	b.train.Run()
	with := b.read(b.train, b.out)
	b.batches[2]()
	b.train.Run()
	without := b.read(b.train, b.out)
	closeTo(t, without, with[:2*19])
	if slices.Equal(got[:19], with[:19]) {
		t.Error("the input makes no difference")
	}
}
