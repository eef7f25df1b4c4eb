//go:build gpu

package cuda_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
)

// TestProductsOfAllTiles: a result has the same bits in a product of many
// rows, which has large tiles, as in one of few.
func TestProductsOfAllTiles(t *testing.T) {
	d := cudatest.Device(t)
	info := cudatest.Card(t).Info()
	const few, side = 9, 64
	many := side*int(math.Ceil(math.Sqrt(float64(info.Multiprocessors)))) - 1 // as Gemm has it
	rng := rand.New(rand.NewPCG(1, 2))
	table := func(n int) kernels.Buffer {
		b := d.NewBuffer(n)
		d.Write(b, normals(rng, n))
		return b
	}
	bias := table(many)
	for _, k := range []int{5, 32, 37, 130, 260} { // a segment has whole slices of 32
		a := table(many * k)
		for _, op := range []kernels.Op{kernels.NN, kernels.NT} {
			b := table(k * many)
			product := func(rows int) []float32 {
				c, out := d.NewBuffer(rows*many), make([]float32, rows*many)
				d.Gemm(op, rows, many, k, a, b, c, bias, true)
				d.Read(out, c)
				return out
			}
			if large := product(many); !slices.Equal(product(few), large[:few*many]) {
				t.Errorf("operation %v, k = %d: with few rows, results differ", op, k)
			}
		}
	}
}

// TestProductsOfPaddedRows: zeros behind the rows that a product sums over, as
// padding has them, change no bit, for any tile.
func TestProductsOfPaddedRows(t *testing.T) {
	d := cudatest.Device(t)
	const most = 600
	rng := rand.New(rand.NewPCG(3, 4))
	for _, side := range []int{9, 150} { // 150: nine large tiles, on more multiprocessors small ones
		for _, rows := range []int{1, 31, 64, 100, 130} {
			a, b, c := d.NewBuffer(most*side), d.NewBuffer(most*side), d.NewBuffer(side*side)
			d.Write(a, normals(rng, most*side)) // padding may hold anything where the other has zeros
			d.Write(b, normals(rng, rows*side))
			product := func(rows int) []float32 {
				d.Gemm(kernels.TN, side, side, rows, a, b, c, nil, false)
				return read(d, c)
			}
			want := product(rows)
			for _, padded := range []int{rows + 1, rows + 64, 257, most} {
				if !slices.Equal(product(padded), want) {
					t.Errorf("%d x %d results: of %d rows they differ from those of the %d that are not zeros", side, side, padded, rows)
				}
			}
		}
	}
}
