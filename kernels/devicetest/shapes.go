package devicetest

import (
	"fmt"
	"testing"

	"dgsbench/kernels"
)

// shape is that of a matrix.
type shape struct{ rows, cols int }

// shapes lie around the parts that devices divide the columns of a matrix
// into, and the rows of such a part.
var shapes = []shape{{1, 1}, {1, 250}, {2, 7}, {2, 9}, {31, 8}, {32, 7}, {33, 1}, {33, 9}, {256, 8}, {257, 7}, {600, 1}, {600, 9}, {600, 250}}

// A shapedCase is a kernelCase for shapes. Its scale is that of sums of few
// rows.
type shapedCase struct {
	name  string
	scale float64
	call  func(b *bench, rows, cols int)
}

// overRows are the kernels that sum over rows.
var overRows = []shapedCase{
	{"ColumnSums", 2, func(b *bench, rows, cols int) { b.ColumnSums(rows, cols, b.normal(cols), b.normal(rows*cols)) }},
	{"ContractRows", 4, func(b *bench, rows, cols int) {
		b.ContractRows(rows, 7, cols, b.NewGroup(b.normal(cols)), b.normal(rows*cols), b.NewGroup(b.normal(7*cols)), b.rows(rows, 7), b.NewGroup(b.positive(cols)))
	}},
	{"ScatterAddRows", 4, func(b *bench, rows, cols int) {
		b.ScatterAddRows(rows, 7, cols, b.normal(7*cols), b.normal(rows*cols), b.rows(rows, 7))
	}},
	{"LayerNormGrad", 8, func(b *bench, rows, cols int) {
		n := rows * cols
		b.LayerNormGrad(rows, cols, b.normal(n), b.normal(cols), b.normal(cols), b.normal(n), b.normal(n), b.positive(rows), b.normal(cols))
	}},
	{"BatchNorm", 50, func(b *bench, rows, cols int) {
		n := rows * cols
		b.BatchNorm(rows, cols, 1e-5, b.normal(n), b.normal(n), b.normal(cols), b.normal(cols), b.normal(cols), b.normal(n), b.positive(cols), b.normal(cols))
	}},
	{"BatchNormFixed", 8, func(b *bench, rows, cols int) {
		n := rows * cols
		b.BatchNormFixed(rows, cols, 1e-5, b.normal(n), b.normal(cols), b.normal(n), b.normal(cols), b.positive(cols), b.normal(cols), b.normal(cols))
	}},
	{"BatchNormGrad", 8, func(b *bench, rows, cols int) {
		n := rows * cols
		b.BatchNormGrad(rows, cols, b.normal(n), b.normal(cols), b.normal(cols), b.normal(n), b.normal(n), b.positive(cols), b.normal(cols))
	}},
	{"TimeEncodeGrad", 16, func(b *bench, rows, cols int) {
		b.TimeEncodeGrad(rows, cols, b.normal(cols), b.normal(cols), b.normal(rows*cols), b.normal(rows), b.normal(cols), b.normal(cols))
	}},
	{"TimeProjectGrad", 8, func(b *bench, rows, cols int) {
		n := rows * cols
		b.TimeProjectGrad(rows, cols, b.normal(n), b.normal(cols), b.normal(cols), b.normal(n), b.normal(n), b.normal(rows), b.normal(cols), b.normal(cols))
	}},
}

func checkShapes(t *testing.T, tolerance float64, devices []kernels.Device) {
	for _, c := range overRows {
		for _, s := range shapes {
			t.Run(fmt.Sprintf("%s/%d x %d", c.name, s.rows, s.cols), func(t *testing.T) {
				same := kernelCase{c.name, c.scale, func(b *bench, _ int) { c.call(b, s.rows, s.cols) }}
				same.compare(t, s.rows, false, tolerance, devices)
			})
		}
	}
}
