package nn

import (
	"testing"

	G "gorgonia.org/gorgonia"
)

func timeEncodeTest(b *opBench) (*G.Node, []func()) {
	rows := NewRows(6)
	out := TimeEncode(b.leaf("dt", rows, 1), b.param("w", 19), b.param("b", 19))
	return out, []func(){func() { rows.Set(6) }, func() { rows.Set(3) }, func() { rows.Set(0) }}
}

func TestTimeEncode(t *testing.T) { checkOp(t, timeEncodeTest) }

func timeProjectTest(b *opBench) (*G.Node, []func()) {
	rows := NewRows(6)
	out := TimeProject(b.input("m", rows, 19), b.leaf("dt", rows, 1), b.param("w", 19), b.param("b", 19))
	return out, []func(){func() { rows.Set(6) }, func() { rows.Set(3) }, func() { rows.Set(0) }}
}

func TestTimeProject(t *testing.T) { checkOp(t, timeProjectTest) }
