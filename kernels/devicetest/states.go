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

// forwardCases are the kernels of derivatives that are carried forward.
func forwardCases() []kernelCase {
	all := []kernelCase{
		{"ContractRows", 4, func(b *bench, n int) {
			b.ContractRows(4, 7, n, b.NewGroup(b.normal(n)), b.normal(4*n), b.NewGroup(b.normal(7*n)), b.list(6, 0, 3, 3), nil)
		}},
		{"ContractRows of many", 16, func(b *bench, n int) {
			b.ContractRows(n, 7, 3, b.NewGroup(b.normal(3), b.normal(3), b.normal(3)), b.normal(3*n),
				b.NewGroup(b.normal(7*3), b.normal(7*3), b.normal(7*3)), b.rows(n, 7), b.NewGroup(b.positive(3), b.positive(3), b.positive(3)))
		}},
		{"CommitRows", 1, func(b *bench, n int) {
			b.CommitRows(4, n, b.NewGroup(b.normal(7*n)), b.NewGroup(b.normal(4*n)), b.list(6, 0, 3, 3))
		}},
		{"CommitRows of many", 1, func(b *bench, n int) {
			b.CommitRows(n, 3, b.NewGroup(b.normal(7*3), b.normal(7*3)), b.NewGroup(b.normal(3*n), b.normal(3*n)), b.rows(n, 7))
		}},
	}
	for i := range 16 {
		withE, perRow, listed, logits := i&1 != 0, i&2 != 0, i&4 != 0, i&8 != 0
		name := fmt.Sprintf("MixForward/with e %t, factors per row %t, listed %t, logits %t", withE, perRow, listed, logits)
		all = append(all, kernelCase{name, 8, func(b *bench, n int) { b.mixForward(n, withE, perRow, listed, logits) }})
	}
	for name, by := range map[string]kernels.Rescaling{
		"Softmax": kernels.Softmax, "DivideSum": kernels.DivideSum, "Sparsemax": kernels.Sparsemax, "Entmax": kernels.Entmax,
	} {
		for _, h := range []int{1, 2, 5, 33} {
			all = append(all, kernelCase{fmt.Sprintf("BlockDerivatives/%s/%d", name, h), 8, func(b *bench, n int) { b.blockDerivatives(by, n, h) }})
		}
	}
	return all
}

// mixForward has n columns.
func (b *bench) mixForward(n int, withE, perRow, listed, logits bool) {
	rows := func() kernels.Buffer { return b.normal(testRows * n) }
	m := mixture(b, n, withE, perRow, listed)
	f := &kernels.MixtureForward{Step: kernels.MixtureGrad{Self: rows(), Other: rows(), Alpha: rows(), Beta: rows()}, Logits: logits}
	if withE {
		f.Step.E = rows()
	}
	f.Alpha = kernels.Tangent{Table: b.normal(m.Self.Len()), Dst: rows()}
	f.Beta = kernels.Tangent{Table: b.normal(m.Self.Len()), Dst: rows()}
	b.MixForward(m, rows(), f)
}

// blockDerivatives has n rows, at most a few, of three blocks of h numbers,
// some of them zero.
func (b *bench) blockDerivatives(by kernels.Rescaling, n, h int) {
	const blocks, ofY = 3, 4
	rows, width, kept := min(n, 40), blocks*h, max(1, h-1)
	stride := h*blocks*kept + n%3
	d := &kernels.BlockDerivatives{
		By: by, Scale: .7, Eps: 1e-6, Floor: .5, Rows: rows, Blocks: blocks, H: h, Kept: kept,
		Dst: b.normal(rows * stride), Stride: stride, P: b.normal(rows * width), Index: b.rows(rows, ofY),
		Y: b.draw(ofY*width, func() float32 { return max(0, b.rng.Float32()-.3) }),
	}
	if by == kernels.DivideSum {
		d.Z = b.draw(ofY*width, func() float32 { return float32(b.rng.IntN(3)-1) / 4 })
	}
	b.BlockDerivatives(d)
}

func histogramCases() []kernelCase {
	all := []kernelCase{
		{"FoldRows", 4, func(b *bench, n int) { b.FoldRows(fold(b, n), b.normal(testRows*n), b.normal(4*n)) }},
		{"FoldBuckets", 8, func(b *bench, n int) {
			f, features := fold(b, n), min(n, 40)
			b.FoldBuckets(f, b.normal(testRows*n), b.rows(f.Events*features, max(n, 1)), features)
		}},
		{"MoveRows", 1, func(b *bench, n int) {
			b.MoveRows(9, n, b.normal(12*n), b.list(6, 0, 3, 2, 8, 11, 1, 5, 9), b.normal(6*n), b.list(5, 5, 0, 1, 2, 4, 3, 0, 5))
		}},
	}
	for _, terms := range []int{0, 1, 7} {
		all = append(all, kernelCase{fmt.Sprintf("SumRows/%d", terms), 4, func(b *bench, n int) {
			b.SumRows(9, terms, 5, n, b.normal(9*n), b.normal(5*n), b.rows(9*terms, 5))
		}})
	}
	for _, edges := range []int{0, 1, 9} {
		all = append(all, kernelCase{fmt.Sprintf("Bucketize/%d", edges), 1, func(b *bench, n int) { bucketize(b, n, edges) }})
	}
	return all
}

// fold has states of n numbers, and rows that read the same state twice.
func fold(b *bench, n int) *kernels.Fold {
	return &kernels.Fold{
		Rows: testRows, Cols: n, Nodes: 6, Table: b.normal(6 * n),
		Self: b.list(5, 0, 2, 2, 1, 4, 5, 3, 0), Other: b.list(0, 5, 2, 3, 2, 1, 4, 4, 3),
		Events: 4, Event: b.list(0, 0, 2, 1, 3, 3, 1, 2, 0), Keep: b.normal(testRows), Mix: b.normal(testRows), Hit: b.normal(testRows),
	}
}

// bucketize shows the buckets as rows of a table that holds its own row
// numbers. The values are whole, so that some lie on an edge.
func bucketize(b *bench, n, edges int) {
	whole := func(n int) kernels.Buffer { return b.draw(n, func() float32 { return float32(b.rng.IntN(5)) }) }
	buckets, first, next := b.NewInts(testRows*n), make([]int32, n), int32(-1)
	for j := range first {
		first[j] = int32(2 * j)
	}
	b.Bucketize(testRows, n, edges, buckets, whole(testRows*n), whole(edges*n), b.list(first...))
	numbers := b.draw(2*n+edges, func() float32 { next++; return float32(next) })
	b.GatherRows(testRows*n, 2*n+edges, 1, b.normal(testRows*n), numbers, buckets)
}
