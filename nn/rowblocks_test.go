package nn

import (
	"math"
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

// meansTest has up to three blocks of 4 rows.
func meansTest(b *opBench) (*G.Node, []func()) {
	rows, blocks := NewRows(12), NewRows(3)
	set := func(n int) func() {
		return func() {
			rows.Set(4 * n)
			blocks.Set(n)
		}
	}
	return Means(b.input("x", rows, 5), b.leaf("like", blocks, 2)), []func(){set(3), set(1), set(0)}
}

func TestMeans(t *testing.T) { checkOp(t, meansTest) }

func TestMeansOfBlocks(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		b, x := newOpBench(t, d, meansTest), drawn("x", 12*5)
		got := b.results(0)[0]
		for i := range got {
			block, c := i/5, i%5
			want := 0.
			for r := range 4 {
				want += float64(x[(4*block+r)*5+c]) / 4
			}
			if math.Abs(float64(got[i])-want) > 1e-6 {
				t.Errorf("block %d, column %d: %v, expected %v", block, c, got[i], want)
			}
		}
	})
}
