package nn

import (
	"testing"

	G "gorgonia.org/gorgonia"
)

func layerNormTest(b *opBench) (*G.Node, []func()) {
	rows := NewRows(6)
	out := LayerNorm(b.input("x", rows, 19), b.param("scale", 19), b.param("shift", 19), 1e-5)
	return out, []func(){func() { rows.Set(6) }, func() { rows.Set(1) }, func() { rows.Set(0) }}
}

func TestLayerNorm(t *testing.T) { checkOp(t, layerNormTest) }
