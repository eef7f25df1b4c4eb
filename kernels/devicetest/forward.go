package devicetest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dgsbench/kernels"
)

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

// checkNothingKept: after a bad buffer tables and Jacobians stay as they are,
// until it was asked about.
func checkNothingKept(t *testing.T, d kernels.Device) {
	bad, table, row, one := d.NewBuffer(1), d.NewBuffer(1), d.NewBuffer(1), d.NewBuffer(1)
	d.Write(bad, []float32{float32(math.NaN())})
	d.Write(row, []float32{3})
	d.Write(one, []float32{1})
	tables, rows, index := d.NewGroup(table), d.NewGroup(row), d.NewInts(1)
	j := d.NewJacobians(kernels.JacobianShape{Features: 1, States: 1, State: []int32{0}, Plus: []int32{-1}, Minus: []int32{-1}})
	j.Grow(1)
	step := kernels.JacobianStep{Slots: []int32{0}, Writes: []kernels.JacobianWrite{{}}, Keep: one, Mix: one, Drive: one, X: one}
	work := func() []float32 {
		d.CommitRows(1, 1, tables, rows, index)
		j.Step(&step)
		now := make([]float32, 2)
		d.Read(now[:1], table)
		j.Read(now[1:], 0)
		return now
	}
	d.ResetChecks()
	d.CheckFinite(1, one)
	d.CheckFinite(1, bad)
	if now := work(); !slices.Equal(now, []float32{0, 0}) {
		t.Errorf("%s: in spite of a bad buffer the numbers are %v", d.Name(), now)
	}
	d.FirstBad(nil, nil)
	if now := work(); !slices.Equal(now, []float32{3, 1}) {
		t.Errorf("%s: after the bad buffer was asked about the numbers are %v, expected 3 and 1", d.Name(), now)
	}
}
