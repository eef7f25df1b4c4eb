package nn

import (
	"testing"

	G "gorgonia.org/gorgonia"
)

func rnnTest(b *opBench) (*G.Node, []func()) {
	const in, units = 7, 19
	first, rows := NewRows(6), NewRows(8)
	out := RNN(b.input("a", first, in), b.input("q", rows, units), b.param("wi", in, units), b.param("wh", units, units),
		b.param("bi", units), b.param("bh", units))
	size := func(some, all int) func() {
		return func() {
			first.Set(some)
			rows.Set(all)
		}
	}
	return out, []func(){size(6, 8), size(3, 3), size(0, 2)}
}

func TestRNN(t *testing.T) { checkOp(t, rnnTest) }
