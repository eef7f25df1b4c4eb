package nn

import (
	"testing"

	G "gorgonia.org/gorgonia"
)

func sigmoidTest(b *opBench) (*G.Node, []func()) {
	rows := NewRows(6)
	return Sigmoid(b.input("x", rows, 19)), []func(){func() { rows.Set(6) }, func() { rows.Set(2) }, func() { rows.Set(0) }}
}

func TestSigmoid(t *testing.T) { checkOp(t, sigmoidTest) }

func TestSigmoidOfAVector(t *testing.T) {
	checkOp(t, overRows(func(b *opBench) *G.Node { return Sigmoid(b.param("x", 19)) }))
}

// overRows makes the vector of 19 that an operation gives the bias of a
// layer, so that there are batches.
func overRows(vector func(b *opBench) *G.Node) opTest {
	return func(b *opBench) (*G.Node, []func()) {
		rows := NewRows(6)
		out := Dense(b.input("h", rows, 3), b.param("w", 3, 19), vector(b), false)
		return out, []func(){func() { rows.Set(6) }, func() { rows.Set(2) }}
	}
}
