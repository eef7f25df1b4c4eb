package nn

import (
	"testing"

	G "gorgonia.org/gorgonia"
)

func TestUnitRows(t *testing.T) {
	checkOp(t, func(b *opBench) (*G.Node, []func()) {
		rows := NewRows(6)
		out := UnitRows(b.input("x", rows, 19))
		return out, []func(){func() { rows.Set(6) }, func() { rows.Set(1) }, func() { rows.Set(0) }}
	})
}
