package devicetest

import (
	"fmt"

	"dgsbench/kernels"
)

func mixingCases() []kernelCase {
	var all []kernelCase
	for i := range 8 {
		withE, perRow, listed := i&1 != 0, i&2 != 0, i&4 != 0
		options := fmt.Sprintf("/with e %t, factors per row %t, listed %t", withE, perRow, listed)
		all = append(all,
			kernelCase{"Mix" + options, 4, func(b *bench, n int) { b.Mix(mixture(b, n, withE, perRow, listed), b.normal(testRows*n)) }},
			kernelCase{"MixGrad" + options, 8, func(b *bench, n int) {
				rows := func() kernels.Buffer { return b.normal(testRows * n) }
				d := &kernels.MixtureGrad{Self: rows(), Other: rows(), Alpha: rows(), Beta: rows()}
				if withE {
					d.E = rows()
				}
				b.MixGrad(mixture(b, n, withE, perRow, listed), rows(), d)
			}})
	}
	for _, h := range []int{1, 2, 5, 25, 70} {
		add := func(name string, scale float64, call func(b *bench, n int)) {
			all = append(all, kernelCase{fmt.Sprintf("%s/%d", name, h), scale, func(b *bench, n int) { call(b, min(n, 33)*h) }})
		}
		add("SparsemaxBlocks", 2, func(b *bench, n int) { b.SparsemaxBlocks(n, h, .7, b.normal(n), b.normal(n)) })
		add("SparsemaxBlocksGrad", 2, func(b *bench, n int) { b.SparsemaxBlocksGrad(n, h, .7, b.normal(n), b.normal(n), b.positive(n)) })
		add("EntmaxBlocks", 2, func(b *bench, n int) { b.EntmaxBlocks(n, h, .7, b.normal(n), b.normal(n)) })
		add("EntmaxBlocksGrad", 2, func(b *bench, n int) { b.EntmaxBlocksGrad(n, h, .7, b.normal(n), b.normal(n), b.positive(n)) })
	}
	return all
}

// mixture has n columns. Listed, its rows are any of two more.
func mixture(b *bench, n int, withE, perRow, listed bool) *kernels.Mixture {
	rows := testRows
	m := &kernels.Mixture{Rows: testRows, Cols: n, PerRow: perRow}
	if listed {
		rows += 2
		m.From = &kernels.MixtureRows{Self: b.rows(testRows, rows), Other: b.rows(testRows, rows), E: b.rows(testRows, rows)}
	}
	factors := n
	if perRow {
		factors *= rows
	}
	m.Self, m.Other, m.Alpha, m.Beta = b.normal(rows*n), b.normal(rows*n), b.positive(factors), b.normal(factors)
	if withE {
		m.E = b.normal(rows * n)
	}
	return m
}
