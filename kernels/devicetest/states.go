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
		draw := func(b *bench, rows, cols int) (m *kernels.Mixture, matrix kernels.Buffer, step *kernels.MixtureGrad) {
			return mixture(b, rows, cols, withE, perRow, listed)
		}
		all = append(all,
			kernelCase{"Mix" + options, 4, func(b *bench, rows, cols int) {
				m, dst, _ := draw(b, rows, cols)
				b.Mix(m, dst)
			}},
			kernelCase{"MixGrad" + options, 8, func(b *bench, rows, cols int) {
				b.MixGrad(draw(b, rows, cols))
			}})
		for _, logits := range []bool{false, true} {
			all = append(all, kernelCase{fmt.Sprintf("MixForward%s, logits %t", options, logits), 8, func(b *bench, rows, cols int) {
				m, dst, step := draw(b, rows, cols)
				tangent := func() kernels.Tangent {
					return kernels.Tangent{Table: b.normal(m.Self.Len()), Dst: b.normal(rows * cols)}
				}
				b.MixForward(m, dst, &kernels.MixtureForward{Step: *step, Alpha: tangent(), Beta: tangent(), Logits: logits})
			}})
		}
	}
	return all
}

// mixture is of matrices, with another one and gradients or derivatives.
// Listed, its rows are any of two more.
func mixture(b *bench, rows, cols int, withE, perRow, listed bool) (m *kernels.Mixture, matrix kernels.Buffer, step *kernels.MixtureGrad) {
	draw := func() kernels.Buffer { return b.normal(rows * cols) }
	m, step = &kernels.Mixture{Rows: rows, Cols: cols, PerRow: perRow}, &kernels.MixtureGrad{Self: draw(), Other: draw(), Alpha: draw(), Beta: draw()}
	from := rows
	if listed {
		from += 2
		m.From = &kernels.MixtureRows{Self: b.rows(rows, from), Other: b.rows(rows, from), E: b.rows(rows, from)}
	}
	factors := cols
	if perRow {
		factors *= from
	}
	m.Self, m.Other, m.Alpha, m.Beta = b.normal(from*cols), b.normal(from*cols), b.positive(factors), b.normal(factors)
	if withE {
		m.E, step.E = b.normal(from*cols), draw()
	}
	return m, draw(), step
}

// sparseCases have blocks that are sorted, at most a few.
func sparseCases() []kernelCase {
	var all []kernelCase
	for _, h := range []int{1, 2, 5, 25, 70} {
		add := func(name string, call func(b *bench, n int)) {
			all = append(all, kernelCase{fmt.Sprintf("%s/%d", name, h), 2, func(b *bench, _, n int) { call(b, min(n, 33)*h) }})
		}
		add("SparsemaxBlocks", func(b *bench, n int) { b.SparsemaxBlocks(n, h, .7, b.normal(n), b.normal(n)) })
		add("SparsemaxBlocksGrad", func(b *bench, n int) { b.SparsemaxBlocksGrad(n, h, .7, b.normal(n), b.normal(n), b.positive(n)) })
		add("EntmaxBlocks", func(b *bench, n int) { b.EntmaxBlocks(n, h, .7, b.normal(n), b.normal(n)) })
		add("EntmaxBlocksGrad", func(b *bench, n int) { b.EntmaxBlocksGrad(n, h, .7, b.normal(n), b.normal(n), b.positive(n)) })
	}
	return all
}

func derivativeCases() []kernelCase {
	var all []kernelCase
	for name, by := range map[string]kernels.Rescaling{
		"Softmax": kernels.Softmax, "DivideSum": kernels.DivideSum, "Sparsemax": kernels.Sparsemax, "Entmax": kernels.Entmax,
	} {
		for _, h := range []int{1, 2, 5, 33} {
			all = append(all, kernelCase{fmt.Sprintf("BlockDerivatives/%s/%d", name, h), 8, func(b *bench, _, n int) { b.blockDerivatives(by, n, h) }})
		}
	}
	return all
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
		{"FoldRows", 4, func(b *bench, _, n int) { b.FoldRows(fold(b, n), b.normal(wideRows*n), b.normal(4*n)) }},
		{"FoldBuckets", 8, func(b *bench, _, n int) {
			f, features := fold(b, n), min(n, 40)
			b.FoldBuckets(f, b.normal(wideRows*n), b.rows(f.Events*features, max(n, 1)), features)
		}},
		{"MoveRows", 1, func(b *bench, _, n int) {
			b.MoveRows(9, n, b.normal(12*n), b.list(6, 0, 3, 2, 8, 11, 1, 5, 9), b.normal(6*n), b.list(5, 5, 0, 1, 2, 4, 3, 0, 5))
		}},
	}
	for _, terms := range []int{0, 1, 7} {
		all = append(all, kernelCase{fmt.Sprintf("SumRows/%d", terms), 4, func(b *bench, _, n int) {
			b.SumRows(9, terms, 5, n, b.normal(9*n), b.normal(5*n), b.rows(9*terms, 5))
		}})
	}
	for _, edges := range []int{0, 1, 9} {
		all = append(all, kernelCase{fmt.Sprintf("Bucketize/%d", edges), 1, func(b *bench, _, n int) { bucketize(b, n, edges) }})
	}
	return all
}

// fold has states of n numbers, and rows that read the same state twice.
func fold(b *bench, n int) *kernels.Fold {
	return &kernels.Fold{
		Rows: wideRows, Cols: n, Nodes: 6, Table: b.normal(6 * n),
		Self: b.list(5, 0, 2, 2, 1, 4, 5, 3, 0), Other: b.list(0, 5, 2, 3, 2, 1, 4, 4, 3),
		Events: 4, Event: b.list(0, 0, 2, 1, 3, 3, 1, 2, 0), Keep: b.normal(wideRows), Mix: b.normal(wideRows), Hit: b.normal(wideRows),
	}
}

// bucketize reads the buckets as rows of a table that holds its own row
// numbers. The values are whole, so that some lie on an edge.
func bucketize(b *bench, n, edges int) {
	whole := func(n int) kernels.Buffer { return b.draw(n, func() float32 { return float32(b.rng.IntN(5)) }) }
	buckets, first, next := b.NewInts(wideRows*n), make([]int32, n), int32(-1)
	for j := range first {
		first[j] = int32(2 * j)
	}
	b.Bucketize(wideRows, n, edges, buckets, whole(wideRows*n), whole(edges*n), b.list(first...))
	numbers := b.draw(2*n+edges, func() float32 { next++; return float32(next) })
	b.GatherRows(wideRows*n, 2*n+edges, 1, b.normal(wideRows*n), numbers, buckets)
}
