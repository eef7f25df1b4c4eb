package nn

import (
	"strings"
	"testing"

	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
)

func TestSpread(t *testing.T) {
	checkOp(t, overRows(func(b *opBench) *G.Node { return G.Must(Spread(b.param("x", 1), 19)) }))
}

// TestSpreadTakesOneNumber: more are refused.
func TestSpreadTakesOneNumber(t *testing.T) {
	x := NewGraph(reference.New()).Param("x", make([]float32, 2), 2)
	if _, err := Spread(x, 5); err == nil || !strings.Contains(err.Error(), "spread") {
		t.Errorf("spreading two numbers: %v, expected an error that names it", err)
	}
}
