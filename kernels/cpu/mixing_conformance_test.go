package cpu_test

import (
	"fmt"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
)

// drawMixture has n columns.
func drawMixture(a *arrays, n int, withE, perRow bool) *kernels.Mixture {
	size, factors := testRows*n, n
	if perRow {
		factors = size
	}
	m := &kernels.Mixture{
		Rows: testRows, Cols: n, Self: a.buffer(size), Other: a.buffer(size),
		Alpha: a.positives(factors), Beta: a.buffer(factors), PerRow: perRow,
	}
	if withE {
		m.E = a.buffer(size)
	}
	return m
}

func mixingCases() []kernelCase {
	cases := []kernelCase{binaryCase("SigmoidGrad", func(k cpu.Kernels, dst, a, b []float32) { k.SigmoidGrad(dst, a, b) })}
	for _, withE := range []bool{true, false} {
		for _, perRow := range []bool{true, false} {
			options := fmt.Sprintf(" with e %t, factors per row %t", withE, perRow)
			cases = append(cases,
				kernelCase{"Mix" + options, func(a *arrays, n int) func(cpu.Kernels) {
					m, dst := drawMixture(a, n, withE, perRow), a.buffer(testRows*n)
					return func(k cpu.Kernels) { on(k).Mix(m, dst) }
				}},
				kernelCase{"MixGrad" + options, func(a *arrays, n int) func(cpu.Kernels) {
					m, g, size := drawMixture(a, n, withE, perRow), a.buffer(testRows*n), testRows*n
					d := &kernels.MixtureGrad{Self: a.buffer(size), Other: a.buffer(size), Alpha: a.buffer(size), Beta: a.buffer(size)}
					if withE {
						d.E = a.buffer(size)
					}
					return func(k cpu.Kernels) { on(k).MixGrad(m, g, d) }
				}})
		}
	}
	for _, h := range []int{1, 2, 5, 25, 250} {
		cases = append(cases,
			blockCase("SparsemaxBlocks", h, (*cpu.Device).SparsemaxBlocks), blockGradCase("SparsemaxBlocksGrad", h, (*cpu.Device).SparsemaxBlocksGrad),
			blockCase("EntmaxBlocks", h, (*cpu.Device).EntmaxBlocks), blockGradCase("EntmaxBlocksGrad", h, (*cpu.Device).EntmaxBlocksGrad))
	}
	return cases
}

// blockCase has n blocks of h elements.
func blockCase(name string, h int, f func(d *cpu.Device, n, h int, scale float64, dst, x kernels.Buffer)) kernelCase {
	return kernelCase{fmt.Sprintf("%s/%d", name, h), func(a *arrays, n int) func(cpu.Kernels) {
		dst, x := a.buffer(n*h), a.buffer(n*h)
		return func(k cpu.Kernels) { f(on(k), n*h, h, .7, dst, x) }
	}}
}

func blockGradCase(name string, h int, f func(d *cpu.Device, n, h int, scale float64, dx, g, y kernels.Buffer)) kernelCase {
	return kernelCase{fmt.Sprintf("%s/%d", name, h), func(a *arrays, n int) func(cpu.Kernels) {
		dx, g, y := a.buffer(n*h), a.buffer(n*h), a.positives(n*h)
		return func(k cpu.Kernels) { f(on(k), n*h, h, .7, dx, g, y) }
	}}
}

func TestMixingConforms(t *testing.T) { conform(t, mixingCases(), 2e-6) }

// TestMixInPlace overwrites each of the slices.
func TestMixInPlace(t *testing.T) {
	for _, k := range cpu.Available() {
		want := make(numbers, testRows*33)
		on(k).Mix(drawMixture(newArrays(1, false), 33, true, true), want)
		for i := range 5 {
			m := drawMixture(newArrays(1, false), 33, true, true)
			dst := []kernels.Buffer{m.Self, m.Other, m.E, m.Alpha, m.Beta}[i]
			on(k).Mix(m, dst)
			sameBits(t, len(want), k, dst.(numbers), want)
		}
	}
}
