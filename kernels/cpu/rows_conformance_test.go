package cpu_test

import (
	"fmt"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/portable"
)

const testRows = 5

var rowsCases = []kernelCase{
	{"ScatterAddRows", func(a *arrays, n int) func(cpu.Kernels) {
		dst, src := a.buffer(7*n), a.buffer(4*n)
		var index kernels.Ints = portable.Ints{6, 0, 3, 3}
		return func(k cpu.Kernels) { on(k).ScatterAddRows(4, 7, n, dst, src, index) }
	}},
	{"UnitRows", func(a *arrays, n int) func(cpu.Kernels) {
		dst, inverse, x := a.buffer(testRows*n), a.buffer(testRows), a.buffer(testRows*n)
		return func(k cpu.Kernels) { on(k).UnitRows(testRows, n, 1e-3, dst, inverse, x) }
	}},
	{"UnitRowsGrad", func(a *arrays, n int) func(cpu.Kernels) {
		dx, dy, y, inverse := a.buffer(testRows*n), a.buffer(testRows*n), a.buffer(testRows*n), a.buffer(testRows)
		return func(k cpu.Kernels) { on(k).UnitRowsGrad(testRows, n, dx, dy, y, inverse) }
	}},
	{"ColumnSums", func(a *arrays, n int) func(cpu.Kernels) {
		sums, x := a.buffer(n), a.buffer(testRows*n)
		return func(k cpu.Kernels) { on(k).ColumnSums(testRows, n, sums, x) }
	}},
	{"GRUCell", func(a *arrays, n int) func(cpu.Kernels) {
		h, gates, gi, gh, q := a.buffer(testRows*n), a.buffer(3*testRows*n), a.buffer(3*testRows*n), a.buffer(3*testRows*n), a.buffer(testRows*n)
		return func(k cpu.Kernels) { on(k).GRUCell(testRows, n, h, gates, gi, gh, q) }
	}},
	{"GRUCellGrad", func(a *arrays, n int) func(cpu.Kernels) {
		dgi, dgh, dq := a.buffer(3*testRows*n), a.buffer(3*testRows*n), a.buffer(testRows*n)
		dh, gates, gh, q := a.buffer(testRows*n), a.positives(3*testRows*n), a.buffer(3*testRows*n), a.buffer(testRows*n)
		return func(k cpu.Kernels) { on(k).GRUCellGrad(testRows, n, dgi, dgh, dq, dh, gates, gh, q) }
	}},
	{"Attend", attentionCase(func(d *cpu.Device, a *kernels.Attention, _ *kernels.AttentionGrad) { d.Attend(a) })},
	{"AttendGrad", attentionCase((*cpu.Device).AttendGrad)},
}

// attentionCase has centres without edges, a repeated pair, and n channels.
func attentionCase(f func(*cpu.Device, *kernels.Attention, *kernels.AttentionGrad)) func(*arrays, int) func(cpu.Kernels) {
	return func(a *arrays, n int) func(cpu.Kernels) {
		const heads, centres, nodes, edges = 2, 4, 6, 5
		width := heads * n
		in := &kernels.Attention{
			Heads: heads, Channels: n, Centres: centres, Nodes: nodes, Edges: edges,
			Offsets: portable.Ints{0, 3, 3, 5, 5}, Index: portable.Ints{2, 5, 2, 0, 2},
			Q: a.buffer(centres * width), Out: a.buffer(centres * width),
			K: a.buffer(nodes * width), V: a.buffer(nodes * width), E: a.buffer(edges * width),
			Weights: a.positives(edges * heads), Drop: a.positives(edges * heads),
		}
		g := &kernels.AttentionGrad{
			Out: a.buffer(centres * width), Q: a.buffer(centres * width), E: a.buffer(edges * width),
			K: a.buffer(nodes * width), V: a.buffer(nodes * width), Scores: a.buffer(edges * heads),
		}
		return func(k cpu.Kernels) { f(on(k), in, g) }
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
		dst, hat, inverse, x := a.buffer(testRows*n), a.buffer(testRows*n), a.buffer(testRows), a.buffer(testRows*n)
		scale, shift := a.positives(n), a.buffer(n)
		return func(k cpu.Kernels) { on(k).LayerNorm(testRows, n, 1e-5, dst, hat, inverse, x, scale, shift) }
	}},
	{"LayerNormGrad", func(a *arrays, n int) func(cpu.Kernels) {
		dx, dscale, dshift, dy := a.buffer(testRows*n), a.buffer(n), a.buffer(n), a.buffer(testRows*n)
		hat, inverse, scale := a.buffer(testRows*n), a.positives(testRows), a.buffer(n)
		return func(k cpu.Kernels) { on(k).LayerNormGrad(testRows, n, dx, dscale, dshift, dy, hat, inverse, scale) }
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
