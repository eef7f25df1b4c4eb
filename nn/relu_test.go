package nn

import (
	"testing"

	G "gorgonia.org/gorgonia"
)

func TestReLU(t *testing.T) {
	checkOp(t, func(b *opBench) (*G.Node, []func()) {
		rows := NewRows(6)
		return ReLU(b.input("x", rows, 19)), []func(){func() { rows.Set(6) }, func() { rows.Set(2) }, func() { rows.Set(0) }}
	})
}
