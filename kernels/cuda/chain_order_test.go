//go:build gpu

package cuda_test

import (
	"math/rand/v2"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
)

// TestChainOrder: calls of a chain run in order where that matters: products of
// products with the same weights, with and without
// relu, or to where the one before reads, which are not joined, products that
// share the memory of partial sums, and columns that are written twice.
func TestChainOrder(t *testing.T) {
	for _, d := range cudatest.Devices(t) {
		checkOrder(t, d, 7, 40)
		checkOrder(t, d, 1, 40) // where no number of rows makes up for columns that are not in fours
		checkOrder(t, d, 7, 12) // one thread has a whole sum
		checkOrder(t, d, 2, 1)  // a product of one term
	}
}

func checkOrder(t *testing.T, d kernels.Device, rows, size int) {
	t.Helper()
	joined, rng := size*3/2, rand.New(rand.NewPCG(7, 8))
	x, w, other := d.NewBuffer(rows*size), d.NewBuffer(size*size), d.NewBuffer(size*size)
	for _, b := range []kernels.Buffer{x, w, other} {
		d.Write(b, normals(rng, b.Len()))
	}
	calls := func(d kernels.Device, out kernels.Buffer) {
		d.NewBuffer(rows * 3) // what follows it is still read four numbers at a time
		once, twice, third := d.NewBuffer(rows*size), d.NewBuffer(rows*size), d.NewBuffer(rows*size)
		signed, all := d.NewBuffer(rows*size), d.NewBuffer(rows*joined)
		d.Gemm(kernels.NN, rows, size, size, x, w, once, nil, true)
		d.Gemm(kernels.NN, rows, size, size, once, w, twice, nil, true)
		d.Gemm(kernels.NN, rows, size, size, once, other, third, nil, true)
		d.Gemm(kernels.NN, rows, size, size, once, other, signed, nil, false)
		d.Gemm(kernels.NN, rows, size, size, third, other, once, nil, false)
		d.Add(rows*size, twice, twice, signed)
		d.Add(rows*size, twice, twice, once)
		d.CopyRows(rows, size, all, joined, twice, size)
		d.CopyRows(rows, size, d.View(all, joined-size, (rows-1)*joined+size), joined, third, size)
		d.CopyRows(rows, joined, out, joined, all, joined)
	}
	out, expected := d.NewBuffer(rows*joined), d.NewBuffer(rows*joined)
	c := d.(kernels.Fuser).Fuse(rows)
	c.Begin(rows)
	calls(c, out)
	c.End()
	calls(d, expected)
	near(t, rows, "results", read(d, out), read(d, expected))
}
