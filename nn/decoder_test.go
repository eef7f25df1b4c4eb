package nn

import (
	"testing"

	G "gorgonia.org/gorgonia"
)

func decoderTest(b *opBench) (*G.Node, []func()) {
	rows := NewRows(6)
	out := PairDecoder(b.input("left", rows, 5), b.input("right", rows, 5), DecoderParams{
		Left: b.param("wl", 5, 19), LeftBias: b.param("bl", 19),
		Right: b.param("wr", 5, 19), RightBias: b.param("br", 19),
		Out: b.param("wo", 19, 1), OutBias: b.param("bo", 1),
	})
	return out, []func(){func() { rows.Set(6) }, func() { rows.Set(2) }, func() { rows.Set(0) }}
}

func TestPairDecoder(t *testing.T) { checkOp(t, decoderTest) }

// TestPairMLP is the perceptron on both vectors side by side.
func TestPairMLP(t *testing.T) {
	checkOp(t, func(b *opBench) (*G.Node, []func()) {
		rows := NewRows(6)
		pair := Concat(b.input("left", rows, 5), b.input("right", rows, 3))
		h := Dense(pair, b.param("w1", 8, 19), b.param("b1", 19), true)
		out := Dense(h, b.param("w2", 19, 1), b.param("b2", 1), false)
		return out, []func(){func() { rows.Set(6) }, func() { rows.Set(2) }, func() { rows.Set(0) }}
	})
}
