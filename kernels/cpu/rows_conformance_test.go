package cpu_test

import (
	"fmt"
	"testing"

	"dgsbench/kernels/cpu"
	"dgsbench/kernels/portable"
)

const testRows = 5

var rowsCases = []kernelCase{
	{"ScatterAddRows", func(a *arrays, n int) func(cpu.Kernels) {
		dst, src := a.normal(7*n), a.normal(4*n)
		return func(k cpu.Kernels) { k.ScatterAddRows(dst, src, n, []int32{6, 0, 3, 3}) }
	}},
	{"UnitRows", func(a *arrays, n int) func(cpu.Kernels) {
		dst, inverse, x := a.normal(testRows*n), a.normal(testRows), a.normal(testRows*n)
		return func(k cpu.Kernels) { k.UnitRows(dst, inverse, x, n, 1e-3) }
	}},
	{"UnitRowsGrad", func(a *arrays, n int) func(cpu.Kernels) {
		dx, dy, y, inverse := a.normal(testRows*n), a.normal(testRows*n), a.normal(testRows*n), a.normal(testRows)
		return func(k cpu.Kernels) { k.UnitRowsGrad(dx, dy, y, inverse, n) }
	}},
	{"AddColumnSums", func(a *arrays, n int) func(cpu.Kernels) {
		sums, x := a.normal(n), a.normal(testRows*n)
		return func(k cpu.Kernels) { k.AddColumnSums(sums, x, testRows) }
	}},
	{"GRUCell", func(a *arrays, n int) func(cpu.Kernels) {
		h, gates, gi, gh, q := a.normal(testRows*n), a.normal(3*testRows*n), a.normal(3*testRows*n), a.normal(3*testRows*n), a.normal(testRows*n)
		return func(k cpu.Kernels) { k.GRUCell(h, gates, gi, gh, q, n) }
	}},
	{"GRUCellGrad", func(a *arrays, n int) func(cpu.Kernels) {
		dgi, dgh, dq := a.normal(3*testRows*n), a.normal(3*testRows*n), a.normal(testRows*n)
		dh, gates, gh, q := a.normal(testRows*n), a.positive(3*testRows*n), a.normal(3*testRows*n), a.normal(testRows*n)
		return func(k cpu.Kernels) { k.GRUCellGrad(dgi, dgh, dq, dh, gates, gh, q, n) }
	}},
	{"Attend", attentionCase(func(k cpu.Kernels, a *portable.Attention[float32], _ *portable.AttentionGrad[float32]) { k.Attend(a) })},
	{"AttendGrad", attentionCase(func(k cpu.Kernels, a *portable.Attention[float32], g *portable.AttentionGrad[float32]) {
		k.AttendGrad(a, g)
	})},
}

// attentionCase has centres without edges, a repeated pair, and n channels.
func attentionCase(f func(cpu.Kernels, *portable.Attention[float32], *portable.AttentionGrad[float32])) func(*arrays, int) func(cpu.Kernels) {
	return func(a *arrays, n int) func(cpu.Kernels) {
		const heads, centres, nodes, edges = 2, 4, 6, 5
		width := heads * n
		in := &portable.Attention[float32]{
			Heads: heads, Channels: n,
			Offsets: []int32{0, 3, 3, 5, 5}, Index: []int32{2, 5, 2, 0, 2},
			Q: a.normal(centres * width), Out: a.normal(centres * width),
			K: a.normal(nodes * width), V: a.normal(nodes * width), E: a.normal(edges * width),
			Weights: a.positive(edges * heads), Drop: a.positive(edges * heads),
		}
		g := &portable.AttentionGrad[float32]{
			Out: a.normal(centres * width), Q: a.normal(centres * width), E: a.normal(edges * width),
			K: a.normal(nodes * width), V: a.normal(nodes * width), Scores: a.normal(edges * heads),
		}
		return func(k cpu.Kernels) { f(k, in, g) }
	}
}

// blockCases are the kernels over blocks, for blocks within a register and
// beyond.
func blockCases() []kernelCase {
	var all []kernelCase
	for _, h := range []int{1, 2, 3, 4, 5, 7, 8, 9, 10, 13, 15, 16, 17, 25, 33} {
		all = append(all,
			kernelCase{fmt.Sprintf("SoftmaxBlocks/%d", h), func(a *arrays, n int) func(cpu.Kernels) {
				dst, x := a.normal(n*h), a.normal(n*h)
				return func(k cpu.Kernels) { k.SoftmaxBlocks(dst, x, h, .7) }
			}},
			kernelCase{fmt.Sprintf("SoftmaxBlocksGrad/%d", h), func(a *arrays, n int) func(cpu.Kernels) {
				dx, dy, y := a.normal(n*h), a.normal(n*h), a.positive(n*h)
				return func(k cpu.Kernels) { k.SoftmaxBlocksGrad(dx, dy, y, h, .7) }
			}},
			kernelCase{fmt.Sprintf("DivideSumBlocks/%d", h), func(a *arrays, n int) func(cpu.Kernels) {
				dst, z := a.normal(n*h), a.normal(n*h)
				return func(k cpu.Kernels) { k.DivideSumBlocks(dst, z, h, 1e-6, .5) }
			}},
			kernelCase{fmt.Sprintf("DivideSumBlocksGrad/%d", h), func(a *arrays, n int) func(cpu.Kernels) {
				dz, dy, y, z := a.normal(n*h), a.normal(n*h), a.positive(n*h), a.normal(n*h)
				return func(k cpu.Kernels) { k.DivideSumBlocksGrad(dz, dy, y, z, h, 1e-6, .5) }
			}})
	}
	return all
}

var normCases = []kernelCase{
	{"LayerNorm", func(a *arrays, n int) func(cpu.Kernels) {
		dst, hat, inverse, x := a.normal(testRows*n), a.normal(testRows*n), a.normal(testRows), a.normal(testRows*n)
		scale, shift := a.positive(n), a.normal(n)
		return func(k cpu.Kernels) { k.LayerNorm(dst, hat, inverse, x, scale, shift, 1e-5) }
	}},
	{"LayerNormGrad", func(a *arrays, n int) func(cpu.Kernels) {
		dx, dscale, dshift, dy := a.normal(testRows*n), a.normal(n), a.normal(n), a.normal(testRows*n)
		hat, inverse, scale := a.normal(testRows*n), a.positive(testRows), a.normal(n)
		return func(k cpu.Kernels) { k.LayerNormGrad(dx, dscale, dshift, dy, hat, inverse, scale) }
	}},
}

func TestRowsConform(t *testing.T)   { conform(t, rowsCases, 2e-6) }
func TestBlocksConform(t *testing.T) { conform(t, blockCases(), 2e-6) }

// A normalised column of one element is 0/sqrt(eps): rounding shows there.
func TestNormsConform(t *testing.T) { conform(t, normCases, 1e-4) }

// TestKernelsAllocateNothing runs every kernel at every level.
func TestKernelsAllocateNothing(t *testing.T) {
	for _, cases := range [][]kernelCase{mathCases, rowsCases, blockCases(), normCases, mixingCases(), histogramCases()} {
		for _, c := range cases {
			for _, k := range cpu.Available() {
				call := c.make(newArrays(1, false), 21)
				if n := testing.AllocsPerRun(5, func() { call(k) }); n != 0 {
					t.Errorf("%s at %s: %v allocations", c.name, k.Level(), n)
				}
			}
		}
	}
}
