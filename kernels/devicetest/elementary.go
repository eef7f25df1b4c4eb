package devicetest

import (
	"fmt"

	"dgsbench/kernels"
)

// testRows is how many rows the matrices have whose width is the size. With a
// warp for a row they are more than one block of a card.
const testRows = 9

var elementaryCases = []kernelCase{
	{"Zero", 1, func(b *bench, n int) { b.Zero(n, b.normal(n)) }},
	{"Add", 1, func(b *bench, n int) { b.Add(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"Add in place", 1, func(b *bench, n int) { x := b.normal(n); b.Add(n, x, x, b.normal(n)) }},
	{"Mul", 1, func(b *bench, n int) { b.Mul(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"Mul in place", 1, func(b *bench, n int) { x := b.normal(n); b.Mul(n, x, b.normal(n), x) }},
	{"Affine", 1, func(b *bench, n int) { b.Affine(n, b.normal(n), -1.5, b.normal(n), .25) }},
	{"Affine in place", 1, func(b *bench, n int) { x := b.normal(n); b.Affine(n, x, -1.5, x, .25) }},
	{"Blend", 1, func(b *bench, n int) { b.Blend(n, b.normal(n), .75, b.normal(n), -.5) }},
	{"AddReLU", 1, func(b *bench, n int) { b.AddReLU(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"ReLUGrad", 1, func(b *bench, n int) { b.ReLUGrad(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"Clamp", 1, func(b *bench, n int) { b.Clamp(n, b.normal(n), -.5, .75) }},
	{"ColumnSums", 2, func(b *bench, n int) { b.ColumnSums(testRows, n, b.normal(n), b.normal(testRows*n)) }},
	{"ColumnSums of many rows", 4, func(b *bench, n int) { b.ColumnSums(n, 3, b.normal(3), b.normal(3*n)) }},
	{"BCE", 1, func(b *bench, n int) { b.BCE(n, b.normal(1), b.normal(n), b.positive(n), b.positive(n)) }},
	{"BCEGrad", 1, func(b *bench, n int) {
		b.BCEGrad(n, b.normal(n), b.normal(n), b.positive(n), b.positive(n), b.positive(1))
	}},
	{"Sigmoid", 1, func(b *bench, n int) { b.Sigmoid(n, b.normal(n), b.normal(n)) }},
	{"SigmoidGrad", 1, func(b *bench, n int) { b.SigmoidGrad(n, b.normal(n), b.normal(n), b.normal(n)) }},
}

// gemmCases have products of the size in each of their three dimensions.
func gemmCases() []kernelCase {
	var all []kernelCase
	for name, op := range map[string]kernels.Op{"NN": kernels.NN, "NT": kernels.NT, "TN": kernels.TN} {
		for _, finish := range []bool{false, true} {
			all = append(all, kernelCase{fmt.Sprintf("Gemm/%s bias and ReLU %t", name, finish), 8, func(b *bench, n int) {
				for _, s := range [][3]int{{n, 7, 3}, {5, n, 9}, {4, 6, n}, {n, n + 3, 19}} {
					m, n, k := s[0], s[1], s[2]
					x, y, c := b.normal(m*k), b.normal(k*n), b.normal(m*n)
					if finish {
						b.Gemm(op, m, n, k, x, y, c, b.normal(n), true)
					} else {
						b.Gemm(op, m, n, k, x, y, c, nil, false)
					}
				}
			}})
		}
	}
	return all
}
