package nn

import (
	"strings"
	"testing"

	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
)

func TestSpread(t *testing.T) {
	checkOp(t, overRows(func(b *opBench) *G.Node { return Spread(b.param("x", 1), 19) }))
}

// TestSpreadTakesOneNumber: more are refused.
func TestSpreadTakesOneNumber(t *testing.T) {
	x := NewGraph(reference.New()).Param("x", make([]float32, 2), 2)
	if got := panicOf(func() { Spread(x, 5) }); !strings.Contains(got, "spread") {
		t.Errorf("spreading two numbers: panic %q, expected one that names it", got)
	}
}
