package devicetest

import "fmt"

// blockCases have n blocks, of lengths around those of vectors and warps.
func blockCases() []kernelCase {
	var all []kernelCase
	for _, h := range []int{1, 2, 5, 25, 33} {
		add := func(name string, scale float64, call func(b *bench, n int)) {
			all = append(all, kernelCase{fmt.Sprintf("%s/%d", name, h), scale, func(b *bench, n int) { call(b, n*h) }})
		}
		add("SoftmaxBlocks", 2, func(b *bench, n int) { b.SoftmaxBlocks(n, h, .7, b.normal(n), b.normal(n)) })
		add("SoftmaxBlocks in place", 2, func(b *bench, n int) { x := b.normal(n); b.SoftmaxBlocks(n, h, .7, x, x) })
		add("SoftmaxBlocksGrad", 4, func(b *bench, n int) { b.SoftmaxBlocksGrad(n, h, .7, b.normal(n), b.normal(n), b.positive(n)) })
		add("DivideSumBlocks", 8, func(b *bench, n int) { b.DivideSumBlocks(n, h, 1e-6, .5, b.normal(n), b.normal(n)) })
		add("DivideSumBlocksGrad", 8, func(b *bench, n int) {
			b.DivideSumBlocksGrad(n, h, 1e-6, .5, b.normal(n), b.normal(n), b.positive(n), b.normal(n))
		})
	}
	return all
}

// A normalised column of one number is 0/sqrt(eps): rounding shows there.
var normCases = []kernelCase{
	{"LayerNorm", 50, func(b *bench, n int) {
		size := testRows * n
		b.LayerNorm(testRows, n, 1e-5, b.normal(size), b.normal(size), b.normal(testRows), b.normal(size), b.positive(n), b.normal(n))
	}},
	{"LayerNormGrad", 8, func(b *bench, n int) {
		size := testRows * n
		b.LayerNormGrad(testRows, n, b.normal(size), b.normal(n), b.normal(n), b.normal(size), b.normal(size), b.positive(testRows), b.normal(n))
	}},
	{"BatchNorm", 50, func(b *bench, n int) {
		size := testRows * n
		b.BatchNorm(testRows, n, 1e-5, b.normal(size), b.normal(size), b.normal(n), b.normal(n), b.normal(n), b.normal(size), b.positive(n), b.normal(n))
	}},
	{"BatchNormFixed", 8, func(b *bench, n int) {
		size := testRows * n
		b.BatchNormFixed(testRows, n, 1e-5, b.normal(size), b.normal(n), b.normal(size), b.normal(n), b.positive(n), b.normal(n), b.normal(n))
	}},
	{"BatchNormGrad", 8, func(b *bench, n int) {
		size := testRows * n
		b.BatchNormGrad(testRows, n, b.normal(size), b.normal(n), b.normal(n), b.normal(size), b.normal(size), b.positive(n), b.normal(n))
	}},
	{"UnitRows", 4, func(b *bench, n int) {
		b.UnitRows(testRows, n, 1e-3, b.normal(testRows*n), b.normal(testRows), b.normal(testRows*n))
	}},
	{"UnitRowsGrad", 16, func(b *bench, n int) {
		b.UnitRowsGrad(testRows, n, b.normal(testRows*n), b.normal(testRows*n), b.normal(testRows*n), b.normal(testRows))
	}},
}
