package nn

import (
	"testing"

	G "gorgonia.org/gorgonia"
)

func gruTest(b *opBench) (*G.Node, []func()) {
	const in, units = 7, 19
	rows := NewRows(6)
	a, q := b.input("a", rows, in), b.input("q", rows, units)
	wi, wh := b.param("wi", in, 3*units), b.param("wh", units, 3*units)
	bi, bh := b.param("bi", 3*units), b.param("bh", 3*units)
	return G.Must(GRU(a, q, wi, wh, bi, bh)), []func(){func() { rows.Set(6) }, func() { rows.Set(1) }, func() { rows.Set(0) }}
}

func TestGRU(t *testing.T) { checkOp(t, gruTest) }
