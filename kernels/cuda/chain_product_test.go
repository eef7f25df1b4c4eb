//go:build gpu

package cuda_test

import (
	"math/rand/v2"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
)

// TestChainProducts: products in chains, whose threads read one, two or four
// columns of the weights at once and add eight terms or what is left, are
// those of the device.
func TestChainProducts(t *testing.T) {
	const most = 20
	d := cudatest.Device(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, cols := range []int{1, 2, 5, 6, 8, 34, 300} {
		for _, inner := range []int{1, 7, 8, 9, 29, 172} {
			x, w, bias := d.NewBuffer(most*inner), d.NewBuffer(1+inner*cols), d.NewBuffer(cols)
			out, expected := d.NewBuffer(most*cols), d.NewBuffer(most*cols)
			for _, b := range []kernels.Buffer{x, w, bias} {
				d.Write(b, normals(rng, b.Len()))
			}
			// The second one begins where only single numbers can be read.
			for _, weights := range []kernels.Buffer{d.View(w, 0, inner*cols), d.View(w, 1, inner*cols)} {
				c := d.(kernels.Fuser).Fuse(most)
				for _, rows := range []int{1, 3, 7, most} {
					c.Begin(rows)
					c.Gemm(kernels.NN, rows, cols, inner, x, weights, out, bias, true)
					c.End()
					d.Gemm(kernels.NN, rows, cols, inner, x, weights, expected, bias, true)
					got, want := make([]float32, rows*cols), make([]float32, rows*cols)
					d.Read(got, out)
					d.Read(want, expected)
					near(t, rows, "a product", got, want)
				}
			}
		}
	}
}
