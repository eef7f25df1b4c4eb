package nn

import (
	"slices"
	"testing"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// transposeTest has up to three blocks of 4 rows and 5 columns.
func transposeTest(b *opBench) (*G.Node, []func()) {
	rows, cols := NewRows(12), NewRows(15)
	set := func(blocks int) func() {
		return func() {
			rows.Set(4 * blocks)
			cols.Set(5 * blocks)
		}
	}
	return Transpose(b.input("x", rows, 5), b.leaf("like", cols, 2)), []func(){set(3), set(1), set(0)}
}

func TestTranspose(t *testing.T) { checkOp(t, transposeTest) }

func TestTransposedBlocks(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		b, x := newOpBench(t, d, transposeTest), drawn("x", 12*5)
		var want []float32
		for block := range slices.Chunk(x, 4*5) {
			for c := range 5 {
				for r := range 4 {
					want = append(want, block[r*5+c])
				}
			}
		}
		if got := b.results(0)[0]; !slices.Equal(got, want) {
			t.Errorf("%v, expected %v", got, want)
		}
	})
}
